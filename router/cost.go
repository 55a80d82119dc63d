package router

import (
	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// costOf is what an attempt costs, as far as it is known how it ended: certain
// where nothing ran or the provider counted, otherwise the most that it can
// have been. nil: the target has no price, or nothing bounds the answer.
func costOf(t providers.Target, c *contracts.Contract, intent []byte, a answer) *jobstore.Cost {
	if !t.Price.Known() {
		return nil
	}
	if a.failure != nil && a.failure.Effect == contracts.None {
		return &jobstore.Cost{}
	}
	if micro, known := t.Price.Cost(a.usage); known {
		return &jobstore.Cost{MicroUSD: micro}
	}
	most, ok := mostUsage(t, c, intent)
	if !ok {
		return nil
	}
	micro, _ := t.Price.Cost(most)
	return &jobstore.Cost{MicroUSD: micro, Estimated: true}
}

// tokensAround is how many tokens a chat template may put around one message.
const tokensAround = 64

// mostUsage bounds what a call can have used: a token is at least a byte of what
// was sent, and the answer is as long as the contract allows.
func mostUsage(t providers.Target, c *contracts.Contract, intent []byte) (contracts.Usage, bool) {
	if !c.Chat && c.Sampling.MaxTokens <= 0 {
		return contracts.Usage{}, false
	}
	input, err := inputOf(intent)
	if err != nil {
		return contracts.Usage{}, false
	}
	req, err := providers.BuildRequest(c, input, t)
	if err != nil || req.MaxTokens <= 0 {
		return contracts.Usage{}, false
	}
	n := len(req.Schema)
	for _, m := range req.Messages {
		n += len(m.Content) + tokensAround
		for _, call := range m.ToolCalls {
			n += len(call.Name) + len(call.Arguments) + tokensAround
		}
		for _, p := range m.Parts {
			if p.Image != nil {
				return contracts.Usage{}, false // what an image costs is each provider's own rule
			}
			n += len(p.Text)
		}
	}
	for _, tool := range req.Tools {
		n += len(tool.Name) + len(tool.Description) + len(tool.Parameters) + tokensAround
	}
	return contracts.Usage{InputTokens: int64(n), OutputTokens: int64(req.MaxTokens), Reported: true}, true
}

func (d *driver) cost(target string, a answer) *jobstore.Cost {
	return costOf(d.r.Targets[target], d.f.route.Contract, d.job.Intent, a)
}
