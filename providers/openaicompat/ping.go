package openaicompat

import (
	"context"
	"net/http"
	"strings"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

var _ providers.Pinger = (*Client)(nil)

// Ping lists the models, which runs none
// (developers.openai.com/api/reference/resources/models). A server without that
// list answers not_found, and says so that it is there.
func (c *Client) Ping(ctx context.Context, l providers.Limits) error {
	ctx, sent := transport.Track(ctx, l, nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(c.config.BaseURL, "/")+"/models", nil)
	if err != nil {
		return unbuilt(err)
	}
	key := c.key()
	if header := c.config.Profile.KeyHeader; header != "" {
		req.Header.Set(header, key)
	} else if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return transport.FromError(err, ctx, sent)
	}
	a, err := transport.Read(resp)
	if err != nil {
		return transport.FromError(err, ctx, sent)
	}
	if a.Status == http.StatusOK {
		return nil
	}
	if _, f := c.config.Profile.reader(key).read(a); f != nil {
		return f
	}
	return &contracts.Failure{Class: contracts.BadResponse, Effect: contracts.Ended, Code: "status", Status: a.Status}
}
