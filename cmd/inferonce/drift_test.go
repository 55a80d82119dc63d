package main

import (
	"testing"

	"inferonce/configs"
	"inferonce/contracts"
)

func TestWhatALiveAnswerIsWorth(t *testing.T) {
	catalog, err := loadCatalog("")
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Get("ticket-triage")
	if err != nil {
		t.Fatal(err)
	}
	classify := newClassifier(&configs.Config{Drift: configs.DriftSuspend})
	good := contracts.Completion{Content: `{"category":"card","urgent":true}`, Model: "anything", FinishReason: "stop"}
	with := func(content string) contracts.Completion { g := good; g.Content = content; return g }
	for _, row := range []struct {
		name   string
		done   contracts.Completion
		err    error
		check  string
		counts bool
	}{
		{"a good answer, under whatever name", good, nil, "", true},
		{"no JSON", with("Sure! card"), nil, "STR-01", true},
		{"a category that is not listed", with(`{"category":"pizza","urgent":true}`), nil, "STR-07", true},
		{"an answer that is cut", contracts.Completion{Content: `{"category":`, FinishReason: "length"}, nil, "ENV-07", true},
		{"an outage", contracts.Completion{}, &contracts.Failure{Class: contracts.Overloaded, Effect: contracts.None, Status: 503}, "", false},
		{"a silent provider", contracts.Completion{}, &contracts.Failure{Class: contracts.Timeout, Effect: contracts.Open}, "", false},
		{"an input that is too long", contracts.Completion{}, &contracts.Failure{Class: contracts.ContextLength, Effect: contracts.None, Status: 400}, "", false},
		{"an input that a filter refuses", contracts.Completion{}, &contracts.Failure{Class: contracts.ContentFiltered, Effect: contracts.Ended, Status: 200}, "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			check, counts := classify(c, "sim", []byte(`{"text":"my card is gone"}`), row.done, row.err)
			if check != row.check || counts != row.counts {
				t.Errorf("%q, counts %t; want %q, %t", check, counts, row.check, row.counts)
			}
		})
	}
	tools, err := catalog.Get("assistant-tools")
	if err != nil {
		t.Fatal(err)
	}
	called := contracts.Completion{FinishReason: "stop", ToolCalls: []contracts.ToolCall{{ID: "a", Name: "math_gcd", Arguments: `{"num1":1,"num2":2}`}}}
	eased := newClassifier(&configs.Config{Drift: configs.DriftSuspend, Providers: map[string]configs.Provider{"p": {StopWithCalls: true}},
		Targets: map[string]configs.Target{"t": {Provider: "p", Model: "stops"}}})
	for model, want := range map[string]string{"stops": "", "other": "TOOL-08"} {
		if check, counts := eased(tools, model, []byte(`{"text":"gcd"}`), called, nil); check != want || !counts {
			t.Errorf("calls that end by stop, %s: %q, counts %t; want %q", model, check, counts, want)
		}
	}
	if newClassifier(&configs.Config{Drift: configs.DriftOff}) != nil {
		t.Error("somebody looks for drift although it is off")
	}
}
