package failover

import (
	"net/http"
	"sync"

	"inferonce/providers/sim"
)

type gatewayStory struct {
	id, title, asks string
	run             func(*visit)
}

func gatewayStories() []gatewayStory {
	return []gatewayStory{
		{"gateway/double-click", "two clicks with one Idempotency-Key are one execution",
			"two identical requests at once while the provider works", gatewayClicks},
		{"gateway/impatient", "a caller who hangs up and asks again with the same key does not pay twice",
			"a request whose caller goes while the provider works; the same again", gatewayImpatient},
		{"gateway/timeout", "a provider that does the work and stays silent is not paid for a second time elsewhere",
			"a request whose first provider does the work and says nothing until the gateway has answered or the wait is over", gatewayTimeout},
		{"gateway/reset", "a connection lost after the work is not paid for a second time",
			"a request whose first provider does the work and resets the connection", gatewayLost(sim.Fault{Reset: sim.AfterBody})},
		{"gateway/schema-break", "an answer that breaks the schema does not reach the caller as a good one",
			"a request whose first provider answers JSON that breaks the schema", gatewayBad(sim.Fault{WrongSchema: true})},
		{"gateway/error-in-200", "an error inside a 200 does not reach the caller as a good answer",
			"a request whose first provider puts an error into a 200", gatewayBad(sim.Fault{ErrorIn200: true})},
		{"gateway/429", "a refusal leads to one execution elsewhere or later, or to an honest error",
			"a request whose first provider refuses with 429", gatewayBad(sim.Fault{Status: http.StatusTooManyRequests})},
	}
}

func (v *visit) first() string { return v.g.Providers[0] }

func gatewayClicks(v *visit) {
	gate := v.Gate()
	held := sim.Fault{Until: gate}
	v.Faults(v.first(), held, held)
	ctx, cancel := v.wait()
	defer cancel()
	var clicks, sent sync.WaitGroup
	answers := make([]Answer, 2)
	sent.Add(len(answers))
	v.sent = len(answers)
	for i := range answers {
		once := sync.OnceFunc(sent.Done)
		clicks.Go(func() {
			defer once()
			r := v.ask()
			r.sent = once
			answers[i] = v.api.do(ctx, r)
		})
	}
	sent.Wait()
	v.Arrived(gate)
	v.Open(gate)
	clicks.Wait()
	v.note("2 × POST /chat/completions at once: %s", tally(answers))
}

func gatewayImpatient(v *visit) {
	gate := v.Gate()
	v.Faults(v.first(), sim.Fault{Until: gate})
	ctx, hangUp := v.wait()
	defer hangUp()
	gone := make(chan struct{})
	v.sent++
	go func() {
		defer close(gone)
		v.api.do(ctx, v.ask())
	}()
	v.Arrived(gate)
	hangUp()
	<-gone
	v.note("POST /chat/completions: the caller hung up while the provider worked")
	// The second request may wait for the first one's work, so that goes on when
	// the second is on its way.
	again, stop := v.wait()
	defer stop()
	sent := make(chan struct{})
	r := v.ask()
	r.sent = sync.OnceFunc(func() { close(sent) })
	answered := make(chan Answer, 1)
	v.sent++
	go func() { answered <- v.api.do(again, r); r.sent() }()
	<-sent
	v.Open(gate)
	a := <-answered
	v.note("POST /chat/completions: %s", a.line())
}

func gatewayTimeout(v *visit) {
	gate := v.Gate()
	v.Faults(v.first(), sim.Fault{Late: sim.AtGate, Until: gate})
	v.send()
	v.Open(gate)
}

func gatewayLost(f sim.Fault) func(*visit) {
	return func(v *visit) {
		v.Faults(v.first(), f)
		v.send()
	}
}

// gatewayBad checks that a 200 holds an answer that fits.
func gatewayBad(f sim.Fault) func(*visit) {
	return func(v *visit) {
		v.Faults(v.first(), f)
		a := v.send()
		v.Check(a.Status != http.StatusOK || a.fits(), "what reached the caller as 200 is a good answer")
	}
}
