package conformance

import (
	"errors"
	"testing"

	"inferonce/contracts"
)

func TestAFailedCallIsTheModelsOrTheWays(t *testing.T) {
	c := tickets(t)
	j, k := NewJudge(c, "m"), c.Cases[0]
	for _, l := range []struct {
		name    string
		failure contracts.Failure
		want    string // "" for infrastructure
	}{
		{"refused by rate", contracts.Failure{Class: contracts.RateLimited, Status: 429}, ""},
		{"out of money", contracts.Failure{Class: contracts.QuotaExhausted, Status: 402}, ""},
		{"overloaded", contracts.Failure{Class: contracts.Overloaded, Status: 503}, ""},
		{"unreachable", contracts.Failure{Class: contracts.Connection, Code: "refused"}, ""},
		{"no answer in time", contracts.Failure{Class: contracts.Timeout, Code: "first_byte"}, ""},
		{"an answer that stalls", contracts.Failure{Class: contracts.Timeout, Code: "answer", Status: 200}, ""},
		{"a server's own error", contracts.Failure{Class: contracts.ProviderError, Status: 500}, ""},
		{"a bad key", contracts.Failure{Class: contracts.Auth, Status: 401}, ""},
		{"an unknown model", contracts.Failure{Class: contracts.NotFound, Status: 404}, ""},
		{"a programming error of ours", contracts.Failure{Class: contracts.Internal}, ""},
		{"an error inside a success", contracts.Failure{Class: contracts.ProviderError, Code: "embedded", Status: 200}, "ENV-02"},
		{"a refusal by rate inside a success", contracts.Failure{Class: contracts.RateLimited, Status: 200}, "ENV-02"},
		{"a refused request inside a success", contracts.Failure{Class: contracts.InvalidRequest, Status: 200}, "ENV-02"},
		{"a refused request", contracts.Failure{Class: contracts.InvalidRequest, Status: 400}, "PAR-01"},
		{"a prompt that does not fit", contracts.Failure{Class: contracts.ContextLength, Status: 400}, "PAR-01"},
		{"a page instead of a completion", contracts.Failure{Class: contracts.BadResponse, Code: "html", Status: 200}, "ENV-01"},
		{"no choices", contracts.Failure{Class: contracts.BadResponse, Code: "no_choices", Status: 200}, "ENV-01"},
		{"no body", contracts.Failure{Class: contracts.BadResponse, Code: "empty", Status: 204}, "ENV-01"},
		{"no content", contracts.Failure{Class: contracts.BadResponse, Code: "empty", Status: 200}, "ENV-04"},
		{"an answer that ran into the cap", contracts.Failure{Class: contracts.Truncated, Code: "length", Status: 200}, "ENV-07"},
		{"an answer that broke off", contracts.Failure{Class: contracts.Truncated, Code: "cut"}, "ENV-07"},
		{"a filtered prompt", contracts.Failure{Class: contracts.ContentFiltered, Code: "prompt", Status: 400}, "ENV-08"},
		{"a refusal", contracts.Failure{Class: contracts.ContentFiltered, Code: "refusal", Status: 200}, "ENV-08"},
		{"a class of tomorrow", contracts.Failure{Class: "novel"}, "ENV-01"},
	} {
		l.failure.Effect = contracts.Ended
		r := j.Classify(k, contracts.Completion{}, &l.failure)
		if r.Check != l.want || r.Infra != (l.want == "") || r.Passed() || r.Message == "" {
			t.Errorf("%s: check %q, infra %v, %q; want %q", l.name, r.Check, r.Infra, r.Message, l.want)
		}
	}
	if r := j.Classify(k, said(right(k)), errors.New("not ours")); !r.Infra || r.Passed() {
		t.Errorf("an error of another kind beside a right answer: %+v", r)
	}
}

func TestTheEnvelopeOfAnAnswer(t *testing.T) {
	c := tickets(t)
	k := c.Cases[0]
	for _, l := range []struct {
		name   string
		finish string
		model  string
		want   string
	}{
		{"stop", "stop", "gpt-4o", ""},
		{"no reason", "", "gpt-4o", "ENV-03"},
		{"an unknown reason", "error", "gpt-4o", "ENV-03"},
		{"tool calls that nobody offered", "tool_calls", "gpt-4o", "ENV-03"},
		{"the cap, though the JSON is whole", "length", "gpt-4o", "ENV-07"},
		{"a filter, though there is content", "content_filter", "gpt-4o", "ENV-08"},
		{"a dated name of the alias", "stop", "gpt-4o-2024-08-06", ""},
		{"a numbered name of the alias", "stop", "gpt-4o-0613", ""},
		{"a declared name", "stop", "openai/gpt-4o", ""},
		{"a smaller model", "stop", "gpt-4o-mini", "ENV-06"},
		{"a dated name of a smaller model", "stop", "gpt-4o-mini-2024-07-18", "ENV-06"},
		{"another model", "stop", "other/model", "ENV-06"},
		{"no name", "stop", "", "ENV-06"},
	} {
		got := said(right(k))
		got.FinishReason, got.Model = l.finish, l.model
		if r := NewJudge(c, "gpt-4o", "openai/gpt-4o").Classify(k, got, nil); r.Check != l.want || r.Infra {
			t.Errorf("%s: %q (%s), want %q", l.name, r.Check, r.Message, l.want)
		}
	}
	for asked, served := range map[string]string{"claude-x-latest": "claude-x-20241022", "models/g-2": "models/g-2-001"} {
		if !sameModel(asked, served) {
			t.Errorf("%s answers as %s", asked, served)
		}
	}
}
