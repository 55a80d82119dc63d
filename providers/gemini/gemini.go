// Package gemini speaks the Gemini API's generateContent, not streamed. Request
// and answer are our own structs: the body goes out once, through the
// transport, and the schema in its own property order.
package gemini

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

// Config describes one account.
type Config struct {
	// BaseURL is the address that "/models/{model}:generateContent" is appended
	// to, such as "https://generativelanguage.googleapis.com/v1beta". Nothing else
	// is ever called.
	BaseURL string
	// APIKey returns the key for the next call; nil or "": no key is sent. It is
	// a function so that printing a Config shows no key.
	APIKey func() string
	// Transport tunes connections. Origins and HonoursIdempotencyKey are set by New.
	Transport transport.Options
}

// Client is a provider that speaks generateContent. It is safe for concurrent use.
type Client struct {
	config Config
	http   *transport.Client
}

var (
	_ providers.Provider   = (*Client)(nil)
	_ providers.Checker    = (*Client)(nil)
	_ providers.Reproducer = (*Client)(nil)
)

// Foreground is what is documented of generateContent: the answer is its only
// trace, there is no method that finds or ends a call, and no idempotency key
// (ai.google.dev/api/generate-content; batches and interactions are other APIs).
var Foreground = providers.Traits{
	Lookup: providers.LookupNone, Push: providers.PushNone, Cancel: providers.CancelNone,
	Duplicate: "the tokens of one more answer, thoughts included",
	Operations: []providers.Operation{{Name: "create", Call: "POST /v1beta/models/{model}:generateContent", Changes: true,
		Source: "ai.google.dev/api/generate-content"}},
}

const defaultIdle = 64

// New builds a Client. It calls nobody.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, errors.New("gemini: base_url must be an address such as https://generativelanguage.googleapis.com/v1beta, without credentials or query")
	}
	if c.Transport.MaxIdle == 0 {
		c.Transport.MaxIdle = defaultIdle
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	c.Transport.Origins, c.Transport.HonoursIdempotencyKey = []string{c.BaseURL}, false
	t, err := transport.New(c.Transport)
	if err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	return &Client{config: c, http: t}, nil
}

// Traits is the error contract of R20.
func (c *Client) Traits() providers.Traits { return Foreground }

// Close drops idle connections.
func (c *Client) Close() { c.http.Close() }

// Takes returns a *providers.Unsupported if r has no valid rendering here.
func (c *Client) Takes(r providers.Request) error {
	_, err := body(r)
	return err
}

// Complete makes one call and never a second one: what follows a failure is
// the router's decision. Its error is always a *contracts.Failure.
func (c *Client) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	b, err := body(r)
	if err != nil {
		return contracts.Completion{}, unsupported(err)
	}
	key := c.key()
	ctx, sent := transport.Track(ctx, r.Limits, r.OnFirstByte)
	a, err := c.send(ctx, r, b, key)
	if err != nil {
		return contracts.Completion{}, transport.FromError(err, ctx, sent)
	}
	done, f := read(a, callsBefore(r), key)
	if f == nil && len(r.Tools) == 0 && done.Content == "" { // calls that nobody offered
		f = ended(contracts.BadResponse, "empty", "the answer has no content")
		f.Status = a.Status
	}
	if f != nil {
		return contracts.Completion{}, f
	}
	return done, nil
}

func (c *Client) send(ctx context.Context, r providers.Request, b []byte, key string) (transport.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address(r.Model), io.NopCloser(bytes.NewReader(b)))
	if err != nil {
		return transport.Answer{}, err
	}
	req.ContentLength = int64(len(b))
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("X-Goog-Api-Key", key)
	}
	if r.AttemptID != "" { // not documented here: for what stands in between and for ledgers (R9)
		req.Header.Set("X-Client-Request-Id", r.AttemptID)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return transport.Answer{}, err
	}
	return transport.Read(resp)
}

// address names the model in the path, where it can't lead anywhere else.
func (c *Client) address(model string) string {
	return c.config.BaseURL + "/models/" + url.PathEscape(strings.TrimPrefix(model, "models/")) + ":generateContent"
}

func (c *Client) key() string {
	if c.config.APIKey == nil {
		return ""
	}
	return c.config.APIKey()
}

// Reproduce says r as a curl command with the body that Complete sends. The
// key is $API_KEY, which the shell fills in.
func (c *Client) Reproduce(r providers.Request) string {
	b, err := body(r)
	if err != nil {
		return ""
	}
	return "curl -sS " + shellQuote(c.address(r.Model)) + ` -H "X-Goog-Api-Key: $API_KEY" -H 'Content-Type: application/json' -d ` + shellQuote(string(b))
}

// shellQuote makes one word of s for any POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
