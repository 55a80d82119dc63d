package openaicompat

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestWhatAServerCanNotTakeIsNamedAndNeverSent(t *testing.T) {
	type R = providers.Request
	f := func(v float64) *float64 { return &v }
	yes, seed := true, int64(1)
	image := func(i providers.Image) func(*R) {
		return func(r *R) {
			r.Messages = append(r.Messages, providers.Message{Role: "user", Parts: []providers.Part{{Image: &i}}})
		}
	}
	turn := func(m providers.Message) func(*R) { return func(r *R) { r.Messages = append(r.Messages, m) } }
	tools := func(change func(*R)) func(*R) {
		return func(r *R) { *r = withTools(); change(r) }
	}
	for _, tc := range []struct {
		profile string
		change  func(*R)
		part    string
	}{
		{"openai", func(r *R) { r.Model = "" }, "model"},
		{"azure", func(r *R) { r.Model = "../x" }, "model"},
		{"openai", func(r *R) { r.Messages = nil }, "messages"},
		{"openai", func(r *R) { r.MaxTokens = -1 }, "max_tokens"},
		{"openai", func(r *R) { r.Temperature = f(2.5) }, "temperature"},
		{"mistral", func(r *R) { r.Temperature = f(1.6) }, "temperature"},
		{"generic", func(r *R) { r.Temperature = f(math.NaN()) }, "temperature"},
		{"generic", func(r *R) { r.Temperature = f(math.Inf(1)) }, "temperature"},
		{"azure", func(r *R) { r.Model, r.Temperature = "gpt-5", f(0) }, "model"},
		{"openai", func(r *R) { r.TopP = f(1.5) }, "top_p"},
		{"deepseek", func(r *R) { r.Seed = &seed }, "seed"},
		{"openai", func(r *R) { r.Model, r.Stop = "o3", []string{"x"} }, "stop"},
		{"openai", func(r *R) { r.Stop = []string{"a", "b", "c", "d", "e"} }, "stop"},
		{"openai", func(r *R) { r.Stop = []string{""} }, "stop"},
		{"openai", func(r *R) { r.Schema = json.RawMessage(`{`) }, "schema"},
		{"openai", func(r *R) { r.ToolChoice = contracts.ToolRequired }, "tool_choice"},
		{"openai", func(r *R) { r.ParallelTools = &yes }, "parallel_tools"},
		{"openai", tools(func(r *R) { r.ToolChoice = "maybe" }), "tool_choice"},
		{"openai", tools(func(r *R) { r.ToolChoice, r.ToolName = providers.ToolNamed, "x" }), "tool_name"},
		{"openai", tools(func(r *R) { r.Tools[0].Name = "get weather" }), "tools[0].name"},
		{"openai", tools(func(r *R) { r.Tools = append(r.Tools, r.Tools[0]) }), "tools[1].name"},
		{"openai", tools(func(r *R) { r.Tools[0].Parameters = json.RawMessage(`{`) }), "tools[0].parameters"},
		{"llamacpp", tools(func(r *R) { r.ToolChoice, r.ToolName = providers.ToolNamed, "get_weather" }), "tool_choice"},
		{"ollama", tools(func(r *R) { r.ToolChoice = contracts.ToolRequired }), "tool_choice"},
		{"vllm", tools(func(r *R) { r.ParallelTools = &yes }), "parallel_tools"},
		{"openai", turn(providers.Message{Role: "developer", Content: "x"}), "messages[1].role"},
		{"openai", turn(providers.Message{Role: "system", Parts: []providers.Part{{Text: "x"}}}), "messages[1].parts"},
		{"openai", turn(providers.Message{Role: "user", Content: "x", Parts: []providers.Part{{Text: "x"}}}), "messages[1].parts"},
		{"openai", turn(providers.Message{Role: "user", ToolCalls: []contracts.ToolCall{{ID: "a", Name: "f"}}}), "messages[1].tool_calls"},
		{"openai", turn(providers.Message{Role: "assistant"}), "messages[1]"},
		{"openai", turn(providers.Message{Role: "assistant", ToolCalls: []contracts.ToolCall{{ID: "a", Name: "f"}, {ID: "a", Name: "f"}}}), "messages[1].tool_calls[1]"},
		{"openai", turn(providers.Message{Role: "assistant", ToolCalls: []contracts.ToolCall{{ID: "a"}}}), "messages[1].tool_calls[0]"},
		{"openai", turn(providers.Message{Role: "user", Content: "x", ToolCallID: "a"}), "messages[1].tool_call_id"},
		{"openai", turn(providers.Message{Role: "tool", Content: "x", ToolCallID: "a"}), "messages[1].tool_call_id"},
		{"openai", turn(providers.Message{Role: "tool", Content: "x"}), "messages[1].tool_call_id"},
		{"openai", func(r *R) {
			r.Messages[0] = providers.Message{Role: "user", Parts: []providers.Part{{Text: "x", Image: &providers.Image{URL: "https://a.test"}}}}
		}, "messages[0].parts[0].image"},
		{"openai", image(providers.Image{}), "messages[1].parts[0].image"},
		{"openai", image(providers.Image{URL: "https://a.test", Data: pixel}), "messages[1].parts[0].image"},
		{"openai", image(providers.Image{URL: "file:///etc/passwd"}), "messages[1].parts[0].image.url"},
		{"openai", image(providers.Image{Data: pixel, MediaType: "image/svg+xml"}), "messages[1].parts[0].image.media_type"},
		{"openai", image(providers.Image{Data: "??", MediaType: "image/png"}), "messages[1].parts[0].image.data"},
		{"openai", image(providers.Image{URL: "https://a.test", Detail: "huge"}), "messages[1].parts[0].image.detail"},
		{"vllm", image(providers.Image{URL: "https://a.test", Detail: "low"}), "messages[1].parts[0].image.detail"},
		{"ollama", image(providers.Image{URL: "https://a.test"}), "messages[1].parts[0].image"},
		{"ollama", image(providers.Image{Data: pixel, MediaType: "image/gif"}), "messages[1].parts[0].image.media_type"},
		{"deepseek", image(providers.Image{URL: "https://a.test"}), "messages[1].parts[0].image"},
		{"deepseek", image(providers.Image{Data: pixel, MediaType: "image/png"}), "messages[1].parts[0].image"},
	} {
		server := newProvider(t, says(200, good))
		p, err := ProfileNamed(tc.profile)
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(Config{BaseURL: server.URL, Profile: p})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r := request()
		if err := c.Takes(r); err != nil {
			t.Fatalf("%s does not take a plain request: %v", tc.profile, err)
		}
		tc.change(&r)
		var u *providers.Unsupported
		if err := c.Takes(r); !errors.As(err, &u) || u.Part != tc.part || u.Reason == "" {
			t.Errorf("%s: got %v, want the part %s named", tc.profile, err, tc.part)
			continue
		}
		_, err = c.Complete(t.Context(), r)
		if err == nil {
			t.Fatalf("%s %s: the call succeeded", tc.profile, tc.part)
		}
		if f := checked(t, err); f.Class != contracts.InvalidRequest || f.Effect != contracts.None || f.Code != "unsupported" || !strings.HasPrefix(f.Detail, tc.part) {
			t.Errorf("%s %s: got %v (%s)", tc.profile, tc.part, f, f.Detail)
		}
		if n := server.calls.Load(); n != 0 {
			t.Errorf("%s %s: the provider saw %d requests", tc.profile, tc.part, n)
		}
	}
}

