package router

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

func TestWhatAFailureSaysOfItsTarget(t *testing.T) {
	for class, want := range map[contracts.Class]outcome{
		contracts.Overloaded: didBadly, contracts.Connection: didBadly, contracts.ProviderError: didBadly, contracts.Timeout: didBadly,
		contracts.Truncated: didBadly, contracts.BadResponse: didBadly,
		contracts.InvalidRequest: saysNothing, contracts.ContentFiltered: saysNothing, contracts.ContractViolation: saysNothing,
		contracts.Auth: saysNothing, contracts.QuotaExhausted: saysNothing, contracts.RateLimited: saysNothing, contracts.ContextLength: saysNothing,
	} {
		if got := outcomeOf(&contracts.Failure{Class: class}, true); got != want {
			t.Errorf("%s: %v, want %v", class, got, want)
		}
	}
	if outcomeOf(nil, true) != didWell || outcomeOf(nil, false) != saysNothing {
		t.Error("an answer does well, and a call that was not made says nothing")
	}
}

func TestHowLongAFailureHasItsTargetRest(t *testing.T) {
	for _, row := range []struct {
		name string
		f    *contracts.Failure
		want time.Duration
	}{
		{"an answer: not at all", nil, 0},
		{"throttled without a wait: a second", &contracts.Failure{Class: contracts.RateLimited}, time.Second},
		{"throttled with a wait: that long", &contracts.Failure{Class: contracts.RateLimited, RetryAfter: 7 * time.Second}, 7 * time.Second},
		{"a mistaken wait takes nobody out for a day", &contracts.Failure{Class: contracts.RateLimited, RetryAfter: 24 * time.Hour}, time.Minute},
		{"overloaded with a wait: that long", &contracts.Failure{Class: contracts.Overloaded, RetryAfter: 2 * time.Second}, 2 * time.Second},
		{"overloaded without one: the breaker sees to it", &contracts.Failure{Class: contracts.Overloaded}, 0},
		{"out of money: a wait changes nothing", &contracts.Failure{Class: contracts.QuotaExhausted, RetryAfter: time.Second}, 0},
	} {
		if got := restFor(row.f); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

func TestAnOpenBreakerSendsJobsElsewhereAndAProbeBringsTheTargetBack(t *testing.T) {
	inWorld(t, func(w *world) {
		w.prove()
		w.a.answer = fails(refusal)
		for _, j := range w.traffic("opens", 5) {
			w.expect(j, "succeeded by 2: a failed, b succeeded")
		}
		w.a.answer = says(`{"category":"card","urgent":false}`)
		for _, j := range w.traffic("elsewhere", 5) {
			w.expect(j, "succeeded by 1: b succeeded")
		}
		time.Sleep(31 * time.Second)
		for _, j := range w.traffic("back", 2) {
			w.expect(j, "succeeded by 1: a succeeded")
		}
	})
}

func TestAProbeThatFailsLeavesTheTargetAloneAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		w.prove()
		w.a.answer = fails(refusal)
		w.traffic("opens", 5)
		time.Sleep(31 * time.Second)
		w.expect(w.traffic("probe", 1)[0], "succeeded by 2: a failed, b succeeded")
		w.expect(w.traffic("elsewhere", 1)[0], "succeeded by 1: b succeeded")
	})
}

func TestWhereEveryBreakerIsOpenTheTargetsAreStillTheLastResort(t *testing.T) {
	inWorld(t, func(w *world) {
		w.prove()
		w.a.answer, w.b.answer = fails(refusal), fails(refusal)
		w.traffic("opens", 6)
		w.a.answer = says(`{"category":"card","urgent":false}`)
		w.expect(w.traffic("resort", 1)[0], "succeeded by 1: a succeeded")
	})
}

func TestSilenceCountsAgainstItsTargetAtOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		w.prove()
		w.a.answer = after(time.Hour, says(`{"category":"card","urgent":false}`))
		for i := range 5 {
			w.expect(w.infer(w.router, "ticket-triage", fmt.Sprint("silent", i), 30*time.Second), "unknown: a unknown")
		}
		w.expect(w.traffic("elsewhere", 1)[0], "succeeded by 1: b succeeded")
	})
}

// meter is a provider that lets so many calls a second through and refuses the others.
type meter struct {
	mu      sync.Mutex
	every   time.Duration // one call each
	burst   time.Duration
	next    time.Time // theoretical arrival of the next call
	asked   []time.Time
	refused int
}

func (m *meter) answer(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	m.mu.Lock()
	now := time.Now()
	m.asked = append(m.asked, now)
	if m.next.Before(now) {
		m.next = now
	}
	full := m.next.Sub(now) > m.burst
	if full {
		m.refused++
	} else {
		m.next = m.next.Add(m.every)
	}
	m.mu.Unlock()
	if full {
		return contracts.Completion{}, &contracts.Failure{Class: contracts.RateLimited, Effect: contracts.None, Status: 429, RetryAfter: time.Second}
	}
	return says(`{"category":"card","urgent":false}`)(ctx, r)
}

// within counts the calls of a span that began at start.
func (m *meter) within(start time.Time, span time.Duration) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, at := range m.asked {
		if !at.Before(start) && at.Before(start.Add(span)) {
			n++
		}
	}
	return n
}

// Three routers with three times the load that a target takes: what reaches it
// stays near what it allows, and what it refuses goes elsewhere.
func TestAStormOfRefusalsIsNoStormOfCalls(t *testing.T) {
	inWorld(t, func(w *world) {
		w.prove()
		const allowed, seconds = 10, 60
		m := &meter{every: time.Second / allowed, burst: time.Second / allowed}
		w.a.answer = m.answer
		w.config.Poll = time.Second // as it is by default
		fleet := []*Router{w.start("first", w.open()), w.start("second", w.open()), w.start("third", w.open())}
		start := time.Now()
		var jobs sync.WaitGroup
		for tick := range 30 * seconds {
			time.Sleep(time.Second / 30)
			r := fleet[tick%3]
			jobs.Go(func() {
				if j := w.infer(r, "ticket-triage", fmt.Sprint("storm", tick), 20*time.Second); j.State != jobstore.JobSucceeded {
					t.Errorf("job %d is %s: %+v", tick, j.State, j.Error)
				}
			})
		}
		jobs.Wait()
		total := m.within(start, seconds*time.Second)
		t.Logf("%d calls in %d s where %d are allowed, %d of them refused", total, seconds, allowed*seconds, m.refused)
		if float64(total) > 1.2*allowed*seconds {
			t.Errorf("%d calls reached the target, which allows %d", total, allowed*seconds)
		}
		if total < allowed*seconds/4 {
			t.Errorf("only %d calls reached the target, which allows %d: it is left alone too long", total, allowed*seconds)
		}
	})
}
