package router

import (
	"fmt"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

func TestNext(t *testing.T) {
	const s = time.Second
	fail := func(target string, c contracts.Class, e contracts.Effect) jobstore.Attempt {
		return jobstore.Attempt{Target: target, State: jobstore.AttemptFailed, Failure: &contracts.Failure{Class: c, Effect: e}}
	}
	refused := func(target string) jobstore.Attempt { return fail(target, contracts.Overloaded, contracts.None) }
	silent := func(target string) jobstore.Attempt {
		a := fail(target, contracts.Timeout, contracts.Open)
		a.State = jobstore.AttemptUnknown
		return a
	}
	settled := func(target string) jobstore.Attempt {
		a := fail(target, contracts.Timeout, contracts.None)
		a.Settlement = &jobstore.Settlement{As: jobstore.NotExecuted, By: "ops"}
		return a
	}
	race := contracts.UnknownPolicy{Action: contracts.UnknownRaceAfter, After: s}
	wait := refused("a")
	wait.Failure.RetryAfter = 20 * s
	for _, row := range []struct {
		says     string
		attempts []jobstore.Attempt
		left     time.Duration
		policy   contracts.UnknownPolicy
		barred   string
		effects  contracts.Effects
		want     string
	}{
		{says: "the first attempt goes to the primary", left: 30 * s, want: "begin a"},
		{says: "no attempt begins without the time it needs", left: s, want: "deadline_exceeded"},
		{says: "a refusal goes to the next target at once", attempts: []jobstore.Attempt{refused("a")}, left: 30 * s, want: "begin b"},
		{says: "a barred fallback is passed over", attempts: []jobstore.Attempt{refused("a")}, left: 30 * s, barred: "b", want: "begin c"},
		{says: "with all fallbacks barred the primary is tried again", attempts: []jobstore.Attempt{refused("a")}, left: 30 * s, barred: "bc", want: "begin a after 125ms"},
		{says: "a dead primary and barred fallbacks end the job, and say why", attempts: []jobstore.Attempt{fail("a", contracts.Auth, contracts.None)}, left: 30 * s, barred: "bc", want: "no_eligible_fallback without b c"},
		{says: "a dead target is never asked again", attempts: []jobstore.Attempt{fail("a", contracts.Auth, contracts.None), refused("b"), refused("c")}, left: 30 * s, want: "begin b after 125ms"},
		{says: "the intent's fault ends it at once", attempts: []jobstore.Attempt{fail("a", contracts.InvalidRequest, contracts.None)}, left: 30 * s, want: "job_failed"},
		{says: "what is unknown holds", attempts: []jobstore.Attempt{silent("a")}, left: 30 * s, want: "hold"},
		{says: "what is unknown holds, even when an earlier one failed", attempts: []jobstore.Attempt{refused("a"), silent("b")}, left: 30 * s, want: "hold"},
		{says: "a race begins beside it where the contract says so", attempts: []jobstore.Attempt{silent("a")}, left: 30 * s, policy: race, want: "race b"},
		{says: "a race needs a proven target", attempts: []jobstore.Attempt{silent("a")}, left: 30 * s, policy: race, barred: "bc", want: "hold"},
		{says: "a race needs time", attempts: []jobstore.Attempt{silent("a")}, left: s, policy: race, want: "hold"},
		{says: "two silent ones may be raced by a third", attempts: []jobstore.Attempt{silent("a"), silent("b")}, left: 30 * s, policy: race, want: "race c"},
		{says: "a stated wait that does not fit ends it", attempts: []jobstore.Attempt{fail("b", contracts.Auth, contracts.None), fail("c", contracts.Auth, contracts.None), wait}, left: 15 * s, want: "deadline_exceeded"},
		{says: "attempts are bounded in number", attempts: []jobstore.Attempt{refused("a"), refused("b"), refused("c"), refused("a")}, left: 30 * s, want: "job_failed"},
		{says: "what an operator settled does not count", attempts: []jobstore.Attempt{settled("a"), settled("a"), settled("a"), settled("a")}, left: 30 * s, want: "begin b"},
		{says: "with external effects nothing follows what ran", attempts: []jobstore.Attempt{fail("a", contracts.BadResponse, contracts.Ended)}, left: 30 * s, effects: contracts.EffectsExternal, want: "job_failed"},
		{says: "with external effects a refusal falls over", attempts: []jobstore.Attempt{refused("a")}, left: 30 * s, effects: contracts.EffectsExternal, want: "begin b"},
	} {
		t.Run(row.says, func(t *testing.T) {
			sit := situation{route: &Route{Primary: "a", Fallbacks: []string{"b", "c"}, Attempts: 4, Needs: s, Connect: s},
				effects: contracts.EffectsNone, policy: row.policy, attempts: row.attempts, left: row.left, random: 0.5, barred: map[string]jobstore.Excluded{}}
			if row.effects != "" {
				sit.effects = row.effects
			}
			for _, b := range row.barred {
				sit.barred[string(b)] = jobstore.Excluded{Target: string(b), Code: "not_proved"}
			}
			if got := describe(next(sit)); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func describe(s step) string {
	switch {
	case s.fail != nil:
		text := s.fail.Code
		for i, e := range s.fail.Excluded {
			if i == 0 {
				text += " without"
			}
			text += " " + e.Target
		}
		return text
	case s.race:
		return "race " + s.target
	case s.target == "":
		return "hold"
	case s.wait > 0:
		return fmt.Sprintf("begin %s after %s", s.target, s.wait)
	}
	return "begin " + s.target
}
