package failover

import (
	"context"
	"maps"
	"net/http/httptest"

	"inferonce/contracts"
)

// Kill ends every call and every conversation, and what is in memory alone.
func (f *fake) Kill(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = true
	f.crash()
	return nil
}

// Start finds what the crash has left.
func (f *fake) Start(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = false
	f.life, f.crash = context.WithCancel(context.Background())
	if f.flaw == "forgets jobs when killed" {
		clear(f.jobs)
		clear(f.keys)
	}
	for j := range maps.Values(f.jobs) {
		f.recover(j)
	}
	return nil
}

func (f *fake) recover(j *record) {
	if j.State == queued {
		f.begin(j, "sim-a") // what is left of its wait died with the router
		return
	}
	if a := j.last(); a != nil && j.State == running {
		f.lose(j, a, &contracts.Failure{Class: contracts.RouterLost, Effect: contracts.Open})
	}
}

func (f *fake) StopStore(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.storeUp = make(chan struct{})
	return nil
}

func (f *fake) StartStore(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.storeUp)
	return nil
}

func (f *fake) StartSecond(context.Context) (string, error) {
	f.other = httptest.NewServer(f)
	return f.other.URL, nil
}

func (f *fake) StopSecond(context.Context) error {
	f.other.Close()
	return nil
}

func (f *fake) hasStore() bool {
	select {
	case <-f.storeUp:
		return true
	default:
		return false
	}
}
