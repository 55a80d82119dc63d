package providers

import "context"

// Pinger is a Provider that can be asked whether it is there and knows our key,
// by a call that runs no model and costs nothing.
type Pinger interface {
	// Ping asks once. Its error is a *contracts.Failure: auth where the key is refused.
	Ping(ctx context.Context, l Limits) error
}
