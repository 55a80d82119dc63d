package jobstore_test

import (
	"errors"
	"testing"

	"inferonce/jobstore"
	"inferonce/jobstore/jobstoretest"
)

// TestAStoreThatIsGoneAndBack loses nothing it acknowledged, says so while it
// is gone, and goes on by itself when it is back.
func TestAStoreThatIsGoneAndBack(t *testing.T) {
	t.Parallel()
	t.Run("a real Redis, killed", func(t *testing.T) {
		t.Parallel()
		r := jobstoretest.StartRedis(t, "--appendfsync", "always")
		p := jobstoretest.NewPlace(t, jobstore.Options{URL: r.URL(), Durability: jobstore.Strict})
		goneAndBack(t, p, r.Kill, r.Restart)
	})
	t.Run("the embedded store, stopped", func(t *testing.T) {
		t.Parallel()
		e := jobstore.NewEmbedded()
		t.Cleanup(e.Close)
		goneAndBack(t, jobstoretest.NewPlace(t, e.Options()), e.Stop, e.Restart)
	})
}

func goneAndBack(t *testing.T, p *jobstoretest.Place, stop func(), restart func() error) {
	ctx := jobstoretest.Context(t)
	d := jobstoretest.Driver{Store: p.Store, Owner: "o", Key: "k"}
	op := jobstoretest.Op{Kind: "submit", ID: p.Store.NewID("o", "k"), Fingerprint: "f", First: true, Long: true}
	if r := d.Do(ctx, op, 0); r.Word != "created" {
		t.Fatal(r.Word)
	}
	stop()
	if _, err := p.Store.Load(ctx, op.ID); !errors.Is(err, jobstore.ErrUnavailable) {
		t.Errorf("load while it is gone: %v, want ErrUnavailable", err)
	}
	if _, err := p.Store.Ping(ctx); !errors.Is(err, jobstore.ErrUnavailable) {
		t.Errorf("ping while it is gone: %v, want ErrUnavailable", err)
	}
	if err := restart(); err != nil {
		t.Fatal(err)
	}
	again := op
	again.ID = p.Store.NewID("o", "k")
	jobstoretest.Until(t, "the store answers again", func() bool { return d.Do(ctx, again, 0).Word == "exists" })
	if r := d.Do(ctx, jobstoretest.Op{Kind: "settle", ID: op.ID, N: 1, Epoch: 1, Version: 1, Outcome: "succeeded", Result: "r"}, 1); !r.Won {
		t.Errorf("settle after the restart: %+v, want won", r)
	}
}

// TestOpenRefusesWhatCannotKeepThePromise asks servers that are set up wrong.
func TestOpenRefusesWhatCannotKeepThePromise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says  string
		args  []string
		level jobstore.Durability
	}{
		{"one that evicts keys", []string{"--maxmemory-policy", "allkeys-lru"}, jobstore.Volatile},
		{"one without an append-only file, for single", []string{"--appendonly", "no"}, jobstore.Single},
		{"one that syncs every second, for strict", nil, jobstore.Strict},
	} {
		t.Run(c.says, func(t *testing.T) {
			t.Parallel()
			r := jobstoretest.StartRedis(t, c.args...)
			s, err := jobstore.Open(t.Context(), jobstore.Options{URL: r.URL(), Durability: c.level})
			var refused *jobstore.RefusedError
			if !errors.As(err, &refused) || refused.Fix == "" || s != nil {
				t.Errorf("got %v, want a *RefusedError with a remedy", err)
			}
		})
	}
	t.Run("one whose jobs are spread over another number of shards", func(t *testing.T) {
		t.Parallel()
		p := jobstoretest.NewPlace(t, jobstore.Options{URL: lab.Redis(t).URL()})
		if err := p.Raw.Set(t.Context(), p.Prefix+"shards", "128", 0).Err(); err != nil {
			t.Fatal(err)
		}
		var refused *jobstore.RefusedError
		if _, err := jobstore.Open(t.Context(), p.Opts); !errors.As(err, &refused) {
			t.Errorf("got %v, want a *RefusedError", err)
		}
	})
	t.Run("one that is not there", func(t *testing.T) {
		t.Parallel()
		r := jobstoretest.StartRedis(t)
		r.Stop()
		if _, err := jobstore.Open(t.Context(), jobstore.Options{URL: r.URL()}); !errors.Is(err, jobstore.ErrUnavailable) {
			t.Errorf("got %v, want ErrUnavailable", err)
		}
	})
}
