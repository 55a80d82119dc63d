package providers

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"inferonce/contracts"
)

// Member is one key, or one deployment, of a provider.
type Member struct {
	Name     string
	Weight   int // share of the calls, against the others'; at least 1
	Provider Provider
}

// KeyRest is how long a member whose key was refused is left alone, unless the
// provider says how long: long enough not to hammer an account, short enough to
// notice that somebody paid.
const KeyRest = 10 * time.Minute

// Pool is a provider with several keys. Each call is made with one of them, drawn
// by weight; one that is refused, or whose money is gone, rests. Like every
// provider it never makes a second call: a failure says by its code
// contracts.CodeAnotherKey that the next attempt would have another key.
type Pool struct {
	members []Member
	onRest  func(name string, f *contracts.Failure)

	mu    sync.Mutex
	until []time.Time // of each member's rest
}

var (
	_ Provider   = (*Pool)(nil)
	_ Checker    = (*Pool)(nil)
	_ Reproducer = (*Pool)(nil)
	_ Pinger     = (*Pool)(nil)
)

// NewPool builds one of at least one member, whose weights are at least 1. onRest
// is told the name of each key that begins to rest, and why; it must not block.
func NewPool(members []Member, onRest func(name string, f *contracts.Failure)) *Pool {
	return &Pool{members: members, onRest: onRest, until: make([]time.Time, len(members))}
}

// Complete makes one call with one of the keys. Where every key rests none is
// made, and the failure says for how long.
func (p *Pool) Complete(ctx context.Context, r Request) (contracts.Completion, error) {
	at, wait := p.draw(time.Now(), rand.Float64())
	if at < 0 {
		return contracts.Completion{}, &contracts.Failure{Class: contracts.QuotaExhausted, Effect: contracts.None, Code: "keys_resting",
			RetryAfter: wait, Detail: "every key of the provider was refused; nothing was sent"}
	}
	done, err := p.members[at].Provider.Complete(ctx, r)
	f, refused := errors.AsType[*contracts.Failure](err)
	if !refused || f.Effect != contracts.None || f.Class != contracts.Auth && f.Class != contracts.QuotaExhausted {
		return done, err
	}
	p.rest(at, f)
	if other, _ := p.draw(time.Now(), 0); other >= 0 {
		another := *f
		another.Code = contracts.CodeAnotherKey
		return done, &another
	}
	return done, f
}

// draw picks a member that does not rest; -1 and the time until one does not.
func (p *Pool) draw(now time.Time, random float64) (at int, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return chosen(p.members, p.until, now, random)
}

// chosen is the pure part. random is in [0,1).
func chosen(members []Member, until []time.Time, now time.Time, random float64) (at int, wait time.Duration) {
	total := 0
	for i, m := range members {
		if left := until[i].Sub(now); left > 0 {
			if wait == 0 || left < wait {
				wait = left
			}
			continue
		}
		total += m.Weight
	}
	if total == 0 {
		return -1, wait
	}
	share := int(random * float64(total))
	for i, m := range members {
		if until[i].After(now) {
			continue
		}
		if share -= m.Weight; share < 0 {
			return i, 0
		}
	}
	return -1, wait
}

func (p *Pool) rest(at int, f *contracts.Failure) {
	span := KeyRest
	if f.RetryAfter > 0 {
		span = f.RetryAfter
	}
	p.mu.Lock()
	p.until[at] = time.Now().Add(span)
	p.mu.Unlock()
	if p.onRest != nil {
		p.onRest(p.members[at].Name, f)
	}
}

// Traits are those of the members, which are accounts at one provider.
func (p *Pool) Traits() Traits { return p.members[0].Provider.Traits() }

// Takes asks the first member: all of them speak the same API.
func (p *Pool) Takes(r Request) error {
	if c, ok := p.members[0].Provider.(Checker); ok {
		return c.Takes(r)
	}
	return nil
}

// Reproduce asks the first member. No command holds a key.
func (p *Pool) Reproduce(r Request) string {
	if c, ok := p.members[0].Provider.(Reproducer); ok {
		return c.Reproduce(r)
	}
	return ""
}

// Ping tries every key, and gives the first failure.
func (p *Pool) Ping(ctx context.Context, l Limits) error {
	for _, m := range p.members {
		c, ok := m.Provider.(Pinger)
		if !ok {
			return nil
		}
		if err := c.Ping(ctx, l); err != nil {
			return err
		}
	}
	return nil
}
