// Package openairesponses speaks OpenAI's Responses API in background mode. A
// create is answered at once with an id, and the work goes on at the provider;
// the id is then asked for until the work has ended. So a call whose answer was
// lost can be looked up, cancelled, and announced by a webhook, as long as its
// id arrived, or, by the metadata that it carries, once a webhook names it.
package openairesponses

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

// Config describes one provider account.
type Config struct {
	// BaseURL is the address that "/responses" is appended to, such as
	// "https://api.openai.com/v1". Nothing else is ever called.
	BaseURL string
	// APIKey returns the key for the next call; nil or "": no key is sent. It is
	// a function so that printing a Config shows no key.
	APIKey func() string
	// Organization is sent as OpenAI-Organization where set.
	Organization string
	// Transport tunes connections. Origins and HonoursIdempotencyKey are set by New.
	Transport transport.Options
}

// Client is a provider that speaks the Responses API. It is safe for concurrent use.
type Client struct {
	config Config
	base   string
	http   *transport.Client
	after  func(time.Duration) <-chan time.Time
	random func() float64 // in [0,1)
}

var (
	_ providers.Provider       = (*Client)(nil)
	_ providers.Checker        = (*Client)(nil)
	_ providers.Lookuper       = (*Client)(nil)
	_ providers.Canceler       = (*Client)(nil)
	_ providers.CallbackParser = (*Client)(nil)
)

const defaultIdle = 64

// readTime bounds one look at a response, so that one that hangs doesn't use
// up the time in which another would be answered.
const readTime = 30 * time.Second

// New builds a Client. It calls nobody.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("openairesponses: base_url must be an address such as https://api.openai.com/v1, without credentials or query")
	}
	if c.Transport.MaxIdle == 0 {
		c.Transport.MaxIdle = defaultIdle
	}
	c.Transport.Origins = []string{c.BaseURL}
	c.Transport.HonoursIdempotencyKey = false // the API documents none
	t, err := transport.New(c.Transport)
	if err != nil {
		return nil, fmt.Errorf("openairesponses: %w", err)
	}
	base := strings.TrimRight(c.BaseURL, "/") + "/responses"
	return &Client{config: c, base: base, http: t, after: time.After, random: rand.Float64}, nil
}

// Traits is the error contract of R20. Sources: the guides on background mode
// and webhooks, the reference of responses, and the guide on data controls,
// each at developers.openai.com.
func (c *Client) Traits() providers.Traits {
	return providers.Traits{
		Lookup:    providers.LookupByID,    // there is GET by id, and no list
		Push:      providers.PushAccount,   // webhooks belong to a project, not to a request
		Cancel:    providers.CancelRequest, // asking twice is documented to be harmless; that work stops at once is not
		MaxRun:    0,                       // no longest run is documented
		Retention: 30 * 24 * time.Hour,     // of a response with store: true; about 10 minutes without
		Duplicate: "the tokens of one more response",
		Operations: []providers.Operation{
			{Name: "create", Call: "POST /responses", Changes: true, Source: "developers.openai.com/api/docs/guides/background"},
			{Name: "retrieve", Call: "GET /responses/{id}", Source: "developers.openai.com/api/docs/guides/background"},
			{Name: "cancel", Call: "POST /responses/{id}/cancel", Changes: true, Source: "developers.openai.com/api/docs/guides/background"},
		},
	}
}

// Close drops idle connections.
func (c *Client) Close() { c.http.Close() }

// Complete creates one response and never a second one, and asks for it until
// it has ended or ctx ends. Only asking is repeated: it changes nothing. Where
// ctx ends first, the failure is open and the work goes on at the provider.
// Its error is always a *contracts.Failure.
func (c *Client) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	key := c.key()
	made, f := c.create(ctx, r, key)
	if f == nil && r.OnReference != nil {
		r.OnReference(made.ID)
	}
	if f == nil {
		made, f = c.follow(ctx, made, r, key)
	}
	if f != nil {
		return contracts.Completion{}, f
	}
	done, f := made.completion(key)
	if f == nil && len(r.Tools) == 0 && done.Content == "" { // calls that nobody offered
		f = ended(contracts.BadResponse, "empty", "the answer has no content")
		f.Status = made.status
	}
	if f != nil {
		return contracts.Completion{}, f
	}
	return done, nil
}

func (c *Client) create(ctx context.Context, r providers.Request, key string) (response, *contracts.Failure) {
	if err := c.Takes(r); err != nil {
		return response{}, unbuilt(err)
	}
	body, err := encode(toRequest(r))
	if err != nil {
		return response{}, unbuilt(err)
	}
	ctx, sent := transport.Track(ctx, r.Limits, r.OnFirstByte)
	a, err := c.send(ctx, http.MethodPost, c.base, body, r.AttemptID, key)
	if err != nil {
		return response{}, lost(transport.FromError(err, ctx, sent))
	}
	return readCreated(a, key)
}

// send makes one request and reads the answer to its end.
func (c *Client) send(ctx context.Context, method, address string, body []byte, attempt, key string) (transport.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return transport.Answer{}, err
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range map[string]string{"X-Client-Request-Id": attempt, "OpenAI-Organization": c.config.Organization} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return transport.Answer{}, err
	}
	return transport.Read(resp)
}

func (c *Client) key() string {
	if c.config.APIKey == nil {
		return ""
	}
	return c.config.APIKey()
}
