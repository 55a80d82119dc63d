package conformance

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

// showing is a model whose server shows how it renders.
type showing struct {
	*model
	err    error
	change func(*providers.Rendering)
	turns  func([]providers.Message) []providers.Message
}

func (s showing) Render(_ context.Context, r providers.Request) (providers.Rendering, error) {
	if s.err != nil {
		return providers.Rendering{}, s.err
	}
	turns := slices.Clone(r.Messages)
	if s.turns != nil {
		turns = s.turns(turns)
	}
	var b strings.Builder
	b.WriteString("<bos>")
	for _, m := range turns {
		b.WriteString("<|" + m.Role + "|>" + m.Content + "<|end|>")
	}
	b.WriteString("<|assistant|>")
	got := providers.Rendering{Text: b.String(), Tokens: []int{2, 105, 9, 9}}
	if s.change != nil {
		s.change(&got)
	}
	return got, nil
}

func TestAPromptThatIsShownIsLookedAt(t *testing.T) {
	failed := func(class contracts.Class) error {
		return &contracts.Failure{Class: class, Effect: contracts.None, Status: 404}
	}
	for _, l := range []struct {
		name    string
		showing showing
		verdict contracts.Verdict
		says    string
	}{
		{"as it should be", showing{}, contracts.Pass, ""},
		{"a beginning that stands twice", showing{change: func(r *providers.Rendering) { r.Tokens = []int{2, 2, 105} }}, contracts.Fail, "begins with token 2 twice"},
		{"no tokens", showing{change: func(r *providers.Rendering) { r.Tokens = nil }}, contracts.Fail, "no tokens"},
		{"no turn for the model", showing{change: func(r *providers.Rendering) { r.Text = strings.TrimSuffix(r.Text, "<|end|><|assistant|>") }}, contracts.Fail, "nothing follows the last turn"},
		{"turns in another order", showing{turns: func(m []providers.Message) []providers.Message { slices.Reverse(m); return m }}, contracts.Fail, "user stands before an earlier one"},
		{"a system prompt that is dropped", showing{turns: func(m []providers.Message) []providers.Message { return m[1:] }}, contracts.Fail, "system is not rendered"},
		{"a text that is changed", showing{turns: each(func(_, s string) string { return strings.ToLower(s) })}, contracts.Fail, "is not rendered as it was written"},
		{"a turn that stands twice", showing{turns: func(m []providers.Message) []providers.Message { return append(m, m[1]) }}, contracts.Fail, "user is rendered twice"},
		{"a server without the ability", showing{err: failed(contracts.NotFound)}, contracts.NotApplicable, "no such address"},
		{"a server that is down", showing{err: failed(contracts.Connection)}, contracts.Inconclusive, "did not show"},
	} {
		o := deskOptions(t, &model{}, "")
		l.showing.model = o.Provider.(*model)
		o.Provider = l.showing
		r := run(t, o)
		if got := check(t, r, "REN-08"); r.Verdict != contracts.Pass || got.Verdict != l.verdict || !strings.Contains(got.Detail, l.says) {
			t.Errorf("%s: the whole %s %v, %+v; want %s", l.name, r.Verdict, r.Reasons, got, l.verdict)
		}
	}
}

func TestWhatIsShownIsFoundBehindARecorderAndNowhereElse(t *testing.T) {
	o := deskOptions(t, &model{}, "")
	if got := check(t, run(t, o), "REN-08"); got.Verdict != contracts.NotApplicable || !strings.Contains(got.Detail, "renders:") {
		t.Errorf("a provider without the ability: %+v", got)
	}
	o.Provider = NewRecorder(&bytes.Buffer{}, NewRecording(o), showing{model: o.Provider.(*model)})
	if got := check(t, run(t, o), "REN-08"); got.Verdict != contracts.Pass {
		t.Errorf("behind a recorder: %+v", got)
	}
}
