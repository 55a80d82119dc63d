package router

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// lab makes the scheduled runs of a story.
type lab struct {
	w     *world
	edit  func(a Assignment, r *contracts.Report)
	made  []string // "b quick 3h0m0s": target, mode, and when since the story began
	known *jobstore.Fingerprint
	begun time.Time
}

func (l *lab) run(_ context.Context, a Assignment) (contracts.Report, error) {
	l.w.seen.mu.Lock()
	defer l.w.seen.mu.Unlock()
	mode := map[bool]string{true: "certify", false: "quick"}[a.Certify]
	l.made = append(l.made, fmt.Sprintf("%s %s %s", a.Target, mode, time.Since(l.begun).Round(time.Hour)))
	l.known = a.Known
	var r contracts.Report
	err := json.Unmarshal(report(a.Contract, a.Target, contracts.Pass, began(now())), &r)
	r.Mode = mode
	if l.edit != nil {
		l.edit(a, &r)
	}
	return r, err
}

func (l *lab) set(edit func(a Assignment, r *contracts.Report)) {
	l.w.seen.mu.Lock()
	l.edit = edit
	l.w.seen.mu.Unlock()
}

func (l *lab) runs() string {
	l.w.seen.mu.Lock()
	defer l.w.seen.mu.Unlock()
	return strings.Join(l.made, ", ")
}

func (l *lab) pass(d time.Duration) {
	time.Sleep(d) // fake time
	synctest.Wait()
}

// inLab is a world of three routers that look at ticket-triage once an hour, in
// which b was proved with whatever proved says.
func inLab(t *testing.T, proved func(*contracts.Report), story func(w *world, l *lab)) {
	inWorld(t, func(w *world) {
		w.alone()
		l := &lab{w: w, begun: time.Now()}
		w.config.Canary = Canary{Every: time.Hour, Contracts: []string{w.contract("ticket-triage").Ref()}, Run: l.run}
		for i := range 3 {
			w.router = w.start(fmt.Sprint("router-canary-", i), w.open())
		}
		if _, err := w.router.AcceptReport(context.Background(), report(w.contract("ticket-triage"), "b", contracts.Pass, proved), "ci"); err != nil {
			t.Fatal(err)
		}
		story(w, l)
	})
}

func plainly(r *contracts.Report) { r.Finished = now() }

func failing(check string, n, ok int) func(Assignment, *contracts.Report) {
	return func(_ Assignment, r *contracts.Report) {
		r.Verdict, r.Reasons = contracts.Fail, []string{check}
		r.Checks[0] = contracts.ReportCheck{ID: check, Class: "H", Verdict: contracts.Fail, N: n, OK: ok}
	}
}

func TestScheduledRuns(t *testing.T) {
	inLab(t, plainly, func(w *world, l *lab) {
		l.pass(3*time.Hour + 10*time.Minute)
		if got, want := l.runs(), "b quick 0s, b quick 1h0m0s, b quick 2h0m0s, b quick 3h0m0s"; got != want {
			t.Fatalf("%s; want %s: one by three routers, and none of a, which has no pass", got, want)
		}
		l.set(failing("SEM-08", 3, 1))
		l.pass(time.Hour)
		if s := w.stands("b"); s.State != jobstore.Eligible {
			t.Fatalf("one failed run: %+v", s)
		}
		l.pass(time.Hour)
		if s := w.stands("b"); s.State != jobstore.Suspended || !strings.Contains(s.Reason, "scheduled runs try it from") {
			t.Fatalf("two failed runs: %+v", s)
		}
		e := w.log()[0]
		if e.By != "canary" || e.Evidence == nil || e.Evidence.Checks["SEM-08"] != 2 || len(e.Evidence.Report) != 64 || e.Report == "" ||
			e.Evidence.Rule != ruleFailed || e.EvidenceSHA256 != e.Evidence.Sum() || len(e.EvidenceSHA256) != 64 {
			t.Errorf("audit %+v with %+v", e, e.Evidence)
		}
		if w.seen.rules()[ruleFailed] != 1 {
			t.Errorf("observed %v", w.seen.rules())
		}
	})
}

