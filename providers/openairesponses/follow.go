package openairesponses

import (
	"context"
	"math"
	"net/http"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

// The pace at which a running response is asked for: it grows, because what
// isn't over soon will run for minutes.
const (
	firstPause = 250 * time.Millisecond
	growth     = 1.5
	longPause  = 5 * time.Second
)

// pause is the wait before the n-th look, counted from 0. random is in [0,1)
// and takes away up to a fifth, so that calls made together drift apart. A
// stated wait of the provider is a floor.
func pause(n int, stated time.Duration, random float64) time.Duration {
	d := longPause
	if f := float64(firstPause) * math.Pow(growth, float64(min(n, 100))); f < float64(longPause) {
		d = time.Duration(f)
	}
	return max(stated, d-time.Duration(random*float64(d)/5))
}

// maxRefusals is how many looks in a row may be refused for good, by a key or
// an id that no longer counts, before asking is given up.
const maxRefusals = 3

// follow asks for made until it has ended. What it returns without a failure has ended.
func (c *Client) follow(ctx context.Context, made response, r providers.Request, key string) (response, *contracts.Failure) {
	id, refusals, stated := made.ID, 0, time.Duration(0)
	for n := 0; !made.ended(); n++ {
		select {
		case <-c.after(pause(n, stated, c.random())):
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return response{}, gaveUp(ctx)
		}
		got, f := c.retrieve(ctx, id, r.AttemptID, r.Limits, key)
		stated = 0
		switch {
		case f == nil:
			made, refusals = got, 0
		case final(f):
			if refusals++; refusals == maxRefusals {
				return response{}, open(f, "polling")
			}
		default:
			refusals, stated = 0, f.RetryAfter
		}
	}
	return made, nil
}

// retrieve looks at a response once. Its failure is one of the look.
func (c *Client) retrieve(ctx context.Context, id, attempt string, l providers.Limits, key string) (response, *contracts.Failure) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	return c.ask(ctx, http.MethodGet, c.base+"/"+id, id, attempt, l, key)
}

// ask makes one call about an existing response and reads the response that it
// is answered with. The send window is the create's and doesn't bind it.
func (c *Client) ask(ctx context.Context, method, address, id, attempt string, l providers.Limits, key string) (response, *contracts.Failure) {
	l.SendBy = time.Time{}
	ctx, sent := transport.Track(ctx, l, nil)
	a, err := c.send(ctx, method, address, nil, attempt, key)
	if err != nil {
		return response{}, transport.FromError(err, ctx, sent)
	}
	return readAsked(a, id, key)
}
