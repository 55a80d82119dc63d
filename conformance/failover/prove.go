package failover

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

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