func TestIdsOfCallsMayComeAgainInALaterTurn(t *testing.T) {
	call := providers.Message{Role: "assistant", ToolCalls: []contracts.ToolCall{{ID: "call_0", Name: "f"}}}
	result := providers.Message{Role: "tool", ToolCallID: "call_0", Content: "x"}
	r := request()
	r.Messages = append(r.Messages, call, result, call, result)
	if u := openAI().takes(r); u != nil {
		t.Error(u)
	}
	other := call
	other.ToolCalls = []contracts.ToolCall{{ID: "call_1", Name: "f"}}
	r.Messages = append(r.Messages, other, result)
	if u := openAI().takes(r); u == nil || u.Part != "messages[6].tool_call_id" {
		t.Errorf("a result of a call that the newest turn did not make: %v", u)
	}
}

func FuzzTakes(f *testing.F) {
	f.Add("user", "x", "a", "f", `{}`, "https://a.test", "", "image/png")
	f.Add("tool", "", "a", "", `{`, "", pixel, "image/gif")
	f.Fuzz(func(t *testing.T, role, content, id, name, arguments, url, data, media string) {
		r := request()
		r.Messages = append(r.Messages,
			providers.Message{Role: "assistant", ToolCalls: []contracts.ToolCall{{ID: id, Name: name, Arguments: arguments}}},
			providers.Message{Role: role, Content: content, ToolCallID: id},
			providers.Message{Role: "user", Parts: []providers.Part{{Text: content}, {Image: &providers.Image{URL: url, Data: data, MediaType: media}}}})
		for _, p := range []Profile{openAI(), mistral(), deepSeek()} {
			if p.takes(r) != nil {
				continue
			}
			b, err := json.Marshal(p.toWire(r))
			if err != nil || !json.Valid(b) {
				t.Errorf("%s takes what it can't write: %s, %v", p.Name, b, err)
			}
		}
	})
}
