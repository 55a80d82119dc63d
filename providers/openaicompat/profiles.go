package openaicompat

import (
	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/transport"
)

// profiles are the servers whose ways are known. Each begins as OpenAI's and
// says what differs. Pages were read where Unverified does not name the line.
func profiles() map[string]Profile {
	out := map[string]Profile{}
	for _, p := range []Profile{
		openAI(), azure(), generic(), vLLM(), llamaCPP(), ollama(), groq(), mistral(), together(), deepSeek(), openRouter(),
	} {
		out[p.Name] = p
	}
	return out
}

func everyChoice() []string {
	return []string{contracts.ToolAuto, contracts.ToolRequired, providers.ToolNone, providers.ToolNamed}
}

func openAI() Profile {
	return Profile{
		Name: "openai", Page: "developers.openai.com/api/reference/resources/chat",
		TokenCap: capByModel, MaxHeat: 2, FixedHeat: []string{"o1", "o3", "o4", "gpt-5"}, TopP: true,
		Seed: "seed", MaxStops: 4, NoStops: []string{"o3", "o4-mini"},
		Parallel: true, ToolChoices: everyChoice(), Schemas: schemaFormat,
		ImageURLs: true, ImageData: true, ImageTypes: []string{"image/png", "image/jpeg", "image/gif", "image/webp"}, ImageDetail: true,
		Sources: map[string]string{"FixedHeat": "go-openai reasoning_validator.go", "Rows": "developers.openai.com error-codes guide"},
		// A named or required choice ends with "stop", which is therefore legal beside calls everywhere.
	}
}

// azure takes the key in api-key. With an api-version it has the deployment in
// the path; its v1 API has it in the body, as OpenAI (learn.microsoft.com,
// api-version-lifecycle).
func azure() Profile {
	p := openAI()
	p.Name, p.Page = "azure", "learn.microsoft.com/azure/foundry/openai/reference"
	p.KeyHeader, p.Deployment = "api-key", true
	p.Sources = map[string]string{"Deployment": "learn.microsoft.com/azure/foundry/openai/api-version-lifecycle", "FixedHeat": "go-openai reasoning_validator.go"}
	p.Unverified = []string{"Rows"}
	p.Rows = transport.Table{
		{Status: []int{429}, Own: transport.Provider, Words: []string{"insufficient_quota", "quotaexceeded"}, Class: contracts.QuotaExhausted, Effect: contracts.None},
	}
	return p
}

// generic is a server of which nothing is known but that it speaks OpenAI's
// chat completions: everything is tried, and its refusals are believed.
func generic() Profile {
	p := openAI()
	p.Name, p.Page, p.Sources = "generic", "platform.openai.com/docs/api-reference/chat/create", nil
	p.MaxHeat, p.FixedHeat, p.MaxStops, p.NoStops = 0, nil, -1, nil
	return p
}

// vLLM ignored parallel_tool_calls and the detail of an image by its own notes.
func vLLM() Profile {
	p := generic()
	p.Name, p.Page = "vllm", "docs.vllm.ai/en/latest/serving/openai_compatible_server"
	p.Sources = map[string]string{"ToolChoices": "docs.vllm.ai/en/latest/features/tool_calling"}
	p.Parallel, p.ImageDetail = false, false
	p.Unverified = []string{"MaxStops", "TokenCap"}
	return p
}

func llamaCPP() Profile {
	p := generic()
	p.Name, p.Page = "llamacpp", "github.com/ggml-org/llama.cpp tools/server/README.md"
	p.TokenCap, p.ImageDetail, p.ImageTypes = capOld, false, []string{"image/png", "image/jpeg", "image/gif"}
	p.ToolChoices = []string{contracts.ToolAuto, contracts.ToolRequired, providers.ToolNone}
	p.Unverified = []string{"ToolChoices", "ImageDetail", "TokenCap"}
	p.Rows = transport.Table{
		{Status: []int{400}, Own: transport.Provider, Words: []string{"exceed_context_size_error"}, Class: contracts.ContextLength, Effect: contracts.None},
	}
	return p
}

// ollama reads neither tool_choice nor parallel_tool_calls, so that "auto" is
// what it does anyway, and fetches no images; a member that it does not know it
// leaves aside without a word.
func ollama() Profile {
	p := generic()
	p.Name, p.Page = "ollama", "github.com/ollama/ollama openai/openai.go"
	p.TokenCap, p.Parallel = capOld, false
	p.ToolChoices = []string{contracts.ToolAuto}
	p.ImageURLs, p.ImageDetail, p.ImageTypes = false, false, []string{"image/png", "image/jpeg", "image/webp"}
	return p
}

