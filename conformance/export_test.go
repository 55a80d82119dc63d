package conformance

import (
	"context"

	"inferonce/contracts"
	"inferonce/providers"
)

// Echoing answers probes as a model would that reads its prompt, and leaves
// everything else to another provider that can't.
func Echoing(c *contracts.Contract, to providers.Provider) providers.Provider {
	return &echoing{Provider: to, model: model{contract: c}}
}

type echoing struct {
	providers.Provider
	model model
}

func (e *echoing) Complete(ctx context.Context, r providers.Request) (contracts.Completion, error) {
	if r.SchemaName == probeName {
		return e.model.Complete(ctx, r)
	}
	return e.Provider.Complete(ctx, r)
}
