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
