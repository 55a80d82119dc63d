package router

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

// picky is a provider that can't take requests with some part.
type picky struct {
	*scripted
	refuses func(r providers.Request) string // the part; "" takes it
}

func (p picky) Takes(r providers.Request) error {
	if part := p.refuses(r); part != "" {
		return &providers.Unsupported{Part: part, Reason: "this API has no words for it"}
	}
	return nil
}

func noImages(r providers.Request) string {
	for _, m := range r.Messages {
		if len(m.Parts) > 0 {
			return "messages[0].parts[1].image"
		}
	}
	return ""
}

func noTools(r providers.Request) string {
	if len(r.Tools) > 0 {
		return "tools"
	}
	return ""
}

// The requests of these stories. The sample chat has cases with tools, and none
// with an image.
const (
	plainChat = `{"messages":[{"role":"user","content":"hello"}]}`
	toolChat  = `{"messages":[{"role":"user","content":"hello"}],"tools":[{"type":"function","function":{"name":"math_gcd"}}]}`
	imageChat = `{"messages":[{"role":"user","content":[{"type":"text","text":"what is it?"},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}]}`
)

func chatRequest(key, input string) Request {
	r := request("chat", key)
	r.Input, r.Intent = json.RawMessage(input), []byte(`{"contract":"chat@1","input":`+input+`}`)
	r.Fingerprint = contracts.Fingerprint("POST", "/v1/chat/completions", r.Intent)
	return r
}

// with makes anew the router of a world whose providers are picky.
func (w *world) with(a, b func(providers.Request) string) *Router {
	w.config.Providers = map[string]providers.Provider{"a": picky{w.a, a}, "b": picky{w.b, b}}
	w.router = w.start("router-2", w.store)
	return w.router
}

func anything(providers.Request) string { return "" }

func TestStoriesOfRequestsThatNotEveryTargetCanTake(t *testing.T) {
	for _, story := range []struct {
		name string
		tell func(w *world)
	}{
		{"a request that nobody can take is refused, and stores nothing", func(w *world) {
			r := w.with(noImages, noImages)
			w.prove()
			_, err := r.Submit(context.Background(), chatRequest("k", imageChat))
			e, ok := errors.AsType[*UnsupportedError](err)
			if !ok || e.Part != "messages[0].parts[1].image" || len(e.Excluded) != 2 || e.Excluded[1].Target != "b" || e.Excluded[1].Code != codeUnsupported {
				w.t.Fatalf("%v", err)
			}
			w.expect(w.chat(r, "k", plainChat), "succeeded by 1: a succeeded") // the key is still free
			if len(w.a.ran())+len(w.b.ran()) != 1 {
				w.t.Errorf("a ran %v, b ran %v", w.a.ran(), w.b.ran())
			}
		}},
		{"what the primary can't take goes to a fallback that proved it", func(w *world) {
			w.b.answer = calls(gcd)
			r := w.with(noTools, anything)
			w.prove()
			w.expect(w.chat(r, "k", toolChat), "succeeded by 1: b succeeded")
			if len(w.a.ran()) != 0 {
				w.t.Errorf("the primary got it all the same: %v", w.a.ran())
			}
		}},
		{"and to nobody while that one has not", func(w *world) {
			r := w.with(noTools, anything)
			_, err := r.Submit(context.Background(), chatRequest("k", toolChat))
			e, ok := errors.AsType[*NoTargetError](err)
			if !ok || len(e.Excluded) != 2 || e.Excluded[0].Code != codeUnsupported || e.Excluded[1].Code != "not_proved" || len(w.b.ran()) != 0 {
				w.t.Errorf("%v", err)
			}
		}},
		{"a fallback that can't take it does not take over, and the job says why", func(w *world) {
			w.a.answer = fails(refusal)
			r := w.with(anything, noTools)
			w.prove()
			j := w.chat(r, "k", toolChat)
			if j.Error == nil || len(j.Error.Excluded) > 1 || len(w.b.ran()) != 0 {
				w.t.Fatalf("%s, b ran %v", line(j), w.b.ran())
			}
			w.a.answer = fails(contracts.Failure{Class: contracts.Auth, Effect: contracts.None})
			j = w.chat(r, "k2", toolChat)
			w.expect(j, "failed no_eligible_fallback: a failed")
			if no := j.Error.Excluded; len(no) != 1 || no[0].Code != codeUnsupported || !strings.Contains(no[0].Reason, "tools: this API has no words for it") {
				w.t.Errorf("%+v", j.Error.Excluded)
			}
		}},
		{"a fallback serves what a case of the contract asks for (R24)", func(w *world) {
			w.prove()
			w.a.answer, w.b.answer = fails(refusal), calls(gcd)
			w.expect(w.chat(w.router, "k", toolChat), "succeeded by 2: a failed, b succeeded")
		}},
		{"and nothing that no case asks for", func(w *world) {
			w.prove()
			w.a.answer = fails(contracts.Failure{Class: contracts.Auth, Effect: contracts.None})
			j := w.chat(w.router, "k", imageChat)
			w.expect(j, "failed no_eligible_fallback: a failed")
			if no := j.Error.Excluded; len(no) != 1 || no[0].Code != codeAbilityUnproved || !strings.Contains(no[0].Reason, "images") || len(w.b.ran()) != 0 {
				w.t.Errorf("%+v, b ran %v", no, w.b.ran())
			}
		}},
		{"an answer is held against the schema of its own request (R26)", func(w *world) {
			w.prove()
			asked := `{"messages":[{"role":"user","content":"hello"}],"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}}}`
			w.a.answer, w.b.answer = says(`{"n":"one"}`), says(`{"n":1}`)
			j := w.chat(w.router, "k", asked)
			w.expect(j, "succeeded by 2: a failed, b succeeded")
			if f := j.Attempts[0].Failure; f.Class != contracts.ContractViolation || f.Violations[0].Pointer != "/content/n" {
				w.t.Errorf("%+v", f)
			}
		}},
	} {
		t.Run(story.name, func(t *testing.T) { inWorld(t, story.tell) })
	}
}

