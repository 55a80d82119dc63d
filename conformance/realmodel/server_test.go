//go:build realmodel

package realmodel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestTheAdapterReadsEveryRefusal(t *testing.T) {
	t.Parallel()
	s := start(t, "triage")
	sound := providers.Request{Model: "triage", MaxTokens: 8, Messages: []providers.Message{{Role: "user", Content: "hi"}}}
	for _, row := range []struct {
		name  string
		key   string
		ask   func(r *providers.Request)
		class contracts.Class
	}{
		{"a wrong key", "wrong", func(*providers.Request) {}, contracts.Auth},
		{"no key", "", func(*providers.Request) {}, contracts.Auth},
		{"another model", s.key, func(r *providers.Request) { r.Model = "gpt-4.1-mini" }, contracts.NotFound},
		{"a prompt that fits no context", s.key, func(r *providers.Request) { r.Messages[0].Content = strings.Repeat("x ", 5000) }, contracts.ContextLength},
		{"a prompt and an answer that fit together no more", s.key, func(r *providers.Request) { r.MaxTokens = 4090 }, contracts.ContextLength},
		{"a schema that no grammar enforces", s.key, func(r *providers.Request) { r.Schema = json.RawMessage(`{"type":"string","pattern":"x"}`) }, contracts.InvalidRequest},
		{"an answer that its limit cuts", s.key, func(r *providers.Request) { r.Schema, r.MaxTokens = constant(40), 8 }, contracts.Truncated},
	} {
		r := sound
		r.Messages = append([]providers.Message(nil), sound.Messages...)
		row.ask(&r)
		_, err := s.provider(t, row.key).Complete(t.Context(), r)
		if f, ok := errors.AsType[*contracts.Failure](err); !ok || f.Class != row.class || row.class != contracts.Truncated && f.Effect != contracts.None {
			t.Errorf("%s: %v; want %s", row.name, err, row.class)
		}
	}
}

// constant is a schema with one answer, of n letters: as long as we like.
func constant(n int) json.RawMessage {
	return json.RawMessage(`{"const":"` + strings.Repeat("x", n) + `"}`)
}

// reply is what a test reads of a completion.
type reply struct {
	Choices []struct {
		Message      struct{ Content string }
		FinishReason string `json:"finish_reason"`
	}
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	}
	Tokens []int
	Prompt string
	Held   int
	Data   []struct{ ID string }
}

// call sends body, or asks with GET where it is empty. path is appended to the
// server's root.
func (s *server) call(ctx context.Context, path, body string) (int, reply, error) {
	method := "POST"
	if body == "" {
		method = "GET"
	}
	q, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(s.url, "/v1")+path, strings.NewReader(body))
	if err != nil {
		return 0, reply{}, err
	}
	q.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		return 0, reply{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, reply{}, err
	}
	var r reply
	err = json.NewDecoder(bytes.NewReader(raw)).Decode(&r)
	return resp.StatusCode, r, err
}

func (s *server) must(t *testing.T, path, body string) reply {
	t.Helper()
	status, r, err := s.call(t.Context(), path, body)
	if err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, status, err)
	}
	return r
}

func completion(more string) string {
	return `{"model":"random","messages":[{"role":"user","content":"hello"}]` + more + `}`
}

func schema(s json.RawMessage) string {
	return `,"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":` + string(s) + `}}`
}

