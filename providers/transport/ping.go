package transport

import (
	"context"
	"net/http"

	"inferonce/contracts"
	"inferonce/providers"
)

// Ping asks for address once, which must be a call that runs no model and changes
// nothing, and judges every answer but 200. Its error is a *contracts.Failure.
func (c *Client) Ping(ctx context.Context, address string, head http.Header, l providers.Limits, judge func(Answer) *contracts.Failure) error {
	ctx, sent := Track(ctx, l, nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return FromError(err, ctx, sent)
	}
	req.Header = head
	resp, err := c.Do(req)
	if err != nil {
		return FromError(err, ctx, sent)
	}
	a, err := Read(resp)
	if err != nil {
		return FromError(err, ctx, sent)
	}
	if a.Status == http.StatusOK {
		return nil
	}
	if f := judge(a); f != nil {
		return f
	}
	return &contracts.Failure{Class: contracts.BadResponse, Effect: contracts.Ended, Code: "status", Status: a.Status}
}
