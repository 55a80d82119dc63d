// Package anthropic speaks Anthropic's Messages API, not streamed. Request and
// answer are our own structs: the body goes out once, through the transport,
// and the schema in its own property order.
package anthropic

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

// Version is the version of the API that this adapter was written for
// (platform.claude.com/docs/en/api/versioning).
const Version = "2023-06-01"

// DefaultMaxTokens bounds an answer where a request sets no bound of its own:
// the API has no default. It is what the oldest models that are offered can
// write at most (platform.claude.com/docs/en/about-claude/models/overview).
const DefaultMaxTokens = 4096

// Config describes one account.
type Config struct {
	// BaseURL is the address that "/messages" is appended to, such as
	// "https://api.anthropic.com/v1". Nothing else is ever called.
	BaseURL string
	// APIKey returns the key for the next call; nil or "": no key is sent. It is
	// a function so that printing a Config shows no key.
	APIKey func() string
	// MaxTokens bounds the answers of requests that set no bound; 0: DefaultMaxTokens.
	MaxTokens int
	// Transport tunes connections. Origins and HonoursIdempotencyKey are set by New.
	Transport transport.Options
}

// Client is a provider that speaks the Messages API. It is safe for concurrent use.
type Client struct {
	config Config
	http   *transport.Client
}

var (
	_ providers.Provider   = (*Client)(nil)
	_ providers.Checker    = (*Client)(nil)
	_ providers.Reproducer = (*Client)(nil)
)

// Foreground is what is documented of a message that is created in the
// foreground: it is not stored, so that nothing finds, pushes or cancels it
// (platform.claude.com/docs/en/api/messages lists create and count_tokens
// only; batches are another API). The create call takes no idempotency key.
var Foreground = providers.Traits{
	Lookup: providers.LookupNone, Push: providers.PushNone, Cancel: providers.CancelNone,
	Duplicate:  "the tokens of one more message",
	Operations: []providers.Operation{{Name: "create", Call: "POST /v1/messages", Changes: true, Source: "platform.claude.com/docs/en/api/messages"}},
}

const defaultIdle = 64

// New builds a Client. It calls nobody.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, errors.New("anthropic: base_url must be an address such as https://api.anthropic.com/v1, without credentials or query")
	}
	if c.MaxTokens <= 0 {
		c.MaxTokens = DefaultMaxTokens
	}
	if c.Transport.MaxIdle == 0 {
		c.Transport.MaxIdle = defaultIdle
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	c.Transport.Origins, c.Transport.HonoursIdempotencyKey = []string{c.BaseURL}, false
	t, err := transport.New(c.Transport)
	if err != nil {
		return nil, fmt.Errorf("anthropic: %w", err)
	}
	return &Client{config: c, http: t}, nil
}

// Traits is the error contract of R20.
func (c *Client) Traits() providers.Traits { return Foreground }

// Close drops idle connections.
func (c *Client) Close() { c.http.Close() }

// Takes returns a *providers.Unsupported if r has no valid rendering here.
func (c *Client) Takes(r providers.Request) error {
	_, err := c.body(r)
	return err
}

// Complete makes one call and never a second one: what follows a failure is
// the router's decision. Its error is always a *contracts.Failure.
func (c *Client) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	body, err := c.body(r)
	if err != nil {
		return contracts.Completion{}, unsupported(err)
	}
	key := c.key()
	ctx, sent := transport.Track(ctx, r.Limits, r.OnFirstByte)
	a, err := c.send(ctx, r, body, key)
	if err != nil {
		return contracts.Completion{}, transport.FromError(err, ctx, sent)
	}
	done, f := read(a, key)
	if f == nil && len(r.Tools) == 0 && done.Content == "" { // calls that nobody offered
		f = ended(contracts.BadResponse, "empty", "the answer has no content")
		f.Status = a.Status
	}
	if f != nil {
		return contracts.Completion{}, f
	}
	return done, nil
}

func (c *Client) send(ctx context.Context, r providers.Request, body []byte, key string) (transport.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.config.BaseURL+"/messages", io.NopCloser(bytes.NewReader(body)))
	if err != nil {
		return transport.Answer{}, err
	}
	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Anthropic-Version", Version)
	if key != "" {
		req.Header.Set("X-Api-Key", key)
	}
	if r.AttemptID != "" { // not documented here: for what stands in between and for ledgers (R9)
		req.Header.Set("X-Client-Request-Id", r.AttemptID)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return transport.Answer{}, err
	}
	if id := label(resp.Header.Get("Request-Id"), key); id != "" && r.OnReference != nil {
		r.OnReference(id)
	}
	return transport.Read(resp)
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
	body, err := c.body(r)
	if err != nil {
		return ""
	}
	return "curl -sS " + shellQuote(c.config.BaseURL+"/messages") + ` -H "X-Api-Key: $API_KEY" -H 'Anthropic-Version: ` + Version +
		`' -H 'Content-Type: application/json' -d ` + shellQuote(string(body))
}

// shellQuote makes one word of s for any POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
