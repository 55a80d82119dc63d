package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
	old "github.com/sashabaranov/go-openai"

	"inferonce/providers/sim"
)

// The SDKs below are used as they come: with their own retries, which are on in
// openai-go and do not exist in go-openai. What ran is counted by the provider.

func chatWorld(t *testing.T) (*world, *dropper) {
	t.Helper()
	w, err := newWorld(simFlags{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	return w, newDropper(t, w.url)
}

// ran is how often the providers really worked.
func (w *world) ran() (n int) {
	for _, e := range w.sim.Ledger(sim.Query{}) {
		if e.Executed {
			n++
		}
	}
	return n
}

const capital = "What is the capital of Portugal? Answer with its name alone, without a full stop."

func ask(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "chat", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}}
}

func keyed(key string) option.RequestOption { return option.WithHeader("Idempotency-Key", key) }

func TestOpenAIGoRunsOneIntentOnceHoweverOftenItsAnswerIsLost(t *testing.T) {
	w, way := chatWorld(t)
	c := openai.NewClient(option.WithBaseURL(way.url+"/v1"), option.WithAPIKey(w.key))
	way.order(2, whole) // the first try and the first retry
	got, err := c.Chat.Completions.New(t.Context(), ask(capital), keyed("capital-1"))
	if err != nil {
		t.Fatal(err)
	}
	if way.count() != 2 || w.ran() != 1 || got.Choices[0].Message.Content != "Lisbon" {
		t.Errorf("%d answers lost, %d executions, %q", way.count(), w.ran(), got.Choices[0].Message.Content)
	}
	// Half an answer is an error of its own, which this SDK does not repeat; the
	// caller's repeat under the same key starts nothing.
	way.order(1, 20)
	if _, err := c.Chat.Completions.New(t.Context(), ask(capital+" Please."), keyed("capital-2")); err == nil {
		t.Error("half an answer was taken for one")
	}
	again, err := c.Chat.Completions.New(t.Context(), ask(capital+" Please."), keyed("capital-2"))
	if err != nil {
		t.Fatal(err)
	}
	if w.ran() != 2 || again.Choices[0].Message.Content != "Lisbon" {
		t.Errorf("%d executions for two intents, %q", w.ran(), again.Choices[0].Message.Content)
	}
}

// The call is not over when the router's wait is, and the SDK comes back by itself.
func TestOpenAIGoComesBackForTheSameJob(t *testing.T) {
	w, _ := chatWorld(t)
	if err := w.sim.SetFaults("sim-a", sim.Fault{Until: "answer"}); err != nil {
		t.Fatal(err)
	}
	go func() {
		if w.sim.WaitGate(t.Context(), "answer") == nil {
			w.sim.OpenGate("answer")
		}
	}()
	var statuses []int
	note := func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		res, err := next(r)
		if err == nil {
			statuses = append(statuses, res.StatusCode)
		}
		return res, err
	}
	c := openai.NewClient(option.WithBaseURL(w.url+"/v1"), option.WithAPIKey(w.key), option.WithMiddleware(note))
	got, err := c.Chat.Completions.New(t.Context(), ask(capital), keyed("capital-1"), option.WithHeader("Prefer", "respond-async"))
	if err != nil {
		t.Fatal(err)
	}
	if len(statuses) < 2 || statuses[0] != 409 || w.ran() != 1 || got.Choices[0].Message.Content != "Lisbon" {
		t.Errorf("statuses %v, %d executions, %q", statuses, w.ran(), got.Choices[0].Message.Content)
	}
}

func TestOpenAIGoRaisesItsOwnErrorsAndRepeatsNoFinalOne(t *testing.T) {
	w, _ := chatWorld(t)
	sent := 0
	count := func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		sent++
		return next(r)
	}
	c := openai.NewClient(option.WithBaseURL(w.url+"/v1"), option.WithAPIKey(w.key), option.WithMiddleware(count))
	if _, err := c.Chat.Completions.New(t.Context(), ask(capital), keyed("taken")); err != nil {
		t.Fatal(err)
	}
	other := ask(capital)
	other.Model = "gpt-x"
	two := ask(capital)
	two.N = openai.Int(2)
	triage := ask(capital)
	triage.Model = "ticket-triage"
	for _, row := range []struct {
		name    string
		params  openai.ChatCompletionNewParams
		options []option.RequestOption
		status  int
		code    string
		param   string
	}{
		{"no key", ask(capital), nil, 400, "idempotency_key_required", ""},
		{"a key of another intent", ask("Something else entirely."), []option.RequestOption{keyed("taken")}, 400, "idempotency_key_reused", ""},
		{"an unknown model", other, []option.RequestOption{keyed("k1")}, 404, "model_not_found", "model"},
		{"a model of another kind", triage, []option.RequestOption{keyed("k2")}, 400, "model_not_chat", "model"},
		{"a parameter that is not offered", two, []option.RequestOption{keyed("k3")}, 400, "unsupported_parameter", "n"},
		{"nobody's API key", ask(capital), []option.RequestOption{keyed("k4"), option.WithAPIKey("nobody")}, 401, "unauthorized", ""},
	} {
		sent = 0
		_, err := c.Chat.Completions.New(t.Context(), row.params, row.options...)
		var e *openai.Error
		if !errors.As(err, &e) || e.StatusCode != row.status || e.Code != row.code || e.Param != row.param || sent != 1 {
			t.Errorf("%s: sent %d times, %v", row.name, sent, err)
		}
	}
	if err := w.sim.SetSettings("sim-a", sim.Settings{Always: &sim.Fault{WrongSchema: true}}); err != nil {
		t.Fatal(err)
	}
	if err := w.sim.SetSettings("sim-b", sim.Settings{Always: &sim.Fault{WrongSchema: true}}); err != nil {
		t.Fatal(err)
	}
	sent = 0
	before := w.ran()
	_, err := c.Chat.Completions.New(t.Context(), extraction(), keyed("fails"))
	var e *openai.Error
	if !errors.As(err, &e) || e.StatusCode != 400 || e.Code != "job_failed" || sent != 1 || w.ran() != before+2 {
		t.Errorf("a job that failed: sent %d times, %d executions, %v", sent, w.ran()-before, err)
	}
}

