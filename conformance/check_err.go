package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"inferonce/contracts"
	"inferonce/providers"
)

// Kind names a request that has to fail.
type Kind string

// The kinds. For each, Options.Variant says whom to ask; the check itself spoils
// the request, except for the key.
const (
	WrongKey     Kind = "wrong_key"
	WrongModel   Kind = "wrong_model"
	OverLong     Kind = "over_long"
	BadParameter Kind = "bad_parameter"
)

// errorChecks ask whether a target's errors say what happened, since retries,
// fallbacks and bills follow from them (R18, R20).
func errorChecks() []Check {
	live := func(id string, kind Kind, says string, spoil func(*providers.Request, *Probe), fits ...contracts.Class) Check {
		return Check{ID: id, Class: Hard, Proves: "R20", Says: says, probe: refused(kind, spoil, fits...)}
	}
	replay := func(id, says string) Check {
		return Check{ID: id, Class: Hard, Proves: "R20", Says: says, probe: readsRecorded(id)}
	}
	return []Check{
		live("ERR-01", WrongKey, "a wrong key is told as such", func(*providers.Request, *Probe) {}, contracts.Auth),
		live("ERR-02", WrongModel, "an unknown model is refused, and not another one asked", func(r *providers.Request, p *Probe) {
			r.Model = "no-such-model-" + strings.ToLower(p.Nonce())
		}, contracts.NotFound),
		live("ERR-03", OverLong, "an input that is too long is refused, not cut", func(r *providers.Request, p *Probe) {
			r.Messages[len(r.Messages)-1].Content += "\n" + strings.Repeat(p.filler(), overLong/len(common))
		}, contracts.ContextLength),
		live("ERR-04", BadParameter, "an impossible parameter is refused", func(r *providers.Request, _ *Probe) {
			t := impossible
			r.Temperature = &t
		}, contracts.InvalidRequest),
		replay("ERR-05", "a refusal by rate is told as such, with its delay"),
		replay("ERR-06", "an account without money is told from a refusal by rate"),
		{ID: "ERR-07", Class: Hard, Proves: "R16", Says: "time limits hold", probe: notAsked("limits are kept by the transport, whose own tests prove them against a faulty server")},
		replay("ERR-08", "overload is told as such"),
		replay("ERR-09", "garbage is a bad answer, never a crash and never a success"),
		replay("ERR-10", "what a filter withheld is told as such"),
	}
}

const (
	overLong   = 8 << 20 // bytes, about two million tokens: more than any context known
	impossible = -7.0    // a temperature; no provider takes one below 0
)

// refused sends one request that has to fail before anything runs.
func refused(kind Kind, spoil func(*providers.Request, *Probe), fits ...contracts.Class) func(context.Context, *Probe) finding {
	return func(ctx context.Context, p *Probe) finding {
		to := p.variant(kind)
		if to == nil {
			return unused(fmt.Sprintf("no client for a request of kind %s was given", kind))
		}
		r, err := providers.BuildRequest(p.Contract, p.kase(0).Input, p.Target)
		if err != nil {
			return unshown(err.Error())
		}
		spoil(&r, p)
		_, failure, err := p.once(ctx, to, r)
		switch {
		case err != nil:
			return unshown(err.Error())
		case failure == nil:
			return of(1, 0, "a request that has to fail succeeds")
		case slices.Contains(fits, failure.Class) && failure.Effect == contracts.None:
			return of(1, 1, "")
		case blocked(failure):
			return unshown("the call was blocked: " + causeOf(failure))
		}
		return of(1, 0, fmt.Sprintf("told as %s with effect %s, want %s with effect none", causeOf(failure), failure.Effect, fits[0]))
	}
}

func (p *Probe) variant(kind Kind) providers.Provider {
	if p.suite.Variant == nil {
		return nil
	}
	return p.suite.Variant(kind)
}

// blocked says that a call tells nothing about how refusals are told.
func blocked(f *contracts.Failure) bool {
	return slices.Contains([]contracts.Class{contracts.RateLimited, contracts.Overloaded, contracts.Connection, contracts.Timeout, contracts.Internal}, f.Class)
}