// rules counts what moved eligibility.
func (r *recorder) rules() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]int{}
	for _, o := range r.list {
		if o.Event == EligibilityMoved && o.Rule != "" {
			all[o.Rule]++
		}
	}
	return all
}

func TestASuspendedPairIsProvedAnewByTheScheduleAndEverMoreSeldom(t *testing.T) {
	inLab(t, plainly, func(w *world, l *lab) {
		l.set(failing("SEM-08", 3, 1))
		l.pass(90 * time.Minute) // two looks, and suspended
		if got := l.runs(); got != "b quick 0s, b quick 1h0m0s" || w.stands("b").State != jobstore.Suspended {
			t.Fatalf("%s, %+v", got, w.stands("b"))
		}
		l.pass(50 * time.Hour)
		s := w.stands("b")
		if s.State != jobstore.Revoked || !strings.Contains(s.Reason, "--mode certify") {
			t.Errorf("a quick run failed after the suspension: %+v", s)
		}
		// An hour after the suspension, then 1, 2, 4, 8 and 16 hours after the try before.
		want := "b quick 0s, b quick 1h0m0s, b quick 2h0m0s, b certify 3h0m0s, b certify 5h0m0s, b certify 9h0m0s, b certify 17h0m0s, b certify 33h0m0s"
		if got := l.runs(); got != want {
			t.Errorf("runs\n%s, want\n%s", got, want)
		}
		l.set(nil)
		l.pass(8 * time.Hour)
		if s := w.stands("b"); s.State != jobstore.Eligible || s.Record.By != "canary" || s.Record.Proof.Mode != "certify" {
			t.Errorf("after a certify run that passed: %+v", s)
		}
	})
}

func TestAQuickPassAfterASuspensionIsNotEnoughForTheSchedule(t *testing.T) {
	inLab(t, plainly, func(w *world, l *lab) {
		l.set(failing("SEM-08", 3, 1))
		l.pass(90 * time.Minute)
		l.set(func(a Assignment, r *contracts.Report) {
			if a.Certify {
				failing("SEM-01", 100, 80)(a, r)
			}
		})
		l.pass(time.Hour)
		if s := w.stands("b"); s.State != jobstore.Revoked || !s.Record.Certify || !strings.HasSuffix(l.runs(), "b quick 2h0m0s, b certify 2h0m0s") {
			t.Errorf("%s, %+v", l.runs(), s)
		}
	})
}

func TestAPairThatComesBackAndDriftsAgainIsHeldOffLonger(t *testing.T) {
	named := func(r *contracts.Report) { r.Model.Served = []string{"mb"} }
	inLab(t, named, func(w *world, l *lab) {
		l.set(func(a Assignment, r *contracts.Report) { // it proves well, and is another model as soon as it may take over
			r.Model.Served = []string{"mb"}
			if w.stands("b").Eligible {
				r.Model.Served = []string{"another"}
			}
		})
		l.pass(60 * time.Hour)
		var grants []time.Duration
		for _, e := range w.log() { // newest first
			if e.Action == "grant" && e.By == "canary" {
				grants = append(grants, e.At.Sub(l.begun).Round(time.Hour))
			}
		}
		// Back an hour after the first suspension; the next tries come 1, 2, 4, 8 and 16 hours later, and then a day.
		if want := "[56h0m0s 32h0m0s 16h0m0s 8h0m0s 4h0m0s 2h0m0s 1h0m0s]"; fmt.Sprint(grants) != want {
			t.Errorf("granted after %v, want %s; runs: %s", grants, want, l.runs())
		}
	})
}

