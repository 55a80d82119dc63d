package sim

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// Client orders faults from a Server over HTTP and reads its ledger. Its
// methods do what those of Server do; each is one exchange, but for Ledger.
type Client struct {
	Base string       // "http://127.0.0.1:8787", without /sim
	HTTP *http.Client // nil: http.DefaultClient
}

// URL is the base address of a simulated provider, as its callers need it.
func (c Client) URL(provider string) string {
	return c.Base + "/sim/" + url.PathEscape(provider) + "/v1"
}

// SetFaults replaces the provider's list of faults.
func (c Client) SetFaults(ctx context.Context, provider string, faults ...Fault) error {
	return c.do(ctx, http.MethodPut, provider+"/faults", append([]Fault{}, faults...), nil)
}

// Faults returns what is left of the provider's list.
func (c Client) Faults(ctx context.Context, provider string) (left []Fault, err error) {
	err = c.do(ctx, http.MethodGet, provider+"/faults", nil, &left)
	return left, err
}

// SetSettings replaces the provider's settings.
func (c Client) SetSettings(ctx context.Context, provider string, s Settings) error {
	return c.do(ctx, http.MethodPut, provider+"/settings", s, nil)
}

// Settings returns the provider's settings.
func (c Client) Settings(ctx context.Context, provider string) (s Settings, err error) {
	err = c.do(ctx, http.MethodGet, provider+"/settings", nil, &s)
	return s, err
}

// Ledger returns all that q selects, in as many exchanges as that takes.
func (c Client) Ledger(ctx context.Context, q Query) ([]Execution, error) {
	var all []Execution
	for {
		var page Page
		if err := c.do(ctx, http.MethodGet, "ledger?"+q.values().Encode(), nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Data...)
		if !page.More || q.Limit > 0 && len(all) >= q.Limit {
			return all[:limited(len(all), q.Limit)], nil
		}
		q.Since = all[len(all)-1].ID
	}
}

// Await returns what q selects once n of it have reached the stage. It asks
// again until then, or until ctx ends.
func (c Client) Await(ctx context.Context, q Query, stage Stage, n int) ([]Execution, error) {
	v := q.values()
	v.Set("await", string(stage))
	v.Set("count", strconv.Itoa(n))
	for {
		var page Page
		err := c.do(ctx, http.MethodGet, "ledger?"+v.Encode(), nil, &page)
		if again(ctx, err) {
			continue
		}
		return page.Data, err
	}
}

// Summary returns the ledger in numbers.
func (c Client) Summary(ctx context.Context) (s Summary, err error) {
	err = c.do(ctx, http.MethodGet, "ledger/summary", nil, &s)
	return s, err
}

// ResetLedger forgets all entries; ids go on increasing.
func (c Client) ResetLedger(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "ledger", nil, nil)
}

// OpenGate lets through every call that waits at the gate or will come to it.
func (c Client) OpenGate(ctx context.Context, gate string) error {
	return c.do(ctx, http.MethodPost, "gates/"+gate, nil, nil)
}

// ShutGate shuts the gate for calls to come and forgets who came.
func (c Client) ShutGate(ctx context.Context, gate string) error {
	return c.do(ctx, http.MethodDelete, "gates/"+gate, nil, nil)
}

// WaitGate returns when n calls have come to the gate. It asks again until
// then, or until ctx ends.
func (c Client) WaitGate(ctx context.Context, gate string, n int) (s GateState, err error) {
	for {
		err = c.do(ctx, http.MethodGet, "gates/"+gate+"?wait="+strconv.Itoa(n), nil, &s)
		if !again(ctx, err) {
			return s, err
		}
	}
}
