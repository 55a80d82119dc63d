package openaicompat

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"inferonce/providers"
)

// The command is run by a shell with a curl that prints its last argument, so
// that what is tested is what a shell makes of it.
func TestTheReproducerSendsTheSameBodyAndNoKey(t *testing.T) {
	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		sent = string(b)
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	c, err := New(Config{BaseURL: server.URL + "/v1/", APIKey: func() string { return "canary-4711" }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	zero := 0.0
	for name, r := range map[string]providers.Request{
		"plain":              {Model: "m", Messages: []providers.Message{{Role: "user", Content: "hello"}}},
		"quotes":             {Model: "m", Messages: []providers.Message{{Role: "user", Content: `it's "quoted" $HOME $(id) ` + "`id` \\ \n é"}}},
		"whole":              {Model: "gpt-5", Messages: []providers.Message{{Role: "system", Content: "s"}, {Role: "user", Content: "u"}}, Schema: json.RawMessage(`{"type":"object"}`), SchemaName: "s", MaxTokens: 9},
		"lowest temperature": {Model: "m", Messages: []providers.Message{{Role: "user", Content: "u"}}, Temperature: &zero},
	} {
		if _, err := c.Complete(context.Background(), r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		command := c.Reproduce(r)
		if strings.Contains(command, "canary") || !strings.HasPrefix(command, "curl -sS '"+server.URL+"/v1/chat/completions' ") || !strings.Contains(command, `"Authorization: Bearer $API_KEY"`) {
			t.Errorf("%s: %s", name, command)
		}
		out, err := exec.Command("sh", "-c", `curl() { for last; do :; done; printf %s "$last"; }; `+command).Output()
		if err != nil || string(out) != sent {
			t.Errorf("%s: a shell sends %s (%v), want %s", name, out, err, sent)
		}
	}
}
