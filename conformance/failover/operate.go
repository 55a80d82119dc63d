package failover

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
)

// Settle gives an operator's word on an attempt. That nothing was executed can
// be said only when the request can no longer leave, so it is said until then.
func (w *World) Settle(j Job, n int, as string, output json.RawMessage) Answer {
	b := map[string]any{"as": as, "reason": "failover story: looked up at the provider"}
	if output != nil {
		b["output"] = output
	}
	raw, _ := json.Marshal(b) // strings and valid JSON only
	r := request{method: http.MethodPost, path: fmt.Sprintf("/v1/jobs/%s/attempts/%d/resolve", j.ID, n), body: raw}
	var a Answer
	w.until("the settlement as "+as+" is not too soon", func() bool {
		ctx, cancel := w.wait()
		defer cancel()
		a = w.api.do(ctx, r)
		return a.code() != "too_soon"
	})
	w.note("POST %s as %s: %s", r.path, as, a.line())
	return a
}

// Settled is Settle where it must be taken.
func (w *World) Settled(j Job, n int, as string, output json.RawMessage) {
	a := w.Settle(j, n, as, output)
	w.Must(a.Status == http.StatusOK, "the settlement as %s is taken (%s)", as, a.line())
}

// Cancel gives a job up.
func (w *World) Cancel(id string) Answer {
	return w.Ask(request{method: http.MethodPost, path: "/v1/jobs/" + id + "/cancel", body: []byte(`{"reason":"failover story"}`)})
}

// Standing is how the fallback stands for a contract.
func (w *World) Standing(c Contract) Standing {
	ctx, cancel := w.wait()
	defer cancel()
	all, err := standings(ctx, &w.api)
	if err != nil {
		w.stop("%v", err)
	}
	st, ok := find(all, w.d.Fallback.Name, c)
	w.Must(ok, "the router knows how %s stands for %s", w.d.Fallback.Name, c.Name)
	return st
}

// Switch turns the fallback on or off for the contract of st, as an operator
// who last saw this version; version < 0 sends none.
func (w *World) Switch(st Standing, on bool, reason string, version int64) Answer {
	raw, _ := json.Marshal(map[string]any{"enabled": on, "reason": reason}) // cannot fail
	r := request{method: http.MethodPut, body: raw,
		path: "/v1/eligibility/" + url.PathEscape(st.Target) + "/" + url.PathEscape(st.Contract)}
	if version >= 0 {
		r.header = http.Header{"If-Match": {fmt.Sprintf(`"%d"`, version)}}
	}
	return w.Ask(r)
}
