package gemini

import (
	"context"
	"net/http"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

var _ providers.Pinger = (*Client)(nil)

// Ping lists the models, which runs none (ai.google.dev/api/models).
func (c *Client) Ping(ctx context.Context, l providers.Limits) error {
	key, head := c.key(), http.Header{}
	if key != "" {
		head.Set("X-Goog-Api-Key", key)
	}
	return c.http.Ping(ctx, c.config.BaseURL+"/models", head, l, func(a transport.Answer) *contracts.Failure {
		_, f := read(a, 0, key)
		return f
	})
}
