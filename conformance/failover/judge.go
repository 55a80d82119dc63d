package failover

import (
	"context"
	"net/http"
	"slices"
	"time"
)

// judge holds every job of the story against the rule, when its calls are over.
func (w *World) judge() {
	for _, in := range w.intents {
		w.api.key = in.APIKey
		ran := w.Ended(in.Ref)
		w.result.Ledger = append(w.result.Ledger, ran...)
		jobs := []string{}
		if in.Job != "" {
			jobs = append(jobs, in.Job)
		}
		for _, e := range ran {
			if e.Job != "" && !slices.Contains(jobs, e.Job) {
				jobs = append(jobs, e.Job)
			}
		}
		w.Check(len(jobs) <= 1, "one intent is one job (%d found)", len(jobs))
		for _, id := range jobs {
			j, _ := w.Get(id)
			breaches := Breaches(j, ran, in.Contract.Name == w.d.Race.Name)
			w.Check(len(breaches) == 0, "no execution too many %v", breaches)
			for n, times := range perAttempt(ran) {
				w.Check(times == 1, "attempt %d is one request on the wire (%d found)", n, times)
			}
		}
	}
}

// tidy clears up: no job of the story is left live.
func (w *World) tidy(ctx context.Context) {
	w.calmDown(ctx, w.Primary(), w.Fallback())
	for _, in := range w.intents {
		if in.Job == "" {
			continue
		}
		w.api.key = in.APIKey
		if a := w.api.do(ctx, request{method: http.MethodGet, path: "/v1/jobs/" + in.Job}); a.Job != nil && a.Job.Live() {
			w.api.do(ctx, request{method: http.MethodPost, path: "/v1/jobs/" + in.Job + "/cancel", body: []byte(`{"reason":"end of a failover story"}`)})
		}
	}
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
	r.stage.sim = c
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
	restore, err := calm(wait, r.stage.sim, []string{r.d.Primary.provider(), r.d.Fallback.provider()})
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
