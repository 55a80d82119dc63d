package router

import (
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestDecide(t *testing.T) {
	const none, external = contracts.EffectsNone, contracts.EffectsExternal
	for _, row := range []struct {
		says    string
		class   contracts.Class
		effect  contracts.Effect
		effects contracts.Effects
		want    verdict
	}{
		{"silence after sending may still be running", contracts.Timeout, contracts.Open, none, mustHold},
		{"a lost connection after sending may still be running", contracts.Connection, contracts.Open, none, mustHold},
		{"whatever is open holds, whatever the class says", contracts.InvalidRequest, contracts.Open, none, mustHold},
		{"a class that nobody knows holds", contracts.Class("new"), contracts.None, none, mustHold},
		{"an invalid request is the intent's fault", contracts.InvalidRequest, contracts.None, none, endJob},
		{"filtered content is the intent's fault", contracts.ContentFiltered, contracts.Ended, none, endJob},
		{"a bad key is the target's fault", contracts.Auth, contracts.None, none, leaveTarget},
		{"an exhausted quota is the target's fault", contracts.QuotaExhausted, contracts.None, none, leaveTarget},
		{"a model that is gone is the target's fault", contracts.NotFound, contracts.None, none, leaveTarget},
		{"another model may take a longer prompt", contracts.ContextLength, contracts.None, none, leaveTarget},
		{"the same model would break the contract again", contracts.ContractViolation, contracts.Ended, none, leaveTarget},
		{"a refusal by rate may be tried again", contracts.RateLimited, contracts.None, none, tryAgain},
		{"a connection that never came about may be tried again", contracts.Connection, contracts.None, none, tryAgain},
		{"a provider's own error is over, and repeating is harmless", contracts.ProviderError, contracts.Ended, none, tryAgain},
		{"with external effects nothing follows what ran", contracts.ProviderError, contracts.Ended, external, endJob},
		{"with external effects nothing follows a broken contract", contracts.ContractViolation, contracts.Ended, external, endJob},
		{"with external effects a refusal ran nothing", contracts.Overloaded, contracts.None, external, tryAgain},
		{"with external effects a bad key ran nothing", contracts.Auth, contracts.None, external, leaveTarget},
	} {
		t.Run(row.says, func(t *testing.T) {
			if got := decide(&contracts.Failure{Class: row.class, Effect: row.effect}, row.effects); got != row.want {
				t.Errorf("got %d, want %d", got, row.want)
			}
		})
	}
	if decide(nil, none) != mustHold {
		t.Error("no failure on record: nobody knows, so it holds")
	}
}

func TestWaitFor(t *testing.T) {
	limited := contracts.Failure{Class: contracts.RateLimited, Effect: contracts.None}
	stated := contracts.Failure{Class: contracts.RateLimited, Effect: contracts.None, RetryAfter: 20 * time.Second}
	lost := contracts.Failure{Class: contracts.Connection, Effect: contracts.None}
	for _, row := range []struct {
		says        string
		f           contracts.Failure
		n           int
		random      float64
		least, most time.Duration
	}{
		{"full jitter may wait nothing", lost, 1, 0, 0, 0},
		{"full jitter stays under the base at first", lost, 1, 0.999, 0, 250 * time.Millisecond},
		{"it doubles", lost, 3, 0.999, 990 * time.Millisecond, time.Second},
		{"it is capped", lost, 50, 0.999, 7 * time.Second, 8 * time.Second},
		{"after a refusal by rate half of it is certain", limited, 3, 0, 500 * time.Millisecond, 500 * time.Millisecond},
		{"a stated wait is a floor", stated, 1, 0, 20 * time.Second, 20 * time.Second},
		{"and jitter on it is small", stated, 9, 0.999, 20 * time.Second, 22 * time.Second},
	} {
		t.Run(row.says, func(t *testing.T) {
			if got := waitFor(&row.f, row.n, row.random); got < row.least || got > row.most {
				t.Errorf("got %s, want %s to %s", got, row.least, row.most)
			}
		})
	}
}

func TestLimitsLieWithinTheirParents(t *testing.T) {
	route := &Route{Connect: 2 * time.Second, FirstByte: 10 * time.Second, AnswerWithin: 20 * time.Second, Needs: time.Second}
	for left := -time.Second; left < 40*time.Second; left += 100 * time.Millisecond {
		l := limitsFor(route, left)
		if l.connect > l.firstByte || l.firstByte > l.answerWithin || l.answerWithin > max(left-reserve, 0) && left < 20*time.Second {
			t.Fatalf("with %s left: %+v", left, l)
		}
	}
	for _, row := range []struct {
		says       string
		left, wait time.Duration
		want       bool
	}{
		{"what it needs and the reserve is just enough", 1250 * time.Millisecond, 0, true},
		{"less is not", 1249 * time.Millisecond, 0, false},
		{"a wait counts", 6 * time.Second, 5 * time.Second, false},
	} {
		t.Run(row.says, func(t *testing.T) {
			if enough(route, row.left, row.wait) != row.want {
				t.Errorf("want %v", row.want)
			}
		})
	}
}

func TestWhereAProviderHasAnotherKeyTheTargetIsTriedAgain(t *testing.T) {
	for _, class := range []contracts.Class{contracts.Auth, contracts.QuotaExhausted} {
		if got := decide(&contracts.Failure{Class: class, Effect: contracts.None, Code: contracts.CodeAnotherKey}, contracts.EffectsNone); got != tryAgain {
			t.Errorf("%s: %v, want %v", class, got, tryAgain)
		}
	}
}

func TestADeadKeyCostsAnAttemptAndNotTheTarget(t *testing.T) {
	inWorld(t, func(w *world) {
		dead, live := &scripted{answer: fails(contracts.Failure{Class: contracts.Auth, Effect: contracts.None, Status: 401})}, &scripted{answer: good}
		w.config.Providers["a"] = providers.NewPool([]providers.Member{{Name: "dead", Weight: 1000000, Provider: dead}, {Name: "live", Weight: 1, Provider: live}}, nil)
		r := w.start("pooled", w.open())
		w.expect(w.infer(r, "ticket-triage", "k", time.Minute), "succeeded by 2: a failed, a succeeded")
		w.expect(w.infer(r, "ticket-triage", "k2", time.Minute), "succeeded by 1: a succeeded")
		if len(dead.ran()) != 1 || len(live.ran()) != 2 {
			t.Errorf("the dead key made %d calls, the live one %d", len(dead.ran()), len(live.ran()))
		}
	})
}
