package openairesponses

import (
	"context"
	"net/http"
	"strings"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

var _ providers.Pinger = (*Client)(nil)

// Ping lists the models, which runs none (developers.openai.com/api/reference/resources/models).
func (c *Client) Ping(ctx context.Context, l providers.Limits) error {
	key, head := c.key(), http.Header{}
	if key != "" {
		head.Set("Authorization", "Bearer "+key)
	}
	return c.http.Ping(ctx, strings.TrimRight(c.config.BaseURL, "/")+"/models", head, l, func(a transport.Answer) *contracts.Failure {
		return transport.Classify(a, key)
	})
}
