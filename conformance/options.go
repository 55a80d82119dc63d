package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

// The modes.
const (
	Quick   = "quick"   // three repeats of each case
	Certify = "certify" // at least twenty cases, five repeats of each
)

// What the modes ask for.
const (
	quickRepeats   = 3
	certifyRepeats = 5
	certifyCases   = 20
)

// Options say what to run. Target, Provider, Contract and Mode are needed.
type Options struct {
	Target   providers.Target
	Provider providers.Provider
	Contract *contracts.Contract
	Mode     string // Quick or Certify
	// Repeats of each case; 0: the mode's own number, which is also the least.
	Repeats int
	// Cases picks cases by id; empty: all. A run of some cases can fail the pair
	// and never passes it. Certify takes no pick.
	Cases []string
	// Served are names, beside the target's own, under which the model may say
	// that it answered.
	Served []string
	// Concurrency is how many calls may be open at once; 0: 1.
	Concurrency int
	// KeepGoing runs everything, where otherwise the first hard failure ends the
	// suite.
	KeepGoing bool
	// Seed orders the runs, at most 2^53; 0 draws one. The report names it.
	Seed uint64
	// MaxRequests bounds the calls, repeats of blocked ones included; 0: no bound
	// but that of the suite, which gives up when over 10 percent are blocked.
	MaxRequests int
	// Price, if set, is what the provider asks for an answer, in millionths of a US
	// dollar; false where that can't be said, as for counts that were not reported.
	Price func(contracts.Usage) (microUSD int64, known bool)
	// MaxCost bounds what the suite spends, in millionths of a US dollar, and needs
	// Price; 0: no bound. A call begins only while all that are open, each as dear
	// as the dearest so far, stay within it.
	MaxCost int64
	// Deadline ends the suite; zero: none but the context's.
	Deadline time.Time
	// CallTime bounds one call; 0: one minute.
	CallTime time.Duration
	// Backoff is the wait before a blocked call is made again, doubled for the
	// third; 0: one second. A longer wait that the provider asks for is kept.
	Backoff time.Duration
	// Profile says which part of JSON Schema the target takes; the zero profile
	// takes all of it and enforces nothing.
	Profile SchemaProfile
	// Calls says how the provider's answers with calls differ from the usual.
	Calls CallProfile
	// Baseline is how the target counted tokens when it was last certified; nil
	// where it was not.
	Baseline *TokenCount
	// Recognise takes the whole fingerprint in mode quick too, which costs four calls
	// more, and up to twenty where the target counts otherwise than Baseline.
	Recognise bool
	// BaseHost is where the target's provider is reached, for the record.
	BaseHost string
	// Variant, if set, returns a client of the same provider for a request that has
	// to fail, such as one with a wrong key; nil for kinds that it does not have.
	// Checks that need one do not apply without it: nobody's account is troubled
	// with refused calls unasked.
	Variant func(Kind) providers.Provider
	// ReadRecorded, if set, reads a recorded answer of chat completions as the target's
	// adapter reads a live one. Without it the adapter's own tests have to prove it.
	ReadRecorded func(RecordedAnswer) (contracts.Completion, error)
	// StoreContent puts answers, and providers' own words, into the report.
	StoreContent bool
	// Secrets are texts that must not stand in the report wherever they came
	// from, such as the provider's key.
	Secrets []string
	// Progress, if set, is told of every run that ended. Its calls do not overlap,
	// and the suite waits for them.
	Progress func(Progress)

	lint []contracts.Finding // about Contract
}

// Progress is how far a suite has come.
type Progress struct {
	Done, Planned, Infra int
	Case                 string // the case of the run that ended
	Check                string // the check it failed, "" if none
	MicroUSD             int64  // spent so far; 0 where there is no price
}

// complete fills in what was left out and refuses what can't be run.
func (o Options) complete() (Options, error) {
	least, known := map[string]int{Quick: quickRepeats, Certify: certifyRepeats}[o.Mode]
	o.Repeats = cmp.Or(o.Repeats, least)
	o.Concurrency = cmp.Or(o.Concurrency, 1)
	o.CallTime = cmp.Or(o.CallTime, time.Minute)
	o.Backoff = cmp.Or(o.Backoff, time.Second)
	if o.Seed == 0 {
		o.Seed = 1 + rand.Uint64N(1<<31) // short enough to be typed again
	}
	switch {
	case o.Provider == nil || o.Contract == nil:
		return o, errors.New("conformance: a provider and a contract are needed")
	case !known:
		return o, fmt.Errorf("conformance: mode %q is unknown; use quick or certify", o.Mode)
	case o.Repeats < least:
		return o, fmt.Errorf("conformance: %s needs at least %d repeats", o.Mode, least)
	case o.Seed > 1<<53:
		return o, errors.New("conformance: the seed is beyond 2^53")
	case o.Concurrency < 0 || o.MaxRequests < 0 || o.CallTime < 0 || o.Backoff < 0:
		return o, errors.New("conformance: concurrency, requests and times can't be negative")
	case o.MaxCost < 0 || o.MaxCost > 0 && o.Price == nil:
		return o, errors.New("conformance: a bound on cost needs a price, and can't be negative")
	case o.Mode == Certify && len(o.Cases) > 0:
		return o, errors.New("conformance: certify runs all cases; use quick to run some")
	}
	return o, o.checkCases()
}

func (o Options) checkCases() error {
	for _, id := range o.Cases {
		if !slices.ContainsFunc(o.Contract.Cases, func(c contracts.Case) bool { return c.ID == id }) {
			return fmt.Errorf("conformance: %s has no case %q", o.Contract.Ref(), id)
		}
	}
	return nil
}

// picked are the cases to run, in the contract's order.
func (o Options) picked() []contracts.Case {
	if len(o.Cases) == 0 {
		return o.Contract.Cases
	}
	return slices.DeleteFunc(slices.Clone(o.Contract.Cases), func(c contracts.Case) bool { return !slices.Contains(o.Cases, c.ID) })
}
