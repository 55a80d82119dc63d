// Package openaicompat speaks OpenAI's chat completions, not streamed, with
// any server that offers them. go-openai knows OpenAI's models and builds the
// call; the body is written here (see wire), and the answer is read here, because
// go-openai's errors repeat the body, lose headers, and do not tell an answer
// that was cut from one that is wrong. What differs between servers is data: see
// Profile.
package openaicompat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

// Version is of what this adapter sends and how it reads the answer. Conformance
// passes are bound to it: raise it with every change that can change an answer.
const Version = "1"

// Config describes one provider account.
type Config struct {
	// BaseURL is the address that "/chat/completions" is appended to, such as
	// "https://api.openai.com/v1". Nothing else is ever called, but for WithRendering.
	BaseURL string
	// APIKey returns the key for the next call; nil or "": no key is sent. It is
	// a function so that printing a Config shows no key.
	APIKey func() string
	// Profile says how this server differs; the zero Profile is the generic one.
	Profile Profile
	// APIVersion is Azure's api-version; with it the model is the name of a
	// deployment and stands in the path, and BaseURL ends before "/openai".
	APIVersion string
	// Organization is sent as OpenAI-Organization where set.
	Organization string
	// Traits say what can be learnt about a lost call; see providers.Traits.
	// Where CreateToken is set, the attempt id travels as Idempotency-Key.
	Traits providers.Traits
	// Transport tunes connections. Origins and HonoursIdempotencyKey are set by New.
	Transport transport.Options
}

// Client is a provider that speaks chat completions. It is safe for concurrent use.
type Client struct {
	config Config
	http   *transport.Client
}

var (
	_ providers.Provider = (*Client)(nil)
	_ providers.Profiled = (*Client)(nil)
)

// Foreground is what OpenAI documents of a call that is neither stored nor in
// the background: it can be found, pushed and cancelled nowhere
// (developers.openai.com/api/reference/overview), and a second one costs as
// much as the first.
var Foreground = providers.Traits{
	Lookup: providers.LookupNone, Push: providers.PushNone, Cancel: providers.CancelNone, Duplicate: "the tokens of one more completion",
	Operations: []providers.Operation{{Name: "create", Call: "POST /chat/completions", Changes: true, Source: "developers.openai.com/api/reference/resources/chat"}},
}

const defaultIdle = 64

// New builds a Client. It calls nobody.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("openaicompat: base_url must be an address such as https://api.example.com/v1, without credentials or query")
	}
	if c.Profile.Name == "" {
		c.Profile = generic()
	}
	if c.APIVersion != "" && !c.Profile.Deployment {
		return nil, fmt.Errorf("openaicompat: the profile %s has no api_version; leave it out, or take the kind azure", c.Profile.Name)
	}
	if c.Traits.Lookup == "" {
		c.Traits = Foreground
	}
	if c.Transport.MaxIdle == 0 {
		c.Transport.MaxIdle = defaultIdle
	}
	c.Transport.Origins = []string{c.BaseURL}
	c.Transport.HonoursIdempotencyKey = c.Traits.CreateToken
	t, err := transport.New(c.Transport)
	if err != nil {
		return nil, fmt.Errorf("openaicompat: %w", err)
	}
	return &Client{config: c, http: t}, nil
}

// Traits is the error contract of R20.
func (c *Client) Traits() providers.Traits { return c.config.Traits }

// Close drops idle connections.
func (c *Client) Close() { c.http.Close() }

// Complete makes one call and never a second one: what follows a failure is
// the router's decision. Its error is always a *contracts.Failure.
func (c *Client) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	if u := c.config.Profile.takes(r); u != nil {
		return contracts.Completion{}, unbuilt(u)
	}
	body, err := json.Marshal(c.config.Profile.toWire(r))
	if err != nil {
		return contracts.Completion{}, unbuilt(nil)
	}
	ctx, sent := transport.Track(ctx, r.Limits, r.OnFirstByte)
	x := &exchange{http: c.http, key: c.key(), keyHeader: c.config.Profile.KeyHeader, attempt: r.AttemptID, body: body}
	_, err = openai.NewClientWithConfig(c.api(x, r.Model)).CreateChatCompletion(ctx, known(r))
	switch {
	case x.err != nil:
		return contracts.Completion{}, transport.FromError(x.err, ctx, sent)
	case !x.done:
		return contracts.Completion{}, unbuilt(err)
	}
	done, f := c.config.Profile.reader(x.key).read(x.answer)
	if f == nil && len(r.Tools) == 0 && done.Content == "" { // calls that nobody offered
		f = ended(contracts.BadResponse, "empty", "the answer has no content")
		f.Status = x.answer.Status
	}
	if f == nil {
		return done, nil
	}
	if f.Status == http.StatusConflict && c.config.Traits.CreateToken {
		f.Effect = contracts.Open // under a token a conflict says that such a call exists already
	}
	return contracts.Completion{}, f
}

// Replay reads an answer that was recorded the way Complete reads a live one, but
// for what only a connection shows. It calls nobody. Its error is always a
// *contracts.Failure.
func Replay(status int, header http.Header, body []byte) (contracts.Completion, error) {
	c, f := generic().reader("").read(transport.Answer{Status: status, Header: header, Body: body})
	if f != nil {
		return contracts.Completion{}, f
	}
	return c, nil
}

func (c *Client) key() string {
	if c.config.APIKey == nil {
		return ""
	}
	return c.config.APIKey()
}

// base is the address before "/chat/completions".
func (c *Client) base(model string) string {
	base := strings.TrimRight(c.config.BaseURL, "/")
	if c.config.APIVersion != "" {
		base += "/openai/deployments/" + url.PathEscape(model)
	}
	return base
}

func (c *Client) api(x *exchange, model string) openai.ClientConfig {
	o := openai.DefaultConfig(x.key)
	o.BaseURL, o.APIVersion, o.OrgID, o.HTTPClient = c.base(model), c.config.APIVersion, c.config.Organization, x
	return o
}

// ProfileDigest names what is known of this server's ways; see Profile.Digest.
func (c *Client) ProfileDigest() string { return c.config.Profile.Digest() }

// errKept tells go-openai that there is no answer for it to read.
var errKept = errors.New("openaicompat: the answer is read here")

// exchange is the HTTP client that go-openai gets for one call. It keeps the
// answer and hands back none, so that there is nothing to misread.
type exchange struct {
	http      *transport.Client
	key       string
	keyHeader string // "": Authorization
	attempt   string
	body      []byte

	answer transport.Answer
	err    error
	done   bool
}

// Do sends the request that go-openai built.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	if x.attempt != "" {
		req.Header.Set("X-Client-Request-Id", x.attempt)
		req.Header.Set("Idempotency-Key", x.attempt) // the transport drops it unless the provider proved it
	}
	if x.keyHeader != "" {
		req.Header.Del("Authorization")
		req.Header.Set(x.keyHeader, x.key)
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(x.body)), int64(len(x.body))
	req.GetBody = nil // it would give go-openai's
	resp, err := x.http.Do(req)
	if err == nil {
		x.answer, err = transport.Read(resp)
	}
	x.err, x.done = err, err == nil
	return nil, errKept
}