// groq turns a temperature of 0 into 1e-8 by itself. Its 413 with the word of a
// rate limit is a request larger than the tokens of a minute: public reports say
// so, its pages do not.
func groq() Profile {
	p := openAI()
	p.Name, p.Page = "groq", "console.groq.com/docs/api-reference#chat-create"
	p.TokenCap, p.FixedHeat, p.NoStops, p.ImageDetail = capNew, nil, nil, false
	p.Sources = map[string]string{"MaxHeat": "console.groq.com/docs/openai", "Rows": "console.groq.com/docs/structured-outputs", "MaxStops": "github.com/groq/groq-python completion_create_params.py",
		"TokenCap": "github.com/groq/groq-typescript src/resources/chat/completions.ts", "ImageURLs": "console.groq.com/docs/vision", "ImageData": "console.groq.com/docs/vision"}
	p.Unverified = []string{"ImageDetail", "Schemas"}
	p.Rows = transport.Table{
		{Status: []int{400}, Own: transport.Provider, Words: []string{"json_validate_failed", "tool_use_failed"}, Class: contracts.ContractViolation, Effect: contracts.Ended, Code: "output_refused"},
		{Status: []int{413}, Own: transport.Provider, Words: []string{"rate_limit_exceeded"}, Class: contracts.ContextLength, Effect: contracts.None},
	}
	return p
}

// mistral calls the seed random_seed, and refuses an id of a tool call that is
// not nine letters or digits: "must be a-z, A-Z, 0-9, with a length of 9".
func mistral() Profile {
	p := openAI()
	p.Name, p.Page = "mistral", "docs.mistral.ai/api/endpoint/chat"
	p.TokenCap, p.MaxHeat, p.FixedHeat, p.NoStops = capOld, 1.5, nil, nil
	p.Seed, p.MaxStops, p.ToolIDs = "random_seed", -1, idsNine
	p.Finish = map[string]string{"model_length": "length"}
	p.Sources = map[string]string{"ToolIDs": "github.com/mistralai/mistral-common, validator", "Seed": "github.com/mistralai/client-python docs/models/chatcompletionrequest.md", "ToolChoices": "github.com/mistralai/client-python docs/models/toolchoiceenum.md",
		"Finish": "github.com/mistralai/client-python docs/models/chatcompletionchoicefinishreason.md", "ImageDetail": "github.com/mistralai/client-python docs/models/imageurl.md"}
	p.Unverified = []string{"MaxHeat", "Schemas", "ImageTypes", "Rows"}
	p.Rows = transport.Table{
		{Status: []int{400, 422}, Own: transport.Provider, Phrases: []string{"too large for model"}, Class: contracts.ContextLength, Effect: contracts.None},
	}
	return p
}

// together answers 403 to a prompt that is too long for the model.
func together() Profile {
	p := generic()
	p.Name, p.Page = "together", "docs.together.ai/reference/chat-completions"
	p.TokenCap, p.Parallel, p.ImageDetail = capOld, false, false
	p.Finish = map[string]string{"eos": "stop", "function_call": "tool_calls"}
	p.Sources = map[string]string{"Rows": "docs.together.ai/docs/error-codes", "Finish": "github.com/togethercomputer/together-typescript src/resources/completions.ts"}
	p.Unverified = []string{"Parallel", "ToolChoices", "ImageDetail"}
	p.Rows = transport.Table{
		{Status: []int{403}, Own: transport.Provider, Phrases: []string{"context length", "max_tokens", "max_new_tokens"}, Class: contracts.ContextLength, Effect: contracts.None},
	}
	return p
}

// deepSeek offers json_object only, reads no images, and ends an answer with
// insufficient_system_resource when it ran out of what it runs on.
func deepSeek() Profile {
	p := openAI()
	p.Name, p.Page = "deepseek", "api-docs.deepseek.com/api/create-chat-completion"
	p.TokenCap, p.FixedHeat, p.NoStops = capOld, nil, nil
	p.Seed, p.MaxStops, p.Parallel, p.Schemas = "", 16, false, schemaInstruct
	p.ImageURLs, p.ImageData, p.ImageDetail = false, false, false
	p.Finish = map[string]string{"insufficient_system_resource": finishBusy, "aborted": "error"}
	p.Sources = map[string]string{"Rows": "api-docs.deepseek.com/quick_start/error_codes"}
	p.Unverified = []string{"Seed", "Parallel", "ToolChoices", "ImageURLs", "ImageData", "Finish"}
	return p
}

// openRouter tells a failure of the model inside a 200. Its 403 is a filter's
// word as well as a key's. What a model behind it takes depends on the model.
func openRouter() Profile {
	p := generic()
	p.Name, p.Page = "openrouter", "openrouter.ai/docs/api-reference/parameters"
	p.TokenCap, p.MaxHeat = capOld, 2
	p.Sources = map[string]string{"Rows": "openrouter.ai/docs/api/reference/errors-and-debugging", "TokenCap": "openrouter.ai/docs/api-reference/overview"}
	p.Unverified = []string{"Parallel", "ImageDetail"}
	p.Rows = transport.Table{
		{Status: []int{403}, Own: transport.Provider, Phrases: []string{"moderation", "flagged"}, Class: contracts.ContentFiltered, Effect: contracts.None, Code: "prompt"},
		{Status: []int{403}, Own: transport.Provider, Phrases: []string{"limit exceeded"}, Class: contracts.QuotaExhausted, Effect: contracts.None},
	}
	return p
}
