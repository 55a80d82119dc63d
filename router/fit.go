package router

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"inferonce/jobstore"
	"inferonce/providers"
)

// The codes of Excluded for a request that a target can't serve, whatever the
// target has proved.
const (
	codeUnsupported     = "unsupported"        // its API has no words for a part of the request
	codeAbilityUnproved = "ability_not_proved" // no conformance case asks for what the request needs
)

// UnsupportedError refuses a request with a part that no target of its route can
// take. Nothing is stored.
type UnsupportedError struct {
	Contract string
	Part     string // that the primary can't take, as "messages[1].parts[0].image"
	Excluded []jobstore.Excluded
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("no target of contract %s can take %s", e.Contract, e.Part)
}

// NoTargetError refuses a request that only fallbacks could take, none of which
// may. Nothing is stored.
type NoTargetError struct{ Excluded []jobstore.Excluded }

func (e *NoTargetError) Error() string { return "no target that can take the request may serve it" }

// unfit names the targets of a route that can't serve this input, with reason.
// A primary is bound only by what its API can say; a fallback also by what its
// conformance run can have shown (R24). Nobody is called.
//
// Requests under a contract with a prompt of its own have all the same parts, so
// that they are looked at once, when the router is made; each chat has its own.
func (r *Router) unfit(route *Route, input json.RawMessage) map[string]jobstore.Excluded {
	if !route.Contract.Chat {
		return route.unfit
	}
	return r.looked(route, input)
}

// looked asks every target of a route about one input.
func (r *Router) looked(route *Route, input json.RawMessage) map[string]jobstore.Excluded {
	out := map[string]jobstore.Excluded{}
	if need := route.Contract.Unproved(input); len(need) > 0 {
		for _, t := range route.Fallbacks {
			out[t] = jobstore.Excluded{Target: t, Code: codeAbilityUnproved, Reason: fmt.Sprintf(
				"the request needs %s, and no case of %s asks for that, so that no conformance run has proved it; add such a case and run conformance again",
				strings.Join(need, " and "), route.Contract.Ref())}
		}
	}
	for _, t := range route.Targets() {
		if u := r.unsupported(route, input, t); u != nil {
			out[t] = jobstore.Excluded{Target: t, Code: codeUnsupported, Reason: "it can't take " + u.Part + ": " + u.Reason}
		}
	}
	return out
}

// unsupported asks the target's adapter whether the request has words there.
func (r *Router) unsupported(route *Route, input json.RawMessage, target string) *providers.Unsupported {
	t := r.Targets[target]
	checker, ok := r.Providers[t.Provider].(providers.Checker)
	if !ok {
		return nil
	}
	req, err := providers.BuildRequest(route.Contract, input, t)
	if err != nil {
		return nil // the call will say so
	}
	var u *providers.Unsupported
	if errors.As(checker.Takes(req), &u) {
		return u
	}
	return nil
}

// refuseUnfit refuses a request that no target of its route can take, however
// eligible it is.
func (r *Router) refuseUnfit(route *Route, unfit map[string]jobstore.Excluded, input json.RawMessage) error {
	e := &UnsupportedError{Contract: route.Contract.Ref()}
	for _, t := range route.Targets() {
		no, bad := unfit[t]
		if !bad || no.Code != codeUnsupported {
			return nil
		}
		e.Excluded = append(e.Excluded, no)
	}
	if u := r.unsupported(route, input, route.Primary); u != nil {
		e.Part = u.Part
	}
	return e
}

// unfit is what the driver's job, as it was asked, bars targets with.
func (d *driver) unfit() map[string]jobstore.Excluded {
	input, err := inputOf(d.job.Intent)
	if err != nil {
		return nil // the call will say so
	}
	return d.r.unfit(d.f.route, input)
}

// and joins what bars targets; that a request can't be taken outweighs other reasons.
func and(barred, more map[string]jobstore.Excluded) map[string]jobstore.Excluded {
	out := maps.Clone(barred)
	if out == nil {
		out = map[string]jobstore.Excluded{}
	}
	maps.Copy(out, more)
	return out
}

// excluded lists what bars targets, in the route's order.
func excluded(route *Route, barred map[string]jobstore.Excluded) (all []jobstore.Excluded) {
	for _, t := range route.Targets() {
		if no, ok := barred[t]; ok {
			all = append(all, no)
		}
	}
	return slices.Clip(all)
}
