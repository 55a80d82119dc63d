package providers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/contracts"
)

// keyed answers as its key is: nil for well.
type keyed struct {
	calls int
	f     *contracts.Failure
}

func (k *keyed) Traits() Traits { return Traits{} }
func (k *keyed) Complete(context.Context, Request) (contracts.Completion, error) {
	k.calls++
	if k.f != nil {
		f := *k.f
		return contracts.Completion{}, &f
	}
	return contracts.Completion{Content: "c"}, nil
}

func TestAMemberIsDrawnByItsWeight(t *testing.T) {
	now := time.Unix(1000, 0)
	members := []Member{{Name: "a", Weight: 3}, {Name: "b", Weight: 1}}
	for _, row := range []struct {
		says   string
		until  []time.Time
		random float64
		want   int
		wait   time.Duration
	}{
		{"the first three quarters are the first's", make([]time.Time, 2), 0, 0, 0},
		{"up to their end", make([]time.Time, 2), 0.74, 0, 0},
		{"the last quarter is the second's", make([]time.Time, 2), 0.75, 1, 0},
		{"up to the very end", make([]time.Time, 2), 0.999999, 1, 0},
		{"one that rests is passed over", []time.Time{now.Add(time.Second), {}}, 0, 1, 0},
		{"whose rest is over is back", []time.Time{now, {}}, 0, 0, 0},
		{"where all rest the nearest end is told", []time.Time{now.Add(time.Minute), now.Add(time.Second)}, 0.5, -1, time.Second},
	} {
		if at, wait := chosen(members, row.until, now, row.random); at != row.want || wait != row.wait {
			t.Errorf("%s: %d, %s; want %d, %s", row.says, at, wait, row.want, row.wait)
		}
	}
}

func TestAKeyThatIsRefusedRestsAndTheNextAttemptHasAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := &keyed{f: &contracts.Failure{Class: contracts.Auth, Effect: contracts.None, Status: 401}}
		live := &keyed{}
		var told []string
		p := NewPool([]Member{{"dead", 1000000, dead}, {"live", 1, live}}, func(name string, f *contracts.Failure) { told = append(told, name+" "+string(f.Class)) })
		_, err := p.Complete(t.Context(), Request{})
		f, _ := errors.AsType[*contracts.Failure](err)
		if f == nil || f.Class != contracts.Auth || f.Code != contracts.CodeAnotherKey || dead.calls+live.calls != 1 {
			t.Fatalf("%+v after %d calls", f, dead.calls+live.calls)
		}
		for range 5 {
			if _, err := p.Complete(t.Context(), Request{}); err != nil {
				t.Fatal(err)
			}
		}
		if dead.calls != 1 || live.calls != 5 || len(told) != 1 || told[0] != "dead auth" {
			t.Errorf("%d and %d calls, told %q", dead.calls, live.calls, told)
		}
		live.f = &contracts.Failure{Class: contracts.QuotaExhausted, Effect: contracts.None, RetryAfter: time.Minute}
		if _, err := p.Complete(t.Context(), Request{}); code(err) != "" { // the last one: no other key is left
			t.Errorf("the last key: %v", err)
		}
		_, err = p.Complete(t.Context(), Request{})
		if f, _ := errors.AsType[*contracts.Failure](err); f == nil || f.Code != "keys_resting" || f.RetryAfter != time.Minute || dead.calls+live.calls != 7 {
			t.Errorf("all rest: %+v", f)
		}
		live.f = nil
		time.Sleep(time.Minute)
		if _, err := p.Complete(t.Context(), Request{}); err != nil {
			t.Errorf("after the stated wait: %v", err)
		}
	})
}

func TestWhatIsNoFaultOfAKeyRestsNone(t *testing.T) {
	for _, f := range []contracts.Failure{{Class: contracts.RateLimited, Effect: contracts.None}, {Class: contracts.Timeout, Effect: contracts.Open},
		{Class: contracts.Auth, Effect: contracts.Open}, {Class: contracts.InvalidRequest, Effect: contracts.None}} {
		k := &keyed{f: &f}
		p := NewPool([]Member{{"a", 1, k}, {"b", 1, k}}, func(string, *contracts.Failure) { t.Errorf("%+v: a key rests", f) })
		for range 3 {
			if _, err := p.Complete(t.Context(), Request{}); code(err) != "" {
				t.Errorf("%v", err)
			}
		}
		if k.calls != 3 {
			t.Errorf("%+v: %d calls for three", f, k.calls)
		}
	}
}

func code(err error) string {
	if f, ok := errors.AsType[*contracts.Failure](err); ok {
		return f.Code
	}
	return ""
}
