package sim

import (
	"strings"
	"testing"
)

// A question about the prompt is answered from the prompt, in the schema's order.
func TestAModelRepeatsWhatItsPromptSays(t *testing.T) {
	ask := func(system, user, properties string) *chatRequest {
		r := &chatRequest{Model: "m", Messages: []chatMessage{{"system", chatText(system)}, {"user", chatText(user)}}}
		r.ResponseFormat.Type, r.ResponseFormat.JSONSchema.Name = "json_schema", probeSchema
		r.ResponseFormat.JSONSchema.Schema = []byte(`{"type":"object","properties":{` + properties + `}}`)
		return r
	}
	for name, l := range map[string]struct {
		req  *chatRequest
		want string
	}{
		"codes, in the schema's order":     {ask("", "Code head is ABC2. Text. Code tail is XYZ7.", `"tail":{},"head":{}`), `{"tail":"XYZ7","head":"ABC2"}`},
		"a rule goes before a user's word": {ask("Code code is RULE.", "Code code is USER.", `"code":{}`), `{"code":"RULE"}`},
		"all values of an entry":           {ask("Code entry is ONE.", "Code entry is TWO.", `"entries":{}`), `{"entries":["ONE","TWO"]}`},
		"texts between marks":              {ask("", "M2-1>a \"b\"\r\n<M2-1 M2-2>{{x}}<M2-2\nBetween M2-N> and <M2-N stand 2 texts.", `"texts":{}`), `{"texts":["a \"b\"\r\n","{{x}}"]}`},
		"what did not arrive":              {ask("", "nothing", `"head":{}`), `{"head":"unknown"}`},
	} {
		s := New(Options{})
		c := &call{s: s, req: l.req}
		a, err := c.good(s.formats.get(l.req.schema()), nil)
		if err != nil || a.value.String() != l.want {
			t.Errorf("%s: %v (%v), want %s", name, a, err, l.want)
		}
		l.req.ResponseFormat.JSONSchema.Name = "other"
		if a, err := c.good(s.formats.get(l.req.schema()), nil); err != nil || strings.Contains(a.value.String(), "ABC2") {
			t.Errorf("%s, another schema: %v, %v", name, a, err)
		}
	}
}

func TestARequestThatNoModelTakesIsRefused(t *testing.T) {
	cold, warm := -7.0, 2.0
	for name, l := range map[string]struct {
		set  func(*chatRequest)
		want string // "" is taken
	}{
		"an impossible temperature": {func(r *chatRequest) { r.Temperature = &cold }, "temperature lies between"},
		"the highest temperature":   {func(r *chatRequest) { r.Temperature = &warm }, ""},
		"too long a prompt":         {func(r *chatRequest) { r.Messages[0].Content = chatText(strings.Repeat("a ", MaxWords+1)) }, "context_length_exceeded"},
		"the longest prompt":        {func(r *chatRequest) { r.Messages[0].Content = chatText(strings.Repeat("a ", MaxWords)) }, ""},
	} {
		r := &chatRequest{Model: "m", Messages: []chatMessage{{"user", "x"}}}
		l.set(r)
		refusal := r.check()
		if (refusal == nil) != (l.want == "") || refusal != nil && (refusal.status != 400 || !strings.Contains(string(refusal.body), l.want)) {
			t.Errorf("%s: %+v, want %q", name, refusal, l.want)
		}
	}
}
