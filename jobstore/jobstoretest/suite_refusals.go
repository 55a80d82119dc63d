package jobstoretest

import (
	"context"
	"fmt"
	"testing"

	"inferonce/jobstore"

	"github.com/redis/go-redis/v9"
)

// wrongTypes puts something else under each key of each script. Redis does not
// roll a script back, so that the error must come before the first write.
func wrongTypes(t *testing.T, open func(testing.TB) *Place) {
	eachSample(t, open, func(t *testing.T, w *work, s sample) {
		_, call := w.unsent(t, s)
		eachKeySpoilt(t, w.place, call, func() string { return w.raw(t, call) })
		if reply := w.raw(t, call); reply[0] != '$' {
			t.Errorf("with every key in order: %q", reply)
		}
	})
	t.Run("eligibility", func(t *testing.T) {
		t.Parallel()
		w := newWork(open(t))
		call := unsentEligibility(t, w)
		eachKeySpoilt(t, w.place, call, func() string { return w.raw(t, call) })
		if reply := w.raw(t, call); reply[0] != '$' {
			t.Errorf("with every key in order: %q", reply)
		}
	})
	t.Run("drift", func(t *testing.T) {
		t.Parallel()
		w := newWork(open(t))
		call := unsentNote(t, w)
		eachKeySpoilt(t, w.place, call, func() string { return w.raw(t, call) })
		w.place.unchanged(t, "drift with a word that is no check id", func() string { return w.raw(t, call.WithArg(4, "STR-01 9")) })
		if reply := w.raw(t, call); reply[0] != '$' {
			t.Errorf("with every key in order: %q", reply)
		}
	})
	t.Run("load", func(t *testing.T) {
		t.Parallel()
		p := open(t)
		w := built(t, p, []Op{{Kind: "submit", First: true}})
		call := p.Faults.Of("load")[0]
		for i, key := range call.Keys()[:2] { // the job and its only attempt
			restore := spoil(t, p.Raw, key)
			p.unchanged(t, fmt.Sprint("load with key ", i+1, " spoilt"), func() string { return w.raw(t, call) })
			restore()
		}
	})
}

func unsentEligibility(t *testing.T, w *work) Call {
	w.place.Faults.Next("eligibility", DropRequest, DropRequest)
	if _, err := w.Store.SetEligibility(Context(t), jobstore.Eligibility{Target: "t", Digest: "d"}, jobstore.AuditEntry{}, false); err == nil {
		t.Fatal("a call that never left succeeded")
	}
	return w.place.Faults.Of("eligibility")[0]
}

func unsentNote(t *testing.T, w *work) Call {
	w.place.Faults.Next("drift", DropRequest, DropRequest)
	if _, err := w.Store.Note(Context(t), jobstore.Pair{Target: "t", Digest: "d"}, []string{"STR-01", ""}); err == nil {
		t.Fatal("a call that never left succeeded")
	}
	return w.place.Faults.Of("drift")[0]
}

func eachKeySpoilt(t *testing.T, p *Place, call Call, act func() string) {
	t.Helper()
	for i, key := range call.Keys() {
		restore := spoil(t, p.Raw, key)
		p.unchanged(t, fmt.Sprintf("%s with key %d (%s) spoilt", call.Script, i+1, key), act)
		restore()
	}
}

// spoil puts a list in place of whatever a key holds, until restore.
func spoil(t *testing.T, c redis.UniversalClient, key string) (restore func()) {
	t.Helper()
	ctx := Context(t)
	had := c.Exists(ctx, key).Val() == 1
	do := func(what string, err error) {
		if err != nil {
			t.Fatalf("%s %s: %v", what, key, err)
		}
	}
	if had {
		do("put aside", c.Rename(ctx, key, key+":aside").Err())
	}
	do("spoil", c.RPush(ctx, key, "no such type").Err())
	return func() {
		do("remove", c.Del(ctx, key).Err())
		if had {
			do("put back", c.Rename(context.WithoutCancel(ctx), key+":aside", key).Err())
		}
	}
}

// badNumbers gives each numeric argument of each script in forms that Lua or
// Redis alone would take, or choke on half-way.
func badNumbers(t *testing.T, open func(testing.TB) *Place) {
	spoilt := func(t *testing.T, w *work, call Call, numbers []int, empty int) {
		for _, i := range numbers {
			for _, value := range []string{"", "x", "1.5", "1e3", "1e300", "inf", "-inf", "nan", "0x10", " 1", "99999999999999999999"} {
				if value == "" && i == empty {
					continue
				}
				bad := call.WithArg(i, value)
				w.place.unchanged(t, fmt.Sprintf("%s with ARGV %d = %q", call.Script, i, value), func() string { return w.raw(t, bad) })
			}
		}
	}
	eachSample(t, open, func(t *testing.T, w *work, s sample) {
		_, call := w.unsent(t, s)
		spoilt(t, w, call, s.numbers, s.empty)
		if retention, ends := map[string]int{"claim": 9, "settle": 12, "fail": 6, "resolve": 13, "cancel": 5}[s.script]; ends {
			for _, value := range []string{"0", "-1"} {
				w.place.unchanged(t, s.script+" that keeps nothing", func() string { return w.raw(t, call.WithArg(retention, value)) })
			}
			w.place.unchanged(t, s.script+" with fewer keys than attempts", func() string { return w.raw(t, call.WithArg(3, "7")) })
		}
		if reply := w.raw(t, call); reply[0] != '$' {
			t.Errorf("with every argument in order: %q", reply)
		}
	})
	t.Run("eligibility", func(t *testing.T) {
		t.Parallel()
		w := newWork(open(t))
		spoilt(t, w, unsentEligibility(t, w), []int{2, 5, 8}, 0)
	})
	t.Run("drift", func(t *testing.T) {
		t.Parallel()
		w := newWork(open(t))
		spoilt(t, w, unsentNote(t, w), []int{1, 2}, 0)
	})
	t.Run("words and fingerprints", func(t *testing.T) {
		t.Parallel()
		for _, c := range []struct {
			sample int
			arg    int
			value  string
		}{{0, 2, ""}, {0, 2, "two words"}, {6, 7, "perhaps"}, {6, 9, "perhaps"}, {8, 5, "perhaps"}, {8, 10, "perhaps"}} {
			s := samples()[c.sample]
			w := built(t, open(t), s.before)
			_, call := w.unsent(t, s)
			w.place.unchanged(t, fmt.Sprintf("%s with ARGV %d = %q", s.script, c.arg, c.value),
				func() string { return w.raw(t, call.WithArg(c.arg, c.value)) })
		}
	})
}
