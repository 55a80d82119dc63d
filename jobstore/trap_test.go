package jobstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"inferonce/jobstore"
	"inferonce/jobstore/jobstoretest"

	"github.com/redis/go-redis/v9"
)

// TestTheLibraryNeverRepeatsAScript counts what is on the wire when every reply
// is lost. go-redis repeats a command by itself then, on a cluster even with
// its retries off; a script call is sent by us twice, and by nobody more.
func TestTheLibraryNeverRepeatsAScript(t *testing.T) {
	t.Parallel()
	for name, options := range lab.On() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := jobstoretest.NewPlace(t, options(t))
			lose := []jobstoretest.Fault{jobstoretest.DropReply, jobstoretest.DropReply, jobstoretest.DropReply, jobstoretest.DropReply, jobstoretest.DropReply}
			p.Faults.Next("submit", lose...)
			_, err := p.Store.Submit(jobstoretest.Context(t), jobstore.Submission{Owner: "o", Key: "k", Fingerprint: "f", Budget: time.Hour})
			if n := len(p.Faults.Of("submit")); n != 2 || err == nil {
				t.Errorf("%d calls on the wire, error %v; want our two, and an error", n, err)
			}
		})
	}
	t.Run("a plain command is repeated", func(t *testing.T) {
		t.Parallel()
		f := jobstoretest.NewFaults(nil)
		c := redis.NewClusterClient(&redis.ClusterOptions{Addrs: lab.Cluster(t).Addrs(), Dialer: f.Dial, MaxRetries: -1})
		defer c.Close()
		f.Next("", jobstoretest.DropReply)
		cmd := redis.NewCmd(t.Context(), "eval", "return redis.call('INCR', KEYS[1])", 1, "trap:"+t.Name())
		err := c.Process(t.Context(), cmd)
		if n := len(f.Of("")); n != 2 || err != nil {
			t.Errorf("%d calls on the wire, %v; if go-redis no longer repeats, this test shows nothing any more", n, err)
		}
	})
}

// TestADeadlineEndsACall stops the server that would have to answer. The
// caller's own deadline ends the call, and what became of it is not known.
func TestADeadlineEndsACall(t *testing.T) {
	t.Parallel()
	r := jobstoretest.StartRedis(t)
	p := jobstoretest.NewPlace(t, jobstore.Options{URL: r.URL()})
	r.Pause(t)
	defer r.Resume(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := p.Store.Load(ctx, p.Store.NewID("o", "k"))
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, jobstore.ErrIndeterminate) {
		t.Errorf("got %v, want the deadline and ErrIndeterminate", err)
	}
}

// TestAnUntroubledInferenceCostsTwoScriptCalls counts them: submit with the
// first attempt before the provider is called, settle after it.
func TestAnUntroubledInferenceCostsTwoScriptCalls(t *testing.T) {
	p := jobstoretest.NewPlace(t, jobstore.Options{URL: lab.Redis(t).URL()})
	ctx := jobstoretest.Context(t)
	before := p.Store.Calls()
	if err := infer(ctx, p.Store, "key"); err != nil {
		t.Fatal(err)
	}
	if n := p.Store.Calls() - before; n != 2 || len(p.Faults.Calls()) != 2 {
		t.Errorf("%d script calls, %d on the wire; want 2", n, len(p.Faults.Calls()))
	}
}
