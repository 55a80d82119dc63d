package sim

import (
	"fmt"
	"net"
	"testing"
	"time"
)

func TestWorkGoesOnWithoutItsCaller(t *testing.T) {
	for _, tt := range []struct {
		name, fault    string
		executedAtGate bool
		executed       bool
	}{
		{"late work is done before the caller goes", `{"late":true,"until":"g"}`, true, true},
		{"delayed work is done after the caller went", `{"delay":true,"until":"g"}`, false, true},
		{"until alone delays", `{"until":"g"}`, false, true},
		{"a delayed refusal runs nothing", `{"until":"g","status":503}`, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, Options{})
			ctx, q := within(t), Query{Job: "job_1"}
			b.faults("[" + tt.fault + "]")
			conn := b.dial(triage("x"), caller("job_1", 1))
			if err := b.WaitGate(ctx, "g"); err != nil {
				t.Fatal(err)
			}
			if e := b.only(q); e.Executed != tt.executedAtGate || !e.Listening || e.Ended != nil {
				t.Errorf("at the gate: %+v", e)
			}
			conn.Close()
			if _, err := b.Await(ctx, q, Gone, 1); err != nil {
				t.Fatal(err)
			}
			b.OpenGate("g")
			if _, err := b.Await(ctx, q, Ended, 1); err != nil {
				t.Fatal(err)
			}
			if e := b.only(q); e.Executed != tt.executed || e.Usable != tt.executed || e.Listening {
				t.Errorf("after it: %+v", e)
			}
		})
	}
}

func TestLateAnswerIsHeardByWhoeverStays(t *testing.T) {
	b := start(t, Options{})
	b.faults(`[{"late":true,"until":"g"}]`)
	answer := make(chan string)
	go func() {
		raw, _ := b.raw(triage("x"), caller("job_1", 1))
		answer <- raw
	}()
	if err := b.WaitGate(within(t), "g"); err != nil {
		t.Fatal(err)
	}
	b.OpenGate("g")
	if got := content(t, <-answer); got != good {
		t.Errorf("content %q", got)
	}
	if e := b.only(Query{}); !e.Listening || !e.Executed || e.Fault != "late" {
		t.Errorf("ledger %+v", e)
	}
}

func TestCallerThatLeavesDuringTheAnswerIsNoted(t *testing.T) {
	b := start(t, Options{})
	if err := b.SetFaults("a", Fault{Huge: MaxHuge}); err != nil {
		t.Fatal(err)
	}
	conn := b.dial(triage("x"))
	if _, err := b.Await(within(t), Query{}, Ended, 1); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if _, err := b.Await(within(t), Query{}, Gone, 1); err != nil {
		t.Error(err)
	}
}

func TestHangEndsWithItsCallerAndRunsNothing(t *testing.T) {
	b := start(t, Options{})
	b.faults(`[{"hang":true}]`)
	conn := b.dial(triage("x"), caller("job_1", 1))
	if _, err := b.Await(within(t), Query{Job: "job_1"}, Started, 1); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if _, err := b.Await(within(t), Query{Job: "job_1"}, Ended, 1); err != nil {
		t.Fatal(err)
	}
	if e := b.only(Query{}); e.Executed || e.Listening || e.Status != 0 || e.Fault != "hang" {
		t.Errorf("ledger %+v", e)
	}
}

func TestHangAtAGateEndsWithoutAnAnswerWhenItOpens(t *testing.T) {
	b := start(t, Options{})
	b.faults(`[{"hang":true,"until":"g"}]`)
	b.OpenGate("g")
	if raw, err := b.raw(triage("x")); raw != "" || err != nil {
		t.Errorf("received %q, %v", raw, err)
	}
	if e := b.only(Query{}); e.Executed || e.Ended == nil {
		t.Errorf("ledger %+v", e)
	}
}