func TestAPassIsRenewedBeforeItExpires(t *testing.T) {
	const day = 24 * time.Hour
	inLab(t, plainly, func(w *world, l *lab) {
		s := w.stands("b")
		if got := s.RenewFrom.Sub(s.Record.Proof.Issued); got != 5*day {
			t.Fatalf("renewed from %s after its issue, want day 5 of 7", got)
		}
		was := s.Record.Proof.Expires
		l.pass(5*day - time.Hour)
		if strings.Contains(l.runs(), "certify") {
			t.Fatalf("renewed early: %s", l.runs())
		}
		l.set(func(a Assignment, r *contracts.Report) {
			if a.Certify {
				r.Verdict = contracts.Inconclusive
			}
		})
		l.pass(5 * time.Hour)
		if n := strings.Count(l.runs(), "certify"); n != 3 || !w.stands("b").Eligible {
			t.Fatalf("%d tries in four hours that were inconclusive; want them after 0, 1 and 3 hours", n)
		}
		l.set(nil)
		l.pass(6 * time.Hour)
		if s := w.stands("b"); !s.Record.Proof.Expires.After(was) || s.Record.By != "canary" || !s.Eligible {
			t.Errorf("%+v", s)
		}
	})
}

func TestAModelThatIsGoneIsRevoked(t *testing.T) {
	gone := contracts.Failure{Class: contracts.NotFound, Effect: contracts.None, Status: 404, Detail: "The model `mb` does not exist"}
	t.Run("by a live call", func(t *testing.T) {
		inDrift(t, func(w *world) {
			w.a.answer = fails(refusal)
			w.b.answer = fails(gone)
			w.traffic("k", 1)
			w.settled()
			s := w.stands("b")
			if s.State != jobstore.Revoked || !s.Record.Certify || !strings.Contains(s.Reason, "no such model") {
				t.Errorf("%+v", s)
			}
			if e := w.log()[0]; e.Action != "revoke" || e.By != "drift" || e.Evidence.Rule != ruleGone || strings.Contains(fmt.Sprint(e, e.Evidence), "does not exist") {
				t.Errorf("audit %+v with %+v", e, e.Evidence)
			}
		})
	})
	t.Run("not by an address that is gone", func(t *testing.T) {
		inDrift(t, func(w *world) {
			w.a.answer = fails(refusal)
			w.b.answer = fails(contracts.Failure{Class: contracts.NotFound, Effect: contracts.None, Status: 404, Detail: "404 page not found"})
			w.traffic("k", 1)
			w.settled()
			if s := w.stands("b"); s.State != jobstore.Eligible {
				t.Errorf("%+v", s)
			}
		})
	})
	t.Run("by a scheduled run", func(t *testing.T) {
		inLab(t, plainly, func(w *world, l *lab) {
			l.set(func(_ Assignment, r *contracts.Report) { r.Verdict, r.Gone = contracts.Inconclusive, true })
			l.pass(10 * time.Minute)
			if s := w.stands("b"); s.State != jobstore.Revoked || w.log()[0].By != "canary" {
				t.Errorf("%+v", s)
			}
		})
	})
}

func TestALiveSystemFingerprintThatTheProofDoesNotHaveSuspends(t *testing.T) {
	inDrift(t, func(w *world) {
		time.Sleep(time.Second)
		marked := func(r *contracts.Report) { r.Model.SystemFingerprints = []string{"fp_1", "fp_2"} }
		if _, err := w.router.AcceptReport(context.Background(), report(w.contract("ticket-triage"), "a", contracts.Pass, marked), "ci"); err != nil {
			t.Fatal(err)
		}
		with := func(system string) reply {
			return func(context.Context, providers.Request) (contracts.Completion, error) {
				c := okay
				c.SystemFingerprint = system
				return c, nil
			}
		}
		for _, known := range []string{"fp_1", "fp_2", ""} {
			w.a.answer = with(known)
			w.traffic("known"+known, 1)
			w.settled()
			if s := w.stands("a"); s.State != jobstore.Eligible {
				t.Fatalf("after %q: %+v", known, s)
			}
		}
		w.a.answer = with("fp_3")
		w.traffic("other", 1)
		w.settled()
		s, e := w.stands("a"), w.log()[0]
		if s.State != jobstore.Suspended || !s.Record.Certify || e.Evidence.Rule != ruleSystem || e.Evidence.System != hashed("fp_3") {
			t.Errorf("%+v, audit %+v with %+v", s, e, e.Evidence)
		}
	})
}