// chat submits and waits until the job is at rest.
func (w *world) chat(r *Router, key, input string) (j jobstore.Job) {
	w.t.Helper()
	s, err := r.Submit(context.Background(), chatRequest(key, input))
	if err != nil {
		w.t.Fatalf("submit: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if j, err = r.Wait(ctx, s); err != nil {
		w.t.Fatalf("wait: %v", err)
	}
	return j
}

func TestModelsAreTheChatRoutesByName(t *testing.T) {
	inWorld(t, func(w *world) {
		for i, r := range w.config.Routes {
			if r.Contract.Name == "ticket-race" {
				w.config.Routes[i].Name = "racing"
			}
		}
		r := w.start("router-2", w.store)
		if all := r.Models(); !slices.Equal(all, []Model{{"chat", "chat@1"}}) {
			w.t.Errorf("%v", all)
		}
		for _, name := range []string{"chat", "chat@1"} {
			if m, err := r.Model(name); err != nil || m != (Model{"chat", "chat@1"}) {
				w.t.Errorf("%s: %v, %v", name, m, err)
			}
		}
		for _, name := range []string{"racing", "ticket-triage", "ticket-triage@1"} {
			if _, err := r.Model(name); !isNotChat(err) {
				w.t.Errorf("%s: %v", name, err)
			}
		}
		for _, name := range []string{"", "gpt-x", "chat@2"} {
			e, ok := errors.AsType[*UnknownModelError](func() error { _, err := r.Model(name); return err }())
			if !ok || !slices.Equal(e.Known, []string{"chat"}) {
				w.t.Errorf("%q: %v", name, e)
			}
		}
		for i, route := range w.config.Routes {
			if route.Contract.Chat {
				w.config.Routes[i].Name = "gpt-x"
			}
		}
		if m, err := w.start("router-3", w.store).Model("gpt-x"); err != nil || m != (Model{"gpt-x", "chat@1"}) {
			w.t.Errorf("a route's own name: %v, %v", m, err)
		}
	})
}

func isNotChat(err error) bool {
	_, ok := errors.AsType[*NotChatError](err)
	return ok
}
