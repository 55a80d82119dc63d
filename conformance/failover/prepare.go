package failover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"inferonce/providers/sim"
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

// hostSim serves a simulator on addr until stop is called.
func hostSim(addr string) (baseURL string, stop func(), err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("failover: serve the simulator: %w", err)
	}
	s := sim.New(sim.Options{})
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Serve(l) // it ends when it is closed
	}()
	return "http://" + l.Addr().String(), func() {
		s.Close()
		_ = srv.Close()
		<-ended
	}, nil
}

// simulator returns the one to use, and what ends it.
func simulator(url, listen string, h *http.Client) (sim.Client, func(), error) {
	stop := func() {}
	if url == "" {
		var err error
		if url, stop, err = hostSim(listen); err != nil {
			return sim.Client{}, nil, err
		}
	}
	return sim.Client{Base: strings.TrimRight(url, "/"), HTTP: h}, stop, nil
}

// calm takes standing faults and latencies away, and returns what puts them back.
func calm(ctx context.Context, c sim.Client, providers []string) (restore func(context.Context), err error) {
	before := map[string]sim.Settings{}
	for _, p := range providers {
		if before[p], err = c.Settings(ctx, p); err != nil {
			return nil, fmt.Errorf("failover: no simulator at %s: %w", c.Base, err)
		}
		if err = errors.Join(c.SetSettings(ctx, p, sim.Settings{}), c.SetFaults(ctx, p)); err != nil {
			return nil, fmt.Errorf("failover: %w", err)
		}
	}
	return func(ctx context.Context) {
		for p, s := range before {
			_ = c.SetSettings(ctx, p, s) // the simulator may have ended before us
		}
	}, nil
}

// ready waits until the router says that it is.
func ready(ctx context.Context, api *client) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		a := api.do(ctx, request{method: http.MethodGet, path: "/readyz"})
		if a.Status == http.StatusOK {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("failover: the router at %s did not get ready: %s", api.base, a.line())
		}
	}
}

func standings(ctx context.Context, api *client) ([]Standing, error) {
	a := api.do(ctx, request{method: http.MethodGet, path: "/v1/eligibility"})
	var in struct {
		Data []Standing `json:"data"`
	}
	if a.Err != nil || a.Status != http.StatusOK || json.Unmarshal(a.Body, &in) != nil {
		return nil, fmt.Errorf("failover: read who may take over: %s", a.line())
	}
	return in.Data, nil
}

func find(all []Standing, target string, c Contract) (Standing, bool) {
	i := slices.IndexFunc(all, func(s Standing) bool {
		name, _, _ := strings.Cut(s.Contract, "@")
		return s.Target == target && (s.Contract == c.Name || name == c.Name)
	})
	if i < 0 {
		return Standing{}, false
	}
	return all[i], true
}

// prove has the fallback proved for a contract if it is not eligible, and says
// why it still may not take over, "" if it may.
func prove(ctx context.Context, d *Deployment, api *client, c Contract) (string, error) {
	for proved := false; ; proved = true {
		all, err := standings(ctx, api)
		if err != nil {
			return "", err
		}
		st, ok := find(all, d.Fallback.Name, c)
		switch {
		case !ok:
			return fmt.Sprintf("no route for %s has %s as its fallback", c.Name, d.Fallback.Name), nil
		case st.Eligible:
			return "", nil
		case proved || d.Prover == nil:
			return fmt.Sprintf("%s may not take over for %s: %s", st.Target, c.Name, st.Reason), nil
		}
		if err := handIn(ctx, d, api, st); err != nil {
			return "", err
		}
	}
}

func handIn(ctx context.Context, d *Deployment, api *client, st Standing) error {
	report, err := d.Prover.Prove(ctx, st.Target, st.Contract)
	if err != nil {
		return fmt.Errorf("failover: prove %s for %s: %w", st.Target, st.Contract, err)
	}
	raw, err := json.Marshal(report)
	if err != nil {
		return err
	}
	a := api.do(ctx, request{method: http.MethodPost, path: "/v1/conformance/reports", body: raw})
	if a.Status != http.StatusOK {
		return fmt.Errorf("failover: hand in the report of %s for %s: %s", st.Target, st.Contract, a.line())
	}
	return nil
}

func countsOf[K int | string](m map[K]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%d × %v", m[k], k))
	}
	return strings.Join(parts, ", ")
}
