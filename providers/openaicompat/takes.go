package openaicompat

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"

	openai "github.com/sashabaranov/go-openai"

	"inferonce/contracts"
	"inferonce/providers"
)

var _ providers.Checker = (*Client)(nil)

// Takes says, without a call, which part of r this server can't take, as a
// *providers.Unsupported.
func (c *Client) Takes(r providers.Request) error {
	if u := c.config.Profile.takes(r); u != nil {
		return u
	}
	return nil
}

func no(part, reason string, args ...any) *providers.Unsupported {
	return &providers.Unsupported{Part: part, Reason: fmt.Sprintf(reason, args...)}
}

func (p Profile) takes(r providers.Request) *providers.Unsupported {
	for _, check := range []func(providers.Request) *providers.Unsupported{
		p.takesModel, p.takesSampling, p.takesSchema, p.takesTools, p.takesTurns,
	} {
		if u := check(r); u != nil {
			return u
		}
	}
	return nil
}

var deployment = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// takesModel also asks go-openai, which knows what OpenAI's own models refuse.
func (p Profile) takesModel(r providers.Request) *providers.Unsupported {
	if r.Model == "" || p.Deployment && !deployment.MatchString(r.Model) {
		return no("model", "this is not the name of a model here")
	}
	if err := openai.NewReasoningValidator().Validate(known(r)); err != nil {
		return no("model", "this model does not take the request: %v", err)
	}
	return nil
}

// known is r as far as go-openai's knowledge of models goes.
func known(r providers.Request) openai.ChatCompletionRequest {
	q := openai.ChatCompletionRequest{Model: r.Model, MaxCompletionTokens: r.MaxTokens, Temperature: meant(r.Temperature), TopP: meant(r.TopP)}
	if len(r.Tools) > 0 {
		q.Tools = make([]openai.Tool, len(r.Tools))
	}
	return q
}

// meant makes a 0 that was meant one that go-openai can see.
func meant(f *float64) float32 {
	switch {
	case f == nil:
		return 0
	case *f == 0:
		return math.SmallestNonzeroFloat32
	}
	return float32(*f)
}

func (p Profile) takesSampling(r providers.Request) *providers.Unsupported {
	fixed := family(r.Model, p.FixedHeat)
	switch {
	case r.MaxTokens < 0:
		return no("max_tokens", "it is negative")
	case outside(r.Temperature, p.MaxHeat):
		return no("temperature", "it must lie between 0 and %g", p.MaxHeat)
	case fixed && r.Temperature != nil && *r.Temperature != 1:
		return no("temperature", "this model takes none but 1")
	case r.TopP != nil && (!p.TopP || outside(r.TopP, 1)):
		return no("top_p", "it must lie between 0 and 1, and the API must know it")
	case fixed && r.TopP != nil && *r.TopP != 1:
		return no("top_p", "this model takes none but 1")
	case r.Seed != nil && p.Seed == "":
		return no("seed", "this API takes none")
	case len(r.Stop) > 0 && family(r.Model, p.NoStops):
		return no("stop", "this model takes none")
	case p.MaxStops >= 0 && len(r.Stop) > p.MaxStops:
		return no("stop", "this API takes %d at most", p.MaxStops)
	case slices.Contains(r.Stop, ""):
		return no("stop", "one of them is empty")
	}
	return nil
}

// outside is also true for what is no number; a bound of 0 is not known.
func outside(f *float64, most float64) bool {
	return f != nil && (math.IsNaN(*f) || math.IsInf(*f, 0) || *f < 0 || most > 0 && *f > most)
}

func (p Profile) takesSchema(r providers.Request) *providers.Unsupported {
	switch {
	case r.Schema == nil:
	case !json.Valid(r.Schema):
		return no("schema", "it is not JSON")
	case p.Schemas == "":
		return no("schema", "this API takes none")
	}
	return nil
}

var functionName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (p Profile) takesTools(r providers.Request) *providers.Unsupported {
	names := map[string]bool{}
	for i, t := range r.Tools {
		if !functionName.MatchString(t.Name) || names[t.Name] {
			return no(fmt.Sprintf("tools[%d].name", i), "it must be one of its own, of up to 64 letters, digits, underscores and hyphens")
		}
		if len(t.Parameters) > 0 && !json.Valid(t.Parameters) {
			return no(fmt.Sprintf("tools[%d].parameters", i), "they are not JSON")
		}
		names[t.Name] = true
	}
	forced := r.ToolChoice == contracts.ToolRequired || r.ToolChoice == providers.ToolNamed
	switch {
	case len(r.Tools) == 0 && forced:
		return no("tool_choice", "there are no tools to choose from")
	case len(r.Tools) > 0 && r.ToolChoice != "" && !slices.Contains(p.ToolChoices, r.ToolChoice):
		return no("tool_choice", "this API does not take %q", r.ToolChoice)
	case r.ToolChoice == providers.ToolNamed && !names[r.ToolName]:
		return no("tool_name", "no tool has this name")
	case r.ParallelTools != nil && !p.Parallel:
		return no("parallel_tools", "this API does not obey it")
	case r.ParallelTools != nil && len(r.Tools) == 0:
		return no("parallel_tools", "there are no tools to call")
	}
	return nil
}
