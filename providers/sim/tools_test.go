package sim

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const tooled = `{"model":"m","messages":[{"role":"user","content":"Q: TEXT"}],"tools":[{"type":"function","function":{"name":"f",` +
	`"parameters":{"type":"object","properties":{"b":{"type":"boolean"},"n":{"type":"integer","minimum":3}},"required":["b","n"],"additionalProperties":false}}},` +
	`{"type":"function","function":{"name":"g"}}]}`

type toolReply struct {
	Choices []struct {
		Message struct {
			Content   *string `json:"content"`
			ToolCalls []struct {
				ID       string `json:"id"`
				Type     string `json:"type"`
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
}

// toolSaid is what one call got: its finish reason, content, and calls as "name arguments".
func toolSaid(t *testing.T, text string, fault *Fault) (finish, content string, calls []string) {
	t.Helper()
	answers, err := LoadAnswers(strings.NewReader(`{"text":"two","output":{"calls":[{"name":"f","arguments":{"n":7,"b":true}},{"name":"g","arguments":{}}]}}
{"text":"none","output":{"calls":[]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Answers: answers})
	h := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); h.Close() })
	if fault != nil {
		if err := s.SetFaults("a", *fault); err != nil {
			t.Fatal(err)
		}
	}
	resp, err := http.Post(h.URL+"/sim/a/v1/chat/completions", "application/json", strings.NewReader(strings.Replace(tooled, "TEXT", text, 1)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	var r toolReply
	if err != nil || json.Unmarshal(b, &r) != nil || len(r.Choices) != 1 {
		t.Fatalf("%d %s, %v", resp.StatusCode, b, err)
	}
	m, ids := r.Choices[0].Message, map[string]bool{}
	if m.Content != nil {
		content = *m.Content
	}
	for _, c := range m.ToolCalls {
		if ids[c.ID] || c.ID == "" || c.Type != "function" {
			t.Errorf("call %+v", c)
		}
		ids[c.ID] = true
		calls = append(calls, c.Function.Name+" "+c.Function.Arguments)
	}
	return r.Choices[0].FinishReason, content, calls
}

func TestARequestWithToolsIsAnsweredInCalls(t *testing.T) {
	for name, row := range map[string]struct {
		text   string
		fault  *Fault
		finish string
		calls  string
	}{
		"as the answer file says":                     {"two", nil, "tool_calls", `f {"n":7,"b":true}; g {}`},
		"in words where no tool serves":               {"none", nil, "stop", ""},
		"with an instance where nothing is known":     {"else", nil, "tool_calls", `f {"b":false,"n":3}`},
		"an extra key goes into the arguments":        {"two", &Fault{ExtraKey: true}, "tool_calls", `f {"n":7,"b":true,"invented_by_provider":true}; g {}`},
		"a wrong answer changes an argument":          {"two", &Fault{WrongAnswer: true}, "tool_calls", `f {"n":7,"b":false}; g {}`},
		"a wrong answer where no tool serves is one":  {"none", &Fault{WrongAnswer: true}, "tool_calls", `f {"b":false,"n":3}`},
		"a wrong schema breaks the arguments'":        {"two", &Fault{WrongSchema: true}, "tool_calls", `f {"n":"not_declared","b":true}; g {}`},
		"a content takes the place of calls":          {"two", &Fault{Content: ptr("hello")}, "stop", ""},
		"a number bomb is put into the arguments too": {"two", &Fault{NumberBomb: true}, "tool_calls", `f {"n":1e20000000,"b":true}; g {}`},
	} {
		finish, content, calls := toolSaid(t, row.text, row.fault)
		if finish != row.finish || strings.Join(calls, "; ") != row.calls || (content == "") != (len(calls) > 0) {
			t.Errorf("%s: %s %q %v", name, finish, content, calls)
		}
	}
}

func ptr(s string) *string { return &s }

func TestAToolWithoutANameIsRefused(t *testing.T) {
	s := New(Options{})
	h := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); h.Close() })
	resp, err := http.Post(h.URL+"/sim/a/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 400 {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// What a caller may say of its tools, and what then comes.
func TestTheToolChoiceIsKept(t *testing.T) {
	s := New(Options{})
	h := httptest.NewServer(s)
	defer h.Close()
	defer s.Close()
	for _, row := range []struct{ name, more, turns, want string }{
		{"the first tool", ``, ``, "f"},
		{"the one that is named", `,"tool_choice":{"type":"function","function":{"name":"g"}}`, ``, "g"},
		{"none", `,"tool_choice":"none"`, ``, ""},
		{"words about the result of a call", ``, `,{"role":"assistant","content":null},{"role":"tool","content":"18"}`, ""},
	} {
		body := strings.Replace(strings.TrimSuffix(tooled, "}")+row.more+"}", `"Q: TEXT"}`, `"Q: TEXT"}`+row.turns, 1)
		res, err := http.Post(Client{Base: h.URL}.URL("a")+"/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(res.Body)
		res.Body.Close()
		var r toolReply
		if err != nil || json.Unmarshal(raw, &r) != nil || len(r.Choices) != 1 {
			t.Fatalf("%s: %s, %v", row.name, raw, err)
		}
		got := ""
		for _, c := range r.Choices[0].Message.ToolCalls {
			got += c.Function.Name
		}
		if got != row.want {
			t.Errorf("%s: calls %q, want %q", row.name, got, row.want)
		}
	}
}