func TestCloseEndsWhatWaitsAndUndoesNothing(t *testing.T) {
	b := start(t, Options{})
	b.faults(`[{"hang":true,"until":"h"},{"until":"d"},{"late":true,"until":"l"},{"delay":"10m"}]`)
	ends := make(chan string)
	for n := range 4 {
		go func() {
			raw, _ := b.raw(triage("x"), caller(fmt.Sprint("job_", n), 1))
			ends <- raw
		}()
		if _, err := b.Await(within(t), Query{}, Started, n+1); err != nil {
			t.Fatal(err)
		}
	}
	for _, gate := range []string{"h", "d", "l"} {
		if err := b.WaitGate(within(t), gate); err != nil {
			t.Fatal(err)
		}
	}
	b.Server.Close()
	b.Server.Close() // a repeat changes nothing
	for range 4 {
		if raw := <-ends; raw != "" {
			t.Errorf("received %q", raw)
		}
	}
	for n, executed := range []bool{false, false, true, false} {
		if e := b.only(Query{Job: fmt.Sprint("job_", n)}); e.Executed != executed || e.Ended == nil {
			t.Errorf("job_%d: %+v", n, e)
		}
	}
	if status, _ := b.order("GET", "/sim/ledger", ""); status != 503 {
		t.Errorf("after Close: %d", status)
	}
}

func TestCloseDoesNotWaitForCallersThatStall(t *testing.T) {
	for _, tt := range []struct {
		name, fault, body string
		stage             Stage
	}{
		{"a body that never comes", `{}`, "", Started},
		{"half a body that never comes", `{"reset":"half_body"}`, "", Started},
		{"an answer that nobody reads", `{"huge":1073741824}`, triage("x"), Executed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, Options{})
			b.faults("[" + tt.fault + "]")
			conn, err := net.Dial("tcp", b.http.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST /sim/a/v1/chat/completions HTTP/1.1\r\nHost: sim\r\nContent-Length: %d\r\n\r\n%s",
				max(len(tt.body), 100), tt.body)
			if _, err := b.Await(within(t), Query{}, tt.stage, 1); err != nil {
				t.Fatal(err)
			}
			b.Server.Close() // would not return
			if e := b.only(Query{}); e.Ended == nil || e.Executed != (tt.body != "") {
				t.Errorf("ledger %+v", e)
			}
		})
	}
}

func TestLedgerNamesTheCaller(t *testing.T) {
	for _, tt := range []struct {
		name, header, user string
		job                string
		attempt            int
		ref                string
	}{
		{"job and attempt come from the header", "X-Client-Request-Id: job_3fa.2", "x", "job_3fa", 2, ""},
		{"the last dot divides them", "X-Client-Request-Id: a.b.12", "x", "a.b", 12, ""},
		{"an id without an attempt names nobody", "X-Client-Request-Id: 4b1f-99", "x", "", 0, ""},
		{"attempts count from one", "X-Client-Request-Id: job_3fa.0", "x", "", 0, ""},
		{"an attempt is a number", "X-Client-Request-Id: job_3fa.x", "x", "", 0, ""},
		{"a ref comes from the message", "X-Other: 1", "x [ref:ab-12]", "", 0, "ab-12"},
		{"the last ref counts", "X-Other: 1", "[ref:one] x [ref:two] y", "", 0, "two"},
		{"an open token is no ref", "X-Other: 1", "[ref:one] [ref:tw", "", 0, "one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, Options{})
			if _, err := b.raw(triage(tt.user), tt.header); err != nil {
				t.Fatal(err)
			}
			e := b.only(Query{Job: tt.job, Attempt: tt.attempt, Ref: tt.ref})
			if e.Job != tt.job || e.Attempt != tt.attempt || e.Ref != tt.ref || e.Model != "m" || e.Provider != "a" {
				t.Errorf("ledger %+v", e)
			}
		})
	}
}

func TestLedgerNotesKeyAndSize(t *testing.T) {
	b := start(t, Options{})
	body := triage("x")
	for _, header := range []string{"Idempotency-Key: k", "X-Other: k"} {
		if _, err := b.raw(body, header); err != nil {
			t.Fatal(err)
		}
	}
	got := b.Ledger(Query{})
	if !got[0].IdempotencyKeyPresent || got[1].IdempotencyKeyPresent || got[0].RequestBytes != int64(len(body)) {
		t.Errorf("ledger %+v", got)
	}
}

