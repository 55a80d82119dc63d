package anthropic

import (
	"context"
	"net/http"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

var _ providers.Pinger = (*Client)(nil)

// Ping lists the models, which runs none (platform.claude.com/docs/en/api/models-list).
func (c *Client) Ping(ctx context.Context, l providers.Limits) error {
	key, head := c.key(), http.Header{}
	head.Set("Anthropic-Version", Version)
	if key != "" {
		head.Set("X-Api-Key", key)
	}
	return c.http.Ping(ctx, c.config.BaseURL+"/models", head, l, func(a transport.Answer) *contracts.Failure {
		_, f := read(a, key)
		return f
	})
}
