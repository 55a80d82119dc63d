// Package bedrock speaks Amazon Bedrock's Converse, not streamed. AWS's own
// library only signs: its clients repeat calls. A call of Converse can be found
// nowhere afterwards, so that one whose answer was lost stays unknown until
// somebody outside settles it.
package bedrock

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

// Config describes one account in one region.
type Config struct {
	// BaseURL is the address that "/model/{id}/converse" is appended to, such as
	// "https://bedrock-runtime.eu-central-1.amazonaws.com". Nothing else is ever called.
	BaseURL string
	// Region is the one that requests are signed for.
	Region string
	// Credentials return what the next call is signed with; nil: it isn't signed.
	// They are a function so that printing a Config shows none.
	Credentials func() Credentials
	// APIKey returns a Bedrock API key, sent where there are no credentials; nil
	// or "": none is sent.
	APIKey func() string
	// Transport tunes connections. Origins and HonoursIdempotencyKey are set by New.
	Transport transport.Options
}

// Credentials are an access key of AWS. The token belongs to temporary ones.
type Credentials struct {
	AccessKeyID, SecretAccessKey, SessionToken string
}

// Client is a provider that speaks Converse. It is safe for concurrent use.
type Client struct {
	config Config
	http   *transport.Client
	signer *v4.Signer
	now    func() time.Time
}

var (
	_ providers.Provider = (*Client)(nil)
	_ providers.Checker  = (*Client)(nil)
)

const defaultIdle = 64

var regions = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// New builds a Client. It calls nobody.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("bedrock: base_url must be an address such as https://bedrock-runtime.eu-central-1.amazonaws.com, without credentials or query")
	}
	if c.Credentials != nil && !regions.MatchString(c.Region) {
		return nil, fmt.Errorf("bedrock: a signature needs the region, such as eu-central-1")
	}
	if c.Transport.MaxIdle == 0 {
		c.Transport.MaxIdle = defaultIdle
	}
	c.Transport.Origins = []string{c.BaseURL}
	c.Transport.HonoursIdempotencyKey = false // Converse has none
	t, err := transport.New(c.Transport)
	if err != nil {
		return nil, fmt.Errorf("bedrock: %w", err)
	}
	return &Client{config: c, http: t, signer: v4.NewSigner(), now: time.Now}, nil
}

// Traits is the error contract of R20. Converse keeps nothing: its reference
// says that content is not stored, and knows no operation that asks about a
// call. Invocation logs, where an account has them, show the attempt id as
// request metadata, to people.
func (c *Client) Traits() providers.Traits {
	return providers.Traits{
		Lookup: providers.LookupNone, Push: providers.PushNone, Cancel: providers.CancelNone,
		Duplicate: "the tokens of one more completion",
		Operations: []providers.Operation{{Name: "create", Call: "POST /model/{id}/converse", Changes: true,
			Source: "docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html"}},
	}
}

// Close drops idle connections.
func (c *Client) Close() { c.http.Close() }

// Complete makes one call and never a second one: what follows a failure is
// the router's decision. Its error is always a *contracts.Failure.
func (c *Client) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	if err := c.Takes(r); err != nil {
		return contracts.Completion{}, unbuilt(err)
	}
	body, err := encode(toRequest(r))
	if err != nil {
		return contracts.Completion{}, unbuilt(err)
	}
	who := c.identity()
	ctx, sent := transport.Track(ctx, r.Limits, r.OnFirstByte)
	a, err := c.send(ctx, c.address(r.Model), body, who)
	if err != nil {
		return contracts.Completion{}, transport.FromError(err, ctx, sent)
	}
	done, f := read(a, who.secrets())
	if f == nil && len(r.Tools) == 0 && done.Content == "" { // calls that nobody offered
		f = ended(contracts.BadResponse, "empty", "the answer has no content")
		f.Status = a.Status
	}
	if f != nil {
		return contracts.Completion{}, f
	}
	return done, nil
}

// address keeps everything of a model's id in one segment of the path, also
// the colons and slashes of an ARN, as AWS's own clients do.
func (c *Client) address(model string) string {
	escaped := strings.ReplaceAll(url.QueryEscape(model), "+", "%20")
	return strings.TrimRight(c.config.BaseURL, "/") + "/model/" + escaped + "/converse"
}

func (c *Client) send(ctx context.Context, address string, body []byte, who identity) (transport.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return transport.Answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if err := c.prove(req, body, who); err != nil {
		return transport.Answer{}, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return transport.Answer{}, err
	}
	return transport.Read(resp)
}

// identity is who a call is made as.
type identity struct {
	aws aws.Credentials
	key string
}

func (c *Client) identity() (who identity) {
	if c.config.Credentials != nil {
		k := c.config.Credentials()
		who.aws = aws.Credentials{AccessKeyID: k.AccessKeyID, SecretAccessKey: k.SecretAccessKey, SessionToken: k.SessionToken}
	} else if c.config.APIKey != nil {
		who.key = c.config.APIKey()
	}
	return who
}

// secrets are what must not come back in anybody's words. A refused signature
// is answered with what was signed, and the token is part of that.
func (who identity) secrets() []string {
	return []string{who.aws.SecretAccessKey, who.aws.SessionToken, who.key}
}

// prove signs req, or puts the API key in.
func (c *Client) prove(req *http.Request, body []byte, who identity) error {
	if who.key != "" {
		req.Header.Set("Authorization", "Bearer "+who.key)
	}
	if c.config.Credentials == nil {
		return nil
	}
	sum := sha256.Sum256(body)
	return c.signer.SignHTTP(req.Context(), who.aws, req, hex.EncodeToString(sum[:]), "bedrock", c.config.Region, c.now())
}