func extraction() openai.ChatCompletionNewParams {
	p := ask("Hello, I am Anna Keller and my order 8841 over 59.80 EUR has not arrived yet.")
	p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
		Name: "order", Strict: openai.Bool(true), Schema: map[string]any{"type": "object", "additionalProperties": false,
			"properties": map[string]any{"order_id": map[string]any{"type": "string"}, "customer": map[string]any{"type": "string"},
				"amount": map[string]any{"type": "number"}, "currency": map[string]any{"enum": []string{"EUR", "USD"}}},
			"required": []string{"order_id", "customer", "amount", "currency"}}}}
	return p
}

func TestOpenAIGoGetsStructuredAnswersCallsAndModels(t *testing.T) {
	w, _ := chatWorld(t)
	c := openai.NewClient(option.WithBaseURL(w.url+"/v1"), option.WithAPIKey(w.key))
	got, err := c.Chat.Completions.New(t.Context(), extraction(), keyed("order-8841"))
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{"order_id": "8841", "customer": "Anna Keller", "currency": "EUR"} {
		if text, err := jsonAt([]byte(got.Choices[0].Message.Content), field); err != nil || text != want {
			t.Errorf("%s is %q: %v", field, text, err)
		}
	}
	p := ask("What is the temperature in Lisbon right now, in celsius?")
	p.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "get_temperature",
		Parameters: shared.FunctionParameters{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}, "unit": map[string]any{"type": "string"}}, "required": []string{"city"}}})}
	if got, err = c.Chat.Completions.New(t.Context(), p, keyed("weather-1")); err != nil {
		t.Fatal(err)
	}
	if calls := got.Choices[0].Message.ToolCalls; got.Choices[0].FinishReason != "tool_calls" || len(calls) != 1 || calls[0].ID == "" ||
		calls[0].Function.Name != "get_temperature" || calls[0].Function.Arguments != `{"city":"Lisbon","unit":"celsius"}` {
		t.Errorf("%s", got.RawJSON())
	}
	p.Messages = append(p.Messages, got.Choices[0].Message.ToParam(), openai.ToolMessage("18 degrees", got.Choices[0].Message.ToolCalls[0].ID))
	if got, err = c.Chat.Completions.New(t.Context(), p, keyed("weather-1-result")); err != nil || got.Choices[0].Message.Content != "18 degrees" {
		t.Errorf("the result of the call: %v, %v", got, err)
	}
	models, err := c.Models.List(t.Context())
	if err != nil || len(models.Data) != 1 || models.Data[0].ID != "chat" {
		t.Errorf("%+v, %v", models, err)
	}
	if m, err := c.Models.Get(t.Context(), "chat"); err != nil || m.ID != "chat" {
		t.Errorf("%+v, %v", m, err)
	}
}

// keyedHTTP gives go-openai's requests the key that their context holds: the SDK
// has no header of a single call.
type keyedHTTP struct{ http.Client }

type keyOf struct{}

func (k *keyedHTTP) Do(r *http.Request) (*http.Response, error) {
	if key, ok := r.Context().Value(keyOf{}).(string); ok {
		r.Header.Set("Idempotency-Key", key)
	}
	return k.Client.Do(r)
}

func TestGoOpenAIRunsOneIntentOnceAndRaisesItsOwnErrors(t *testing.T) {
	w, way := chatWorld(t)
	config := old.DefaultConfig(w.key)
	config.BaseURL, config.HTTPClient = way.url+"/v1", &keyedHTTP{}
	c := old.NewClientWithConfig(config)
	ctx := context.WithValue(t.Context(), keyOf{}, "capital-1")
	q := old.ChatCompletionRequest{Model: "chat", Messages: []old.ChatCompletionMessage{{Role: "user", Content: capital}}}
	way.order(1, 20)
	if _, err := c.CreateChatCompletion(ctx, q); err == nil {
		t.Error("half an answer was taken for one")
	}
	got, err := c.CreateChatCompletion(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if got.Choices[0].Message.Content != "Lisbon" || w.ran() != 1 || !strings.HasPrefix(got.ID, "chatcmpl-") {
		t.Errorf("%d executions, %+v", w.ran(), got)
	}
	var e *old.APIError
	if _, err = c.CreateChatCompletion(t.Context(), q); !errors.As(err, &e) || e.HTTPStatusCode != 400 || e.Code != "idempotency_key_required" {
		t.Errorf("no key: %v", err)
	}
	q.Model = "gpt-x"
	if _, err = c.CreateChatCompletion(ctx, q); !errors.As(err, &e) || e.HTTPStatusCode != 404 || e.Code != "model_not_found" {
		t.Errorf("an unknown model: %v", err)
	}
	if all, err := c.ListModels(t.Context()); err != nil || len(all.Models) != 1 || all.Models[0].ID != "chat" {
		t.Errorf("%+v, %v", all, err)
	}
}
