package jobstoretest

import (
	"testing"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// charges: each attempt is charged at most once.
func charges(t *testing.T, open func(testing.TB) *Place) {
	silence := &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Open}
	most := &jobstore.Cost{MicroUSD: 90, Estimated: true}
	answer := &contracts.Result{Output: []byte(`"A"`)}
	t.Run("what is certain takes the place of what was possible, and stays", func(t *testing.T) {
		t.Parallel()
		w := built(t, open(t), []Op{{Kind: "submit", First: true, Long: true}})
		w.charge(t, jobstore.Outcome{Failure: silence, Cost: most})
		w.costs(t, 0, 90)
		w.charge(t, jobstore.Outcome{Result: answer, Cost: &jobstore.Cost{MicroUSD: 7}})
		w.costs(t, 7, 0)
		w.charge(t, jobstore.Outcome{Result: answer, Cost: &jobstore.Cost{MicroUSD: 9}})
		w.charge(t, jobstore.Outcome{Result: answer, Cost: most})
		w.costs(t, 7, 0)
	})
	t.Run("what was not executed cost nothing", func(t *testing.T) {
		t.Parallel()
		w := built(t, open(t), []Op{{Kind: "submit", First: true, Long: true}})
		w.charge(t, jobstore.Outcome{Failure: silence, Cost: most})
		_, err := w.Store.Resolve(Context(t), w.m.ID, jobstore.Resolution{Number: 1, Settlement: jobstore.Settlement{As: jobstore.NotExecuted}})
		if err != nil {
			t.Fatal(err)
		}
		w.costs(t, 0, 0)
	})
	t.Run("what was cancelled can still have cost as much", func(t *testing.T) {
		t.Parallel()
		w := built(t, open(t), []Op{{Kind: "submit", First: true, Long: true}})
		w.charge(t, jobstore.Outcome{Failure: silence, Cost: most})
		if _, err := w.Store.Cancel(Context(t), w.m.ID, jobstore.Settlement{As: jobstore.Cancelled}); err != nil {
			t.Fatal(err)
		}
		w.costs(t, 0, 90)
	})
	t.Run("without a price nothing is charged", func(t *testing.T) {
		t.Parallel()
		w := built(t, open(t), []Op{{Kind: "submit", First: true, Long: true}})
		w.charge(t, jobstore.Outcome{Result: answer})
		if c := w.costs(t, 0, 0); c != nil {
			t.Errorf("cost %+v", c)
		}
	})
}

func (w *work) charge(t *testing.T, o jobstore.Outcome) {
	t.Helper()
	o.Number, o.Epoch, o.Version = 1, 1, 1
	if _, err := w.Store.Settle(Context(t), w.Job(w.m.ID, 1), o); err != nil {
		t.Fatal(err)
	}
}

// costs compares the job's sums and gives the first attempt's cost.
func (w *work) costs(t *testing.T, certain, possible int64) *jobstore.Cost {
	t.Helper()
	j, err := w.Store.Load(Context(t), w.m.ID)
	if err != nil {
		t.Fatal(err)
	}
	if c, p := j.Cost(); c != certain || p != possible {
		t.Errorf("certain %d, possible %d; want %d and %d", c, p, certain, possible)
	}
	return j.Attempts[0].Cost
}
