package jobstoretest

import (
	"slices"
	"strings"
	"testing"
)

// lostOnce loses each script's request or reply once, with the server's run of
// it or without.
func lostOnce(t *testing.T, open func(testing.TB) *Place) {
	for says, fault := range map[string]Fault{"its reply": DropReply, "its request": DropRequest, "half its request": CutRequest} {
		t.Run(says, func(t *testing.T) {
			eachSample(t, open, func(t *testing.T, w *work, s sample) {
				w.place.Faults.Forget()
				w.place.Faults.Next(s.script, fault)
				w.must(t, w.fill(s.op)) // the model's one step: one effect, and its answer
				calls := w.place.Faults.Of(s.script)
				if len(calls) != 2 || !slices.Equal(calls[0].Args(), calls[1].Args()) {
					t.Fatalf("%d calls on the wire, want 2 with the same arguments", len(calls))
				}
				if fault == DropReply && string(calls[0].Reply) != string(calls[1].Reply) {
					t.Errorf("the server answered %q and then %q", calls[0].Reply, calls[1].Reply)
				}
			})
		})
	}
}

// lostTwice loses both tries: the caller learns that nobody knows, no third try
// is made, and the same call later answers as if nothing had been lost.
func lostTwice(t *testing.T, open func(testing.TB) *Place) {
	for says, faults := range map[string][]Fault{"the replies": {DropReply, DropReply}, "the requests": {DropRequest, DropRequest},
		"a request and a reply": {CutRequest, DropReply}} {
		t.Run(says, func(t *testing.T) {
			eachSample(t, open, func(t *testing.T, w *work, s sample) {
				w.place.Faults.Forget()
				w.place.Faults.Next(s.script, faults...)
				op := w.fill(s.op)
				if got := w.Do(Context(t), op, w.m.N); got.Word != Lost {
					t.Fatalf("got %+v, want %s", got, Lost)
				}
				calls := w.place.Faults.Of(s.script)
				if len(calls) != 2 {
					t.Fatalf("%d calls on the wire, want 2", len(calls))
				}
				reply := w.raw(t, calls[1])
				if last := string(calls[1].Reply); last != "" && last != reply {
					t.Errorf("the server answered %q and later %q", last, reply)
				}
				w.m, _ = w.m.Step(op)
				w.same(t, op)
			})
		})
	}
	t.Run("a caller that submits again under the same id finds its job", func(t *testing.T) { resubmitted(t, open) })
	t.Run("a winner that settles again is told that it won", func(t *testing.T) { wonTwice(t, open) })
}

func resubmitted(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	w := newWork(open(t))
	op := w.fill(Op{Kind: "submit", First: true, Long: true})
	w.place.Faults.Next("submit", DropReply, DropReply)
	if got := w.Do(Context(t), op, 0); got.Word != Lost {
		t.Fatalf("got %+v, want %s", got, Lost)
	}
	w.must(t, op)
}

func wonTwice(t *testing.T, open func(testing.TB) *Place) {
	t.Parallel()
	w := built(t, open(t), []Op{{Kind: "submit", First: true, Long: true}})
	op := w.fill(Op{Kind: "settle", N: 1, Outcome: "succeeded", Result: "r"})
	w.place.Faults.Next("settle", DropReply, DropReply)
	if got := w.Do(Context(t), op, 1); got.Word != Lost {
		t.Fatalf("got %+v, want %s", got, Lost)
	}
	w.m, _ = w.m.Step(op)
	if got := w.must(t, op); !got.Won {
		t.Errorf("the same result again: %+v, want won", got)
	}
	other := op
	other.Result = "another"
	if got := w.must(t, other); got.Word != "lost" {
		t.Errorf("another result: %+v, want lost", got)
	}
}

// forgotten empties the script cache before each script: the server says that
// it did not run the call, and gets the text.
func forgotten(t *testing.T, open func(testing.TB) *Place) {
	for _, s := range samples() {
		t.Run(s.script, func(t *testing.T) {
			w := built(t, open(t), s.before)
			for says, lost := range map[string][]Fault{"": nil, ", and the reply to the text is lost": {Fine, DropReply}} {
				w := w
				if says != "" {
					w = built(t, w.place, s.before)
				}
				w.place.flush(t)
				w.place.Faults.Forget()
				w.place.Faults.Next(s.script, lost...)
				w.must(t, w.fill(s.op))
				calls := w.place.Faults.Of(s.script)
				if !calls[0].BySHA || !strings.HasPrefix(string(calls[0].Reply), "-NOSCRIPT") || calls[1].BySHA {
					t.Errorf("%s%s: want a refused EVALSHA and then an EVAL", s.script, says)
				}
			}
		})
	}
}
