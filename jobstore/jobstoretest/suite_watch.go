package jobstoretest

import (
	"testing"
)

// watching wakes whoever waits for a job: by a hint, or by the poll where no
// hint comes.
func watching(t *testing.T, open func(testing.TB) *Place) {
	t.Run("a poll wakes a waiter without any change", func(t *testing.T) {
		t.Parallel()
		w := built(t, open(t), []Op{{Kind: "submit", First: true, Long: true}})
		changed, stop := w.Store.Watch(w.m.ID)
		defer stop()
		awaken(t, changed)
	})
	t.Run("a change in another process wakes every waiter", func(t *testing.T) {
		t.Parallel()
		p := open(t)
		other := p.Open(t, p.Opts)
		w := built(t, p, []Op{{Kind: "submit", First: true, Long: true}})
		for range 3 {
			changed, stop := other.Watch(w.m.ID)
			defer stop()
			defer awaken(t, changed)
		}
		w.must(t, w.fill(Op{Kind: "cancel"}))
	})
	t.Run("who stops watching leaves the others alone, and stops twice as well as once", func(t *testing.T) {
		t.Parallel()
		w := built(t, open(t), []Op{{Kind: "submit", First: true, Long: true}})
		one, stopOne := w.Store.Watch(w.m.ID)
		two, stopTwo := w.Store.Watch(w.m.ID)
		defer stopTwo()
		stopOne()
		stopOne()
		awaken(t, two)
		_ = one
	})
	t.Run("text that is no job id never changes", func(t *testing.T) {
		t.Parallel()
		changed, stop := open(t).Store.Watch("no id")
		stop()
		select {
		case <-changed:
			t.Error("it changed")
		default:
		}
	})
}

func awaken(t *testing.T, changed <-chan struct{}) {
	t.Helper()
	select {
	case <-changed:
	case <-Context(t).Done():
		t.Error("nobody woke the waiter")
	}
}
