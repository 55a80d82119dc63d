package conformance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"inferonce/conformance"
	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/anthropic"
	"inferonce/providers/gemini"
	"inferonce/providers/sim"
)

// front is a provider with an API of its own whose model is the simulator. It
// is written from the API's documentation and refuses what that refuses.
type front struct {
	t    *testing.T
	sim  string
	key  string // the header that holds the key
	open func(body []byte, path string) (chat, error)
	say  func(chatAnswer) any
}

// chat is the call of the model that both fronts come down to.
type chat struct {
	Model    string     `json:"model"`
	Messages []chatTurn `json:"messages"`
	Tools    []chatTool `json:"tools,omitempty"`
	Format   *chatForm  `json:"response_format,omitempty"`
	Stop     []string   `json:"stop,omitempty"`
	Seed     *int32     `json:"seed,omitempty"`
}

type chatTurn struct {
	Role    string     `json:"role"`
	Content string     `json:"content"`
	Calls   []chatCall `json:"tool_calls,omitempty"`
	CallID  string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func called(id, name string, arguments json.RawMessage) chatCall {
	c := chatCall{ID: id, Type: "function"}
	c.Function.Name, c.Function.Arguments = name, string(arguments)
	return c
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name       string          `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
}

type chatForm struct {
	Type   string `json:"type"`
	Schema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

type chatAnswer struct {
	Choices []struct {
		Message struct {
			Content   string `json:"content"`
			ToolCalls []struct {
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"message"`
	} `json:"choices"`
	Usage struct {
		In  int `json:"prompt_tokens"`
		Out int `json:"completion_tokens"`
	} `json:"usage"`
}

func (c *chat) format(schema json.RawMessage) {
	c.Format = &chatForm{Type: "json_schema"}
	c.Format.Schema.Name, c.Format.Schema.Schema = "answer", schema
}