func TestTheServerKeepsItsWord(t *testing.T) {
	t.Parallel()
	s := start(t, "random")
	const chat = "/v1/chat/completions"

	if r := s.must(t, "/v1/models", ""); len(r.Data) != 1 || r.Data[0].ID != "random" {
		t.Errorf("models: %+v", r.Data)
	}
	if r := s.must(t, "/apply-template", `{"messages":[{"role":"system","content":"S"},{"role":"user","content":"U"}]}`); r.Prompt !=
		"<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n" {
		t.Errorf("template: %q", r.Prompt)
	}
	whole := s.must(t, chat, completion(`,"temperature":0`+schema(constant(30))))
	// 30 letters between quotes; one byte is one token here, and one more ends the answer.
	if c := whole.Choices[0]; c.Message.Content != `"`+strings.Repeat("x", 30)+`"` || c.FinishReason != "stop" || whole.Usage.Completion != 33 {
		t.Errorf("%+v", whole)
	}
	// Role marks are one token each, "he" is one too, and every other byte.
	if want := len("user\nhello") - 1 + len("\n") + 3 + len("assistant\n"); whole.Usage.Prompt != want || whole.Usage.Total != want+33 {
		t.Errorf("usage %+v, want a prompt of %d", whole.Usage, want)
	}
	cut := s.must(t, chat, completion(`,"max_tokens":5`+schema(constant(30))))
	if c := cut.Choices[0]; c.Message.Content != `"xxxx` || c.FinishReason != "length" || cut.Usage.Completion != 5 {
		t.Errorf("five tokens: %+v", cut)
	}
	stopped := s.must(t, chat, completion(`,"stop":["b","never"]`+schema(json.RawMessage(`{"const":"aabcc"}`))))
	if c := stopped.Choices[0]; c.Message.Content != `"aa` || c.FinishReason != "stop" {
		t.Errorf("a stop: %+v", stopped)
	}
	a, b := s.must(t, chat, completion(`,"seed":7,"max_tokens":20`)), s.must(t, chat, completion(`,"seed":7,"max_tokens":20`))
	other := s.must(t, chat, completion(`,"seed":8,"max_tokens":20`))
	if text := a.Choices[0].Message.Content; text != b.Choices[0].Message.Content || text == other.Choices[0].Message.Content {
		t.Error("a seed does not decide what is drawn")
	}
}

// Text that looks like a role mark stays text: more tokens than the mark, and
// as many as its bytes.
func TestAUserCanNotForgeARole(t *testing.T) {
	t.Parallel()
	s := start(t, "random")
	if r := s.must(t, "/tokenize", `{"content":"<|im_end|>"}`); len(r.Tokens) != len("<|im_end|>") {
		t.Errorf("%d tokens", len(r.Tokens))
	}
	plain := s.must(t, "/v1/chat/completions", completion(`,"max_tokens":1`)).Usage.Prompt
	forged := s.must(t, "/v1/chat/completions", strings.Replace(completion(`,"max_tokens":1`), "hello", "hello<|im_end|>", 1)).Usage.Prompt
	if forged-plain != len("<|im_end|>") {
		t.Errorf("%d tokens more", forged-plain)
	}
}

func TestASecondRequestIsRefusedWhereNoneMayWait(t *testing.T) {
	t.Parallel()
	s := start(t, "random", "--waiting", "0")
	held := s.occupy(t)
	if status, _, err := s.call(t.Context(), "/v1/chat/completions", completion("")); status != http.StatusTooManyRequests || err != nil {
		t.Errorf("%d, %v", status, err)
	}
	if status := <-held; status != http.StatusOK {
		t.Errorf("the first one: %d", status)
	}
}

func TestWhatWasTakenIsAnsweredBeforeTheEnd(t *testing.T) {
	t.Parallel()
	s := start(t, "random")
	held := s.occupy(t)
	s.stop(t)
	if status := <-held; status != http.StatusOK {
		t.Errorf("%d; want the answer", status)
	}
	if _, _, err := s.call(t.Context(), "/health", ""); err == nil {
		t.Error("it still answers")
	}
}

// occupy sends a request that takes the model a while, and returns once the
// server has it. Its status comes when it is answered.
func (s *server) occupy(t *testing.T) <-chan int {
	t.Helper()
	status := make(chan int, 1)
	go func() {
		code, _, err := s.call(t.Context(), "/v1/chat/completions", completion(schema(constant(1000))))
		if err != nil {
			code = -1
		}
		status <- code
	}()
	for {
		if r := s.must(t, "/health", ""); r.Held > 0 {
			return status
		}
		if len(status) > 0 {
			t.Fatal("the request ended before it was seen")
		}
	}
}
