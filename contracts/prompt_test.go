package contracts

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	for name, row := range map[string]struct{ template, input, want string }{
		"text goes in as it is":                 {"<{{input.a}}>", `{"a":"x\ny \"z\" é😀"}`, "<x\ny \"z\" é😀>"},
		"spaces in a placeholder don't count":   {"{{ input.a }}{{input.a }}", `{"a":"x"}`, "xx"},
		"a number keeps its spelling":           {"{{input.a}}", `{"a":1.50}`, "1.50"},
		"a large integer keeps its digits":      {"{{input.a}}", `{"a":9007199254740993}`, "9007199254740993"},
		"an object is compact JSON":             {"{{input.a}}", `{"a": { "z": [1, 2], "b": "<&>" } }`, `{"z":[1,2],"b":"<&>"}`},
		"null is null":                          {"{{input.a}}", `{"a":null}`, "null"},
		"a missing field leaves nothing":        {"[{{input.a}}]", `{}`, "[]"},
		"a field of a field":                    {"{{input.b.c}}", `{"b":{"c":"x"}}`, "x"},
		"an input is not evaluated again":       {"{{input.a}}", `{"a":"{{input.b.c}} {{x}} %s ${y}","b":{"c":"no"}}`, "{{input.b.c}} {{x}} %s ${y}"},
		"an input can't complete a placeholder": {"{{input.a}}{{input.a}}", `{"a":"{{"}`, "{{{{"},
		"single braces are text":                {`{"a": {input.a}}}`, `{"a":"x"}`, `{"a": {input.a}}}`},
		"no placeholder":                        {"plain", `{}`, "plain"},
		"nothing":                               {"", `{}`, ""},
	} {
		tpl, faults := parseTemplate(row.template)
		if faults != nil {
			t.Errorf("%s: %+v", name, faults)
			continue
		}
		if got, err := tpl.render(json.RawMessage(row.input)); err != nil || got != row.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, row.want)
		}
	}
}

func TestARenderErrorTellsNothingOfTheInput(t *testing.T) {
	tpl, _ := parseTemplate("{{input.a.b}}")
	_, err := tpl.render(json.RawMessage(`{"a":"hunter2"}`))
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Fatal(err)
	}
}

func TestDeriveKey(t *testing.T) {
	c := mustLoad(t)
	key := func(input string) string {
		t.Helper()
		k, err := c.DeriveKey(json.RawMessage(input))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := key(`{"account":"a","text":"t","order":{"id":1}}`)
	if _, err := CheckIdempotencyKey([]string{first}); err != nil {
		t.Errorf("%q is no key: %v", first, err)
	}
	for name, same := range map[string]string{
		"other fields don't count": `{"account":"a","text":"other","order":{"id":1,"sent":"x"}}`,
		"order and space don't":    `{ "order": {"id": 1 }, "account":"a"}`,
		"another spelling doesn't": `{"account":"\u0061","order":{"id":1.0}}`,
	} {
		if key(same) != first {
			t.Errorf("%s, but the key is new", name)
		}
	}
	for name, other := range map[string]string{
		"another account":               `{"account":"b","order":{"id":1}}`,
		"another order":                 `{"account":"a","order":{"id":2}}`,
		"the same text as another type": `{"account":"a","order":{"id":"1"}}`,
	} {
		if key(other) == first {
			t.Errorf("%s has the same key", name)
		}
	}
	for name, bad := range map[string]string{
		"a missing field": `{"account":"a"}`, "null": `{"account":null,"order":{"id":1}}`, "no object": `[]`, "an order that is none": `{"account":"a","order":7}`,
		"an integer beyond 2^53": `{"account":"a","order":{"id":9007199254740993}}`,
	} {
		if k, err := c.DeriveKey(json.RawMessage(bad)); err == nil {
			t.Errorf("%s makes the key %s", name, k)
		}
	}
	if k, err := sample(t, "ticket-triage").DeriveKey(json.RawMessage(`{"text":"x"}`)); err == nil {
		t.Errorf("a contract without identity makes the key %s", k)
	}
}

func TestDerivedKeysSurviveANewVersionAndTellContractsApart(t *testing.T) {
	input := json.RawMessage(`{"account":"a","order":{"id":1}}`)
	one, _ := mustLoad(t).DeriveKey(input)
	next, _ := mustLoad(t, "version: 2", "version: 3").DeriveKey(input)
	other, _ := mustLoad(t, "name: demo", "name: demo-b").DeriveKey(input)
	if one == "" || one != next || one == other {
		t.Errorf("%s, %s, %s", one, next, other)
	}
}

func TestTimeLikeNames(t *testing.T) {
	for _, name := range []string{"time", "timestamp", "date", "now", "ts", "created_at", "createdAt", "sentTime", "TIMESTAMP", "event-date", "eventtimestamp", "date_created", "epoch_ms"} {
		if !timeLike(name, nil) {
			t.Errorf("%q passes", name)
		}
	}
	for _, name := range []string{"account", "update_id", "candidate", "format", "runtime_id", "statement", "message", "chat", "knowledge", "sometimes"} {
		if timeLike(name, nil) {
			t.Errorf("%q is refused", name)
		}
	}
}