func (f front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c, err := f.open(body, r.URL.Path)
	switch {
	case r.Header.Get(f.key) != "front-key":
		err = fmt.Errorf("no key in %s", f.key)
	case r.Header.Get("Idempotency-Key") != "":
		err = fmt.Errorf("an idempotency key was sent")
	}
	if err != nil {
		f.t.Errorf("the API would refuse %s: %v", body, err)
		w.WriteHeader(400)
		return
	}
	raw, _ := json.Marshal(c)
	req, _ := http.NewRequestWithContext(r.Context(), http.MethodPost, f.sim, bytes.NewReader(raw))
	req.Header.Set("X-Client-Request-Id", r.Header.Get("X-Client-Request-Id"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		f.t.Error(err)
		return
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Type", "application/json")
	if resp.StatusCode != 200 { // the suite asks for what has to fail, too
		w.WriteHeader(resp.StatusCode)
		io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","status":"INVALID_ARGUMENT","message":"m"}}`)
		return
	}
	var a chatAnswer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil || len(a.Choices) != 1 {
		f.t.Errorf("the simulator answered %d, %v", resp.StatusCode, err)
		return
	}
	_ = json.NewEncoder(w).Encode(f.say(a))
}

func strictly(body []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// messagesAPI opens a request of platform.claude.com/docs/en/api/messages/create,
// as far as a contract makes one.
func messagesAPI(body []byte, path string) (chat, error) {
	type block struct {
		Type, Text string
	}
	var q struct {
		Model     string         `json:"model"`
		MaxTokens int            `json:"max_tokens"`
		System    []block        `json:"system"`
		Stop      []string       `json:"stop_sequences"`
		Messages  []turnOfBlocks `json:"messages"`
		Tools     []struct {
			Name, Description string
			InputSchema       json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		ToolChoice *struct{ Type string } `json:"tool_choice"`
		Output     *struct {
			Format struct {
				Type   string
				Schema json.RawMessage
			}
		} `json:"output_config"`
		Temperature *float64 `json:"temperature"`
	}
	if err := strictly(body, &q); err != nil {
		return chat{}, err
	}
	if path != "/v1/messages" || q.MaxTokens < 1 || len(q.Messages)%2 == 0 || q.Temperature != nil && *q.Temperature > 1 {
		return chat{}, fmt.Errorf("%s is no path, or max_tokens, roles or temperature are wrong", path)
	}
	c := chat{Model: q.Model, Stop: q.Stop}
	for _, s := range q.System {
		c.Messages = append(c.Messages, chatTurn{Role: "system", Content: s.Text})
	}
	for i, m := range q.Messages {
		if m.Role != [...]string{"user", "assistant"}[i%2] {
			return chat{}, fmt.Errorf("turn %d is the %s's", i, m.Role)
		}
		turns, err := m.turns()
		if err != nil {
			return chat{}, err
		}
		c.Messages = append(c.Messages, turns...)
	}
	for _, s := range q.Tools {
		c.Tools = append(c.Tools, chatTool{"function", chatFunction{s.Name, s.InputSchema}})
	}
	if q.Output != nil {
		c.format(q.Output.Format.Schema)
		return c, compiles(q.Output.Format.Schema)
	}
	return c, nil
}

// turnOfBlocks is a turn of the Messages API: text, calls of tools by the
// assistant and their results by the user
// (platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls).
type turnOfBlocks struct {
	Role    string
	Content []struct {
		Type, Text, ID, Name string
		Input                json.RawMessage
		ToolUseID            string          `json:"tool_use_id"`
		Content              json.RawMessage // of a result
	}
}

func (m turnOfBlocks) turns() (out []chatTurn, err error) {
	call := chatTurn{Role: "assistant"}
	for _, b := range m.Content {
		switch m.Role + " " + b.Type {
		case "user text":
			out = append(out, chatTurn{Role: "user", Content: b.Text})
		case "assistant text":
			call.Content += b.Text
		case "assistant tool_use":
			call.Calls = append(call.Calls, called(b.ID, b.Name, b.Input))
		case "user tool_result":
			out = append(out, chatTurn{Role: "tool", CallID: b.ToolUseID, Content: resultText(b.Content)})
		default:
			return nil, fmt.Errorf("a block %q of the %s", b.Type, m.Role)
		}
	}
	if m.Role == "assistant" {
		out = append(out, call)
	}
	return out, nil
}

// resultText is a result's text, which is given as such or as a list of blocks.
func resultText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var blocks []struct{ Type, Text string }
	_ = json.Unmarshal(raw, &blocks)
	for _, b := range blocks {
		text += b.Text
	}
	return text
}

// compiles refuses the keywords that structured outputs list as not supported.
func compiles(schema json.RawMessage) error {
	for _, word := range strings.Fields("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems uniqueItems $schema oneOf not") {
		if bytes.Contains(schema, []byte(`"`+word+`":`)) {
			return fmt.Errorf("the schema has %s", word)
		}
	}
	return nil
}

func message(a chatAnswer) any {
	type block map[string]any
	m := a.Choices[0].Message
	content, reason := []block{}, "end_turn"
	if m.Content != "" {
		content = append(content, block{"type": "text", "text": m.Content})
	}
	for i, t := range m.ToolCalls {
		reason = "tool_use"
		content = append(content, block{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", i), "name": t.Function.Name, "input": json.RawMessage(t.Function.Arguments)})
	}
	return map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_reason": reason,
		"usage": map[string]int{"input_tokens": a.Usage.In, "output_tokens": a.Usage.Out}}
}

// generateContent opens a request of ai.google.dev/api/generate-content, as far
// as a contract makes one.
func generateContent(body []byte, path string) (chat, error) {
	var q struct {
		System   *turnOfParts  `json:"systemInstruction"`
		Contents []turnOfParts `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name, Description string
				Parameters        json.RawMessage `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		ToolConfig *struct {
			Calling struct{ Mode string } `json:"functionCallingConfig"`
		} `json:"toolConfig"`
		Generation struct {
			Temperature     *float64
			MaxOutputTokens int
			StopSequences   []string
			Seed            *int32
			MimeType        string          `json:"responseMimeType"`
			Schema          json.RawMessage `json:"responseJsonSchema"`
		} `json:"generationConfig"`
	}
	if err := strictly(body, &q); err != nil {
		return chat{}, err
	}
	model, ok := strings.CutPrefix(path, "/v1beta/models/")
	model, whole := strings.CutSuffix(model, ":generateContent")
	if !ok || !whole || len(q.Contents)%2 == 0 || len(q.Generation.StopSequences) > 5 || (q.Generation.Schema != nil) != (q.Generation.MimeType == "application/json") {
		return chat{}, fmt.Errorf("%s is no path, or roles or the type of the answer are wrong", path)
	}
	c := chat{Model: model, Stop: q.Generation.StopSequences, Seed: q.Generation.Seed}
	if q.System != nil {
		c.Messages = append(c.Messages, chatTurn{Role: "system", Content: q.System.Parts[0].Text})
	}
	for i, m := range q.Contents {
		if m.Role != [...]string{"user", "model"}[i%2] {
			return chat{}, fmt.Errorf("turn %d is the %s's", i, m.Role)
		}
		c.Messages = append(c.Messages, m.turns()...)
	}
	for _, s := range q.Tools {
		for _, f := range s.Functions {
			c.Tools = append(c.Tools, chatTool{"function", chatFunction{f.Name, f.Parameters}})
		}
	}
	if q.Generation.Schema != nil {
		c.format(q.Generation.Schema)
	}
	return c, nil
}

// turnOfParts is a turn of generateContent: text, calls of functions by the model
// and their responses (ai.google.dev/api/caching#Part).
type turnOfParts struct {
	Role  string
	Parts []struct {
		Text string
		Call *struct {
			ID, Name string
			Args     json.RawMessage
		} `json:"functionCall"`
		Response *struct {
			ID, Name string
			Response json.RawMessage
		} `json:"functionResponse"`
		Signature string `json:"thoughtSignature"`
	}
}

func (m turnOfParts) turns() (out []chatTurn) {
	call := chatTurn{Role: "assistant"}
	calls, results := 0, 0
	for _, p := range m.Parts {
		switch {
		case p.Call != nil:
			call.Calls = append(call.Calls, called(fmt.Sprint(p.Call.Name, calls), p.Call.Name, p.Call.Args))
			calls++
		case p.Response != nil:
			out = append(out, chatTurn{Role: "tool", CallID: fmt.Sprint(p.Response.Name, results), Content: string(p.Response.Response)})
			results++
		case m.Role == "model":
			call.Content += p.Text
		default:
			out = append(out, chatTurn{Role: "user", Content: p.Text})
		}
	}
	if m.Role == "model" {
		out = append(out, call)
	}
	return out
}

func generated(a chatAnswer) any {
	type part map[string]any
	m := a.Choices[0].Message
	parts := []part{}
	if m.Content != "" {
		parts = append(parts, part{"text": m.Content})
	}
	for _, t := range m.ToolCalls {
		parts = append(parts, part{"functionCall": part{"name": t.Function.Name, "args": json.RawMessage(t.Function.Arguments)}})
	}
	return map[string]any{"candidates": []part{{"content": part{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": map[string]int{"promptTokenCount": a.Usage.In, "candidatesTokenCount": a.Usage.Out}, "modelVersion": "m", "responseId": "r"}
}

// ownAPIs are the adapters that speak no chat completions.
var ownAPIs = map[string]struct {
	front func(*testing.T, string) front
	build func(url string) (closing, error)
}{
	"anthropic": {
		func(t *testing.T, sim string) front { return front{t, sim, "X-Api-Key", messagesAPI, message} },
		func(url string) (closing, error) {
			return anthropic.New(anthropic.Config{BaseURL: url + "/v1", APIKey: func() string { return "front-key" }})
		},
	},
	"gemini": {
		func(t *testing.T, sim string) front {
			return front{t, sim, "X-Goog-Api-Key", generateContent, generated}
		},
		func(url string) (closing, error) {
			return gemini.New(gemini.Config{BaseURL: url + "/v1beta", APIKey: func() string { return "front-key" }})
		},
	},
}

type closing interface {
	providers.Provider
	providers.Checker
	Close()
}

// certifyThrough is certify with an adapter between, whose name is in ownAPIs.
func certifyThrough(t *testing.T, adapter, contract string, answers []byte) contracts.Report {
	t.Helper()
	known, err := sim.LoadAnswers(bytes.NewReader(answers))
	if err != nil {
		t.Fatal(err)
	}
	s := sim.New(sim.Options{Answers: known})
	h := httptest.NewServer(s)
	defer h.Close()
	defer s.Close()
	own := ownAPIs[adapter]
	f := httptest.NewServer(own.front(t, sim.Client{Base: h.URL}.URL("a")+"/chat/completions"))
	defer http.DefaultClient.CloseIdleConnections()
	defer f.Close()
	p, err := own.build(f.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c := sample(t, contract)
	r, err := conformance.Run(t.Context(), conformance.Options{Contract: c, Provider: conformance.Echoing(c, p), Mode: conformance.Certify, Seed: 1, Concurrency: 4,
		KeepGoing: true, Backoff: time.Millisecond, Target: providers.Target{Name: "own-a", Provider: adapter, Model: "m"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAdaptersWithAnAPIOfTheirOwnAreCertifiedByTheSameSuite(t *testing.T) {
	for adapter := range ownAPIs {
		for _, p := range proofs {
			r := certifyThrough(t, adapter, p.contract, answersOf(t, p.answers))
			if r.Verdict != contracts.Pass || r.Totals.Infra != 0 || len(weighing(r)) > 0 {
				t.Errorf("%s, %s: %s %v %v", adapter, p.contract, r.Verdict, failed(r), r.Reasons)
			}
		}
	}
}

func TestAWrongModelFailsThroughEveryAdapter(t *testing.T) {
	for adapter := range ownAPIs {
		for _, p := range proofs {
			r := certifyThrough(t, adapter, p.contract, swapped(t, answersOf(t, p.answers)))
			if got := failed(r); r.Verdict != contracts.Fail || !slices.Contains(got, "SEM-01") {
				t.Errorf("%s, %s: %s %v", adapter, p.contract, r.Verdict, got)
			}
		}
	}
}
