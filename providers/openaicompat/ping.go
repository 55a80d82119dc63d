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
	key, head := c.key(), http.Header{}
	if name := c.config.Profile.KeyHeader; name != "" {
		head.Set(name, key)
	} else if key != "" {
		head.Set("Authorization", "Bearer "+key)
	}
	return c.http.Ping(ctx, strings.TrimRight(c.config.BaseURL, "/")+"/models", head, l, func(a transport.Answer) *contracts.Failure {
		_, f := c.config.Profile.reader(key).read(a)
		return f
	})
}
