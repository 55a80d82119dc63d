package openaicompat

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

const pixel = "iVBORw0KGgo="

// conversation uses every part of a request that OpenAI takes.
func conversation() providers.Request {
	seed, warm, half, one := int64(7), 0.25, 0.5, false
	return providers.Request{
		Model: "m", AttemptID: "job_3f.1", MaxTokens: 9, Temperature: &warm, TopP: &half, Seed: &seed, Stop: []string{"END"},
		ToolChoice: providers.ToolNamed, ToolName: "look", ParallelTools: &one,
		Tools: []providers.Tool{{Name: "look", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Messages: []providers.Message{
			{Role: "system", Content: "s"},
			{Role: "user", Parts: []providers.Part{{Text: "what is this?"}, {Image: &providers.Image{URL: "https://a.test/x.png", Detail: "low"}}, {Image: &providers.Image{MediaType: "image/png", Data: pixel}}}},
			{Role: "assistant", ToolCalls: []contracts.ToolCall{{ID: "call_1", Name: "look", Arguments: `{"x": 1,"x":2}`}, {ID: "call_2", Name: "look"}}},
			{Role: "tool", ToolCallID: "call_1", Content: ""},
			{Role: "tool", ToolCallID: "call_2", Content: "a cat"},
			{Role: "assistant", Content: "A cat."},
			{Role: "user", Content: ""},
		},
	}
}

func sentBody(t *testing.T, p Profile, r providers.Request) string {
	t.Helper()
	server := newProvider(t, says(200, strings.Replace(good, `"content":`, `"tool_calls":[],"content":`, 1)))
	c, err := New(Config{BaseURL: server.URL + "/v1", Profile: p, APIKey: func() string { return canary }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Takes(r); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return (<-server.asked).body
}

func TestEveryPartOfARequestOnTheWire(t *testing.T) {
	want := `{"model":"m","messages":[{"role":"system","content":"s"},` +
		`{"role":"user","content":[{"type":"text","text":"what is this?"},{"type":"image_url","image_url":{"url":"https://a.test/x.png","detail":"low"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}]},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"look","arguments":"{\"x\": 1,\"x\":2}"}},{"id":"call_2","type":"function","function":{"name":"look","arguments":"{}"}}]},` +
		`{"role":"tool","content":"","tool_call_id":"call_1"},{"role":"tool","content":"a cat","tool_call_id":"call_2"},` +
		`{"role":"assistant","content":"A cat."},{"role":"user","content":""}],` +
		`"max_tokens":9,"temperature":0.25,"top_p":0.5,"stream":false,"stop":["END"],"seed":7,` +
		`"tools":[{"function":{"name":"look","parameters":{"type":"object"}},"type":"function"}],` +
		`"tool_choice":{"type":"function","function":{"name":"look"}},"parallel_tool_calls":false}`
	if got := sentBody(t, openAI(), conversation()); got != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
}

func TestAChoiceOfToolsIsAWord(t *testing.T) {
	for _, word := range []string{contracts.ToolAuto, contracts.ToolRequired, providers.ToolNone} {
		r := withTools()
		r.ToolChoice = word
		if got := sentBody(t, openAI(), r); !strings.Contains(got, `"tool_choice":"`+word+`"`) {
			t.Errorf("sent %s", got)
		}
	}
}

func TestTheLimitOfTokensGoesByItsName(t *testing.T) {
	for _, tc := range []struct{ profile, model, member string }{
		{"openai", "gpt-4o", `"max_tokens":9`}, {"openai", "gpt-5-mini", `"max_completion_tokens":9`}, {"openai", "o3", `"max_completion_tokens":9`},
		{"azure", "gpt-5", `"max_completion_tokens":9`}, {"groq", "llama-3.1-8b", `"max_completion_tokens":9`},
		{"mistral", "mistral-small", `"max_tokens":9`}, {"openrouter", "openai/o3", `"max_tokens":9`}, {"deepseek", "deepseek-chat", `"max_tokens":9`},
		{"ollama", "qwen3", `"max_tokens":9`}, {"llamacpp", "m", `"max_tokens":9`}, {"vllm", "m", `"max_tokens":9`}, {"together", "m", `"max_tokens":9`},
	} {
		p, err := ProfileNamed(tc.profile)
		if err != nil {
			t.Fatal(err)
		}
		r := request()
		r.Model, r.MaxTokens = tc.model, 9
		if got := sentBody(t, p, r); !strings.Contains(got, tc.member) {
			t.Errorf("%s %s: sent %s, want %s", tc.profile, tc.model, got, tc.member)
		}
	}
}

func TestMistralHasItsOwnSeedAndIds(t *testing.T) {
	r := conversation()
	r.Messages[2].ToolCalls[1].ID, r.Messages[4].ToolCallID = "D681PevKs", "D681PevKs"
	p := mistral()
	body := sentBody(t, p, r)
	if !strings.Contains(body, `"random_seed":7`) || strings.Contains(body, `"seed"`) {
		t.Errorf("sent %s", body)
	}
	ids := regexp.MustCompile(`"(?:id|tool_call_id)":"([^"]*)"`).FindAllStringSubmatch(body, -1)
	if len(ids) != 4 || ids[0][1] != ids[2][1] || ids[1][1] != "D681PevKs" || ids[3][1] != "D681PevKs" {
		t.Fatalf("ids %v", ids)
	}
	for _, id := range []string{"call_1", "call_2", "", "toolu_01AAAA", "123456789", "ééééééééé", "12345678_"} {
		got := p.toolID(id)
		if id != "" && !regexp.MustCompile(`^[a-zA-Z0-9]{9}$`).MatchString(got) || got != p.toolID(id) || openAI().toolID(id) != id {
			t.Errorf("%q became %q", id, got)
		}
	}
}

func TestASchemaWithoutASchemaModeIsAnInstruction(t *testing.T) {
	r := request()
	r.Schema = json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`)
	body := sentBody(t, deepSeek(), r)
	if !strings.Contains(body, `"response_format":{"type":"json_object"}`) || !strings.Contains(body, `[{"role":"system","content":"Answer with one JSON object`) || !strings.Contains(body, `{\"z\":{},\"a\":{}}`) {
		t.Errorf("sent %s", body)
	}
	r.Messages = append([]providers.Message{{Role: "system", Content: "be brief"}}, r.Messages...)
	if body = sentBody(t, deepSeek(), r); strings.Count(body, `"role":"system"`) != 1 || !strings.Contains(body, `"content":"be brief\n\nAnswer`) {
		t.Errorf("sent %s", body)
	}
}

func TestAzureHasItsOwnHeaderAndPath(t *testing.T) {
	for version, path := range map[string]string{"": "/v1/chat/completions", "2024-10-21": "/v1/openai/deployments/gpt-4.1_x/chat/completions"} {
		server := newProvider(t, says(200, good))
		c, err := New(Config{BaseURL: server.URL + "/v1/", Profile: azure(), APIVersion: version, APIKey: func() string { return canary }})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r := request()
		r.Model = "gpt-4.1_x"
		if _, err := c.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		got := <-server.asked
		if got.path != path || got.query != strings.TrimSuffix("api-version="+version, "api-version=") || got.head.Get("api-key") != canary || got.head.Get("Authorization") != "" {
			t.Errorf("path %s?%s, headers %v", got.path, got.query, got.head)
		}
		if command := c.Reproduce(r); !strings.Contains(command, `-H "api-key: $API_KEY"`) || !strings.Contains(command, path) || strings.Contains(command, "?api-version="+version) != (version != "") {
			t.Errorf("%s", command)
		}
	}
	if _, err := New(Config{BaseURL: "http://a.test", APIVersion: "2024-10-21"}); err == nil {
		t.Error("an api_version was taken for a profile that has none")
	}
}

func TestASchemaThatNeedNotBeEnforcedAndOneThatIsMissing(t *testing.T) {
	r := request()
	r.Schema, r.SchemaLoose = json.RawMessage(`{"type":"object"}`), true
	if body := sentBody(t, openAI(), r); !strings.Contains(body, `"json_schema":{"name":"answer","schema":{"type":"object"},"strict":false}`) {
		t.Errorf("sent %s", body)
	}
	r = request()
	r.JSONObject = true
	if body := sentBody(t, openAI(), r); !strings.Contains(body, `"response_format":{"type":"json_object"}`) {
		t.Errorf("sent %s", body)
	}
}
