package conformance

import (
	"context"
	"fmt"

	"inferonce/contracts"
	"inferonce/providers"
)

const idEnforced = "PAR-04"

// parameterChecks look at what parameters do, never at whether they are taken.
func parameterChecks() []Check {
	return []Check{
		{ID: "PAR-02", Class: Capability, Proves: "R24", Says: "the bound on tokens is honoured", probe: capHonoured},
		{ID: "PAR-03", Class: Capability, Proves: "R24", Says: "stop words are honoured and left out", probe: stopHonoured},
		{ID: idEnforced, Class: Capability, Proves: "R24", Says: "the target itself keeps answers to the schema", probe: enforced},
		{ID: "PAR-05", Class: Advisory, Proves: "R24", Says: "the temperature has an effect", probe: warmth},
		{ID: "PAR-06", Class: Advisory, Proves: "R24", Says: "the same seed gives the same answer", probe: seeded},
	}
}

// plainRequest is one user turn without the contract's prompt, as free text.
func (p *Probe) plainRequest(text string) (providers.Request, error) {
	r, err := providers.BuildRequest(p.Contract, p.kase(0).Input, p.Target)
	r.Messages = []providers.Message{{Role: "user", Content: text}}
	r.Schema, r.SchemaName, r.Tools, r.ToolChoice, r.MaxTokens = nil, "", nil, "", maxProbeTokens
	return r, err
}

const (
	capTokens = 8
	capSlack  = 2 // tokens that end an answer are counted by some and not by others
)

// capHonoured asks for far more than it allows.
func capHonoured(ctx context.Context, p *Probe) finding {
	return p.trials(3, func(int) (string, error) {
		r, err := p.plainRequest(fmt.Sprintf("Write the word %s one hundred times, with a number before each.", p.Nonce()))
		if err != nil {
			return "", err
		}
		r.MaxTokens = capTokens
		got, failure, err := p.Ask(ctx, r)
		switch {
		case err != nil:
			return "", err
		case failure != nil && failure.Class == contracts.Truncated:
			return "", nil
		case failure != nil:
			return "a short bound is refused (" + causeOf(failure) + ")", nil
		case got.Usage.Reported && got.Usage.OutputTokens > capTokens+capSlack:
			return fmt.Sprintf("%d tokens came where %d were allowed", got.Usage.OutputTokens, capTokens), nil
		case got.FinishReason != "length":
			return "an answer that has to be cut is not called cut", nil
		}
		return "", nil
	})
}

// enforced asks for what breaks the schema, with schema mode on: only a target
// that constrains the model answers in the schema all the same. Without it the
// same question must get prose, or the first answer shows nothing.
func enforced(ctx context.Context, p *Probe) finding {
	if len(p.Contract.Tools) > 0 {
		return unused("the contract is answered in calls")
	}
	if p.Contract.Chat {
		return unused("each chat request brings its own schema; STR-10 looks at them")
	}
	f := p.trials(3, func(i int) (string, error) {
		text := fmt.Sprintf("Answer in French prose, two sentences about a ship called %s. Write no JSON and no braces.", p.Nonce())
		r, err := p.plainRequest(text)
		if err != nil {
			return "", err
		}
		free, missed, err := p.conforms(ctx, r, i)
		if err != nil || missed != "" {
			return missed, err
		}
		r.Schema, r.SchemaName = p.Contract.OutputSchema(), p.Contract.Name
		bound, missed, err := p.conforms(ctx, r, i)
		switch {
		case err != nil || missed != "":
			return missed, err
		case !bound:
			return "with schema mode on, the answer is prose: the target does not enforce the schema", nil
		case free:
			return "the answer keeps the schema without schema mode too, so nothing is shown", nil
		}
		return "", nil
	})
	switch f.verdict {
	case contracts.Pass:
		return f.with(map[string]string{"enforcement": "native"})
	case contracts.Fail:
		return f.with(map[string]string{"enforcement": "none"})
	}
	return f
}

// conforms asks and says whether the answer has the contract's form.
func (p *Probe) conforms(ctx context.Context, r providers.Request, i int) (bool, string, error) {
	got, failure, err := p.Ask(ctx, r)
	if err != nil {
		return false, "", err
	}
	if failure != nil {
		return false, "the probe was not answered (" + causeOf(failure) + ")", nil
	}
	_, bad := p.Contract.CheckOutput(got.Content, p.kase(i).Input)
	return bad == nil || bad.Code == contracts.CodeAssertion, "", nil
}

// hot is a temperature that every provider of chat completions takes.
const hot = 1.0

// warmth compares five answers at the contract's setting with five at a high one.
func warmth(ctx context.Context, p *Probe) finding {
	t := p.Target.Temperature
	if t.Omit || t.Fixed != nil {
		return unused("the target takes no other temperature")
	}
	question := fmt.Sprintf("Invent one unusual name for a ship. Do not use %s. Answer with the name alone.", p.Nonce())
	low, err := p.distinct(ctx, question, t.Min)
	if err != nil {
		return unshown(err.Error())
	}
	high, err := p.distinct(ctx, question, hot)
	if err != nil {
		return unshown(err.Error())
	}
	f := of(1, 1, "")
	if high < 2 || high < low {
		f = of(1, 0, fmt.Sprintf("%d of 5 answers differ at the low temperature, %d at the high one", low, high))
	}
	return f.with(map[string]string{"distinct_low": fmt.Sprint(low), "distinct_high": fmt.Sprint(high)})
}

func (p *Probe) distinct(ctx context.Context, question string, temperature float64) (int, error) {
	seen := map[string]bool{}
	for range 5 {
		r, err := p.plainRequest(question)
		if err != nil {
			return 0, err
		}
		r.Temperature = &temperature
		got, failure, err := p.Ask(ctx, r)
		if err != nil {
			return 0, err
		}
		if failure == nil {
			seen[got.Content] = true
		}
	}
	return len(seen), nil
}

// sent is the sampling that goes with every case, for the record.
func (s *suite) sent() map[string]string {
	if len(s.Contract.Cases) == 0 {
		return nil
	}
	r, err := providers.BuildRequest(s.Contract, s.Contract.Cases[0].Input, s.Target)
	if err != nil {
		return nil
	}
	v := map[string]string{"temperature": "omitted", "max_tokens": "omitted"}
	if r.Temperature != nil {
		v["temperature"] = fmt.Sprintf("%g", *r.Temperature)
	}
	if r.MaxTokens > 0 {
		v["max_tokens"] = fmt.Sprint(r.MaxTokens)
	}
	return v
}