// enter puts entries straight into a ledger.
func enter(l *ledger, all ...Execution) {
	for _, e := range all {
		l.begin(e)
	}
}

func ids(p Page) (ids []int64) {
	for _, e := range p.Data {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestFullLedgerDropsTheOldestAndSaysSo(t *testing.T) {
	l := newLedger(3)
	enter(l, Execution{Job: "j"}, Execution{Job: "k", Ref: "r"}, Execution{Job: "j"}, Execution{Job: "j", Ref: "r"}, Execution{})
	l.update(1, func(e *Execution) { e.Executed = true }) // its entry is gone
	for _, tt := range []struct {
		name string
		q    Query
		want []int64
	}{
		{"all that is left", Query{}, []int64{3, 4, 5}},
		{"by job", Query{Job: "j"}, []int64{3, 4}},
		{"a job that was dropped", Query{Job: "k"}, nil},
		{"by ref", Query{Ref: "r"}, []int64{4}},
		{"since", Query{Since: 4}, []int64{5}},
		{"a page", Query{Limit: 2}, []int64{3, 4}},
	} {
		p := l.find(tt.q)
		if fmt.Sprint(ids(p)) != fmt.Sprint(tt.want) || p.Dropped != 2 || p.More != (tt.q.Limit > 0) {
			t.Errorf("%s: %v %+v", tt.name, ids(p), p)
		}
		for _, e := range p.Data {
			if e.Executed {
				t.Errorf("%s: an update of a dropped entry reached %+v", tt.name, e)
			}
		}
	}
}

func TestRefsAreFoundInOrderWhenTheyComeLate(t *testing.T) {
	l := newLedger(0)
	enter(l, Execution{}, Execution{})
	for _, id := range []int64{2, 1} {
		l.update(id, func(e *Execution) { e.Ref = "r" })
	}
	if got := ids(l.find(Query{Ref: "r"})); fmt.Sprint(got) != "[1 2]" {
		t.Errorf("ids %v", got)
	}
}

func TestClearedLedgerKeepsCounting(t *testing.T) {
	l := newLedger(2)
	enter(l, Execution{Job: "j"}, Execution{}, Execution{})
	l.clear()
	l.update(3, func(e *Execution) { e.Executed = true })
	enter(l, Execution{Job: "j"})
	if p := l.find(Query{}); fmt.Sprint(ids(p)) != "[4]" || p.Dropped != 0 || p.Data[0].Executed {
		t.Errorf("%+v", p)
	}
}

func TestSummaryCountsDoubleExecutions(t *testing.T) {
	now := time.Unix(0, 0)
	ran := func(provider, job, ref string, usable bool) Execution {
		return Execution{Provider: provider, Job: job, Ref: ref, Executed: true, Usable: usable, Ended: &now}
	}
	l := newLedger(0)
	enter(l,
		ran("a", "once", "", true),
		ran("a", "across", "", true), ran("b", "across", "", true),
		ran("a", "excused", "", false), ran("b", "excused", "", true),
		ran("b", "", "r", true), ran("b", "", "r", true),
		Execution{Provider: "a", Job: "refused", Ended: &now}, Execution{Provider: "a", Job: "refused"},
		ran("a", "", "", true), ran("a", "", "", true), // nobody's: never double
	)
	got := l.summary()
	want := map[string]Tally{
		"a":     {Calls: 7, Executed: 5, Jobs: 4, StillRunning: 1},
		"b":     {Calls: 4, Executed: 4, Jobs: 3, DoubleExecutions: 1, DoubleResults: 1},
		"total": {Calls: 11, Executed: 9, Jobs: 5, DoubleExecutions: 3, DoubleResults: 2, StillRunning: 1},
	}
	got.Providers["total"] = got.Total
	for name, tally := range want {
		if got.Providers[name] != tally {
			t.Errorf("%s: %+v, want %+v", name, got.Providers[name], tally)
		}
	}
}
