package sim

import (
	"context"
	"sync"
)

// GateState is what is known of a gate. Arrived counts every call that came to
// it, Waiting those that are still there.
type GateState struct {
	Gate    string `json:"gate"`
	Open    bool   `json:"open"`
	Arrived int    `json:"arrived"`
	Waiting int    `json:"waiting"`
}

// gates holds gates by name. A gate exists from its first mention and is shut;
// once open it stays open until it is shut again.
type gates struct {
	mu     sync.Mutex
	byName map[string]*gate
}

type gate struct {
	state   GateState
	opened  chan struct{} // closed while the gate is open
	changed chan struct{} // closed, and made anew, at every change
}

// at returns the gate; the caller holds mu.
func (g *gates) at(name string) *gate {
	if g.byName == nil {
		g.byName = map[string]*gate{}
	}
	if g.byName[name] == nil {
		g.byName[name] = &gate{GateState{Gate: name}, make(chan struct{}), make(chan struct{})}
	}
	return g.byName[name]
}

func (g *gate) change() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// arrive enters a call and returns what it waits for, and how it leaves.
func (g *gates) arrive(name string) (opened <-chan struct{}, leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.at(name)
	at.state.Arrived++
	at.state.Waiting++
	at.change()
	return at.opened, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		at.state.Waiting--
		at.change()
	}
}

func (g *gates) open(name string) GateState {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.at(name)
	if !at.state.Open {
		at.state.Open = true
		close(at.opened)
		at.change()
	}
	return at.state
}

// shut closes the gate for calls to come; those that still wait count as arrived.
func (g *gates) shut(name string) GateState {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.at(name)
	if at.state.Open {
		at.state.Open = false
		at.opened = make(chan struct{})
	}
	at.state.Arrived = at.state.Waiting
	at.change()
	return at.state
}

// wait returns when n calls have arrived, or with ctx's error.
func (g *gates) wait(ctx context.Context, name string, n int) (GateState, error) {
	for {
		g.mu.Lock()
		state, changed := g.at(name).state, g.at(name).changed
		g.mu.Unlock()
		if state.Arrived >= n {
			return state, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return state, ctx.Err()
		}
	}
}
