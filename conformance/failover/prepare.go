package failover

import (
	"context"
	"errors"
	"slices"
	"time"
)

// check says what is missing of a deployment that no story can do without.
func (d *Deployment) check() error {
	switch {
	case d.BaseURL == "" || d.Key == "":
		return errors.New("failover: give the router's address and an API key")
	case d.SimURL == "" && d.SimListen == "":
		return errors.New("failover: give the simulator's address, or one to serve it on")
	case d.Primary.Name == "" || d.Fallback.Name == "" || d.Primary.provider() == d.Fallback.provider():
		return errors.New("failover: give two targets, at two simulated providers")
	case !d.Hold.given():
		return errors.New("failover: give a contract without effects that holds what is unknown")
	}
	return nil
}

// prepare makes the deployment ready and finds out which needs it can meet.
func (r *runner) prepare(ctx context.Context) (stop func(), err error) {
	if err := r.d.check(); err != nil {
		return nil, err
	}
	c, stopSim, err := simulator(r.d.SimURL, r.d.SimListen, r.http)
	if err != nil {
		return nil, err
	}
	r.sim = c
	ended := []func(context.Context){func(context.Context) { stopSim() }}
	stop = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearing)
		defer cancel()
		for _, f := range slices.Backward(ended) {
			f(ctx)
		}
	}
	if err := r.makeReady(ctx, &ended); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

func (r *runner) makeReady(ctx context.Context, ended *[]func(context.Context)) error {
	wait, cancel := context.WithTimeout(ctx, r.o.patience())
	defer cancel()
	restore, err := calm(wait, r.sim, []string{r.d.Primary.provider(), r.d.Fallback.provider()})
	if err != nil {
		return err
	}
	*ended = append(*ended, restore)
	if err := ready(wait, &r.api); err != nil {
		return err
	}
	if err := r.needs(ctx); err != nil {
		return err
	}
	return r.second(ctx, ended)
}

// needs notes what the deployment lacks.
func (r *runner) needs(ctx context.Context) error {
	lacks := func(n Need, lacking bool) {
		if lacking {
			r.missing[n] = "the deployment has none"
		}
	}
	lacks(NeedOtherOwner, r.d.OtherKey == "")
	lacks(NeedKill, r.d.Killer == nil)
	lacks(NeedStore, r.d.Store == nil)
	for _, c := range []struct {
		need     Need
		contract Contract
	}{{NeedFallback, r.d.Hold}, {NeedExternal, r.d.External}, {NeedRace, r.d.Race}, {NeedRefused, r.d.Refused}} {
		lacks(c.need, !c.contract.given())
		if !c.contract.given() {
			continue
		}
		why, err := prove(ctx, r.d, &r.api, c.contract)
		if err != nil {
			return err
		}
		if why != "" {
			r.missing[c.need] = why
		}
	}
	return nil
}

// second starts the second router, for the whole run.
func (r *runner) second(ctx context.Context, ended *[]func(context.Context)) error {
	if r.d.Second == nil {
		r.missing[NeedSecond] = "the deployment has none"
		return nil
	}
	base, err := r.d.Second.StartSecond(ctx)
	if err != nil {
		return err
	}
	*ended = append(*ended, func(ctx context.Context) { _ = r.d.Second.StopSecond(ctx) })
	r.secondary = base
	wait, cancel := context.WithTimeout(ctx, max(r.o.patience(), time.Second))
	defer cancel()
	return ready(wait, &client{r.http, base, r.d.Key})
}
