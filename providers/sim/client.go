package sim

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"
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

// A ControlError is an order that the simulator refused.
type ControlError struct {
	Status  int
	Message string // what is wrong and what to write instead
}

func (e *ControlError) Error() string {
	return fmt.Sprintf("simulator: %s (status %d)", e.Message, e.Status)
}

// again reports whether a wait ended at the server's limit and not at ours.
func again(ctx context.Context, err error) bool {
	e, ok := err.(*ControlError)
	return ok && e.Status == http.StatusGatewayTimeout && ctx.Err() == nil
}

// do makes one exchange; in is sent and out filled where they are not nil.
func (c Client) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.Base+"/sim/"+path, body)
	if err != nil {
		return err
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode >= 300:
		return controlErrorOf(resp.StatusCode, b)
	case out == nil:
		return nil
	}
	return json.Unmarshal(b, out)
}

func controlErrorOf(status int, body []byte) error {
	var in struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &in) != nil || in.Error.Message == "" {
		in.Error.Message = "no simulator answers at this address"
	}
	return &ControlError{status, in.Error.Message}
}

func (q Query) values() url.Values {
	v := url.Values{}
	for name, s := range map[string]string{"job": q.Job, "provider": q.Provider, "ref": q.Ref} {
		if s != "" {
			v.Set(name, s)
		}
	}
	for name, n := range map[string]int64{"attempt": int64(q.Attempt), "since": q.Since, "limit": int64(q.Limit)} {
		if n > 0 {
			v.Set(name, strconv.FormatInt(n, 10))
		}
	}
	return v
}

func limited(n, limit int) int {
	if limit > 0 {
		return min(n, limit)
	}
	return n
}
