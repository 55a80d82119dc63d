package openaicompat

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func renderer(t *testing.T, server string, answer http.HandlerFunc) (*provider, *Rendering) {
	t.Helper()
	p := newProvider(t, answer)
	c, err := WithRendering(newClient(t, p.URL, providers.Traits{}), server)
	if err != nil {
		t.Fatal(err)
	}
	return p, c
}

// byPath answers each path in the words of the server's documentation.
func byPath(answers map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, body)
	}
}

func TestAServerShowsHowItRenders(t *testing.T) {
	const text = "<bos><|user|>my card is lost<|assistant|>"
	const turns = `"messages":[{"role":"user","content":"my card is lost"}]`
	for _, l := range []struct {
		server  string
		answers map[string]string
		asked   []string
	}{
		{LlamaCPP, map[string]string{"/apply-template": `{"prompt":"` + text + `"}`, "/tokenize": `{"tokens":[2,7,9]}`},
			[]string{"/apply-template {" + turns + "}", `/tokenize {"add_special":true,"content":"` + text + `","parse_special":true}`}},
		{VLLM, map[string]string{"/tokenize": `{"count":3,"max_model_len":4096,"tokens":[2,7,9],"token_strs":null}`, "/detokenize": `{"prompt":"` + text + `"}`},
			[]string{`/tokenize {"add_generation_prompt":true,` + turns + `,"model":"m"}`, `/detokenize {"model":"m","tokens":[2,7,9]}`}},
	} {
		p, c := renderer(t, l.server, byPath(l.answers))
		got, err := c.Render(t.Context(), request())
		if want := (providers.Rendering{Text: text, Tokens: []int{2, 7, 9}}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", l.server, got, err)
		}
		var calls []string
		for range l.asked {
			a := <-p.asked
			if a.head.Get("Authorization") != "Bearer "+canary {
				t.Errorf("%s: without the key", l.server)
			}
			calls = append(calls, a.path+" "+sortedMembers(t, a.body))
		}
		var want []string
		for _, a := range l.asked {
			path, body, _ := strings.Cut(a, " ")
			want = append(want, path+" "+sortedMembers(t, body))
		}
		if !slices.Equal(calls, want) {
			t.Errorf("%s asked\n%s\nwant\n%s", l.server, strings.Join(calls, "\n"), strings.Join(want, "\n"))
		}
		if all := c.Traits().Operations; len(all) != len(c.Client.Traits().Operations)+2 || all[len(all)-1].Changes {
			t.Errorf("%s: operations %+v", l.server, all)
		}
	}
}

func TestAServerThatDoesNotShowIsToldAsSuch(t *testing.T) {
	for name, l := range map[string]struct {
		answer http.HandlerFunc
		want   contracts.Class
	}{
		"nothing at this address": {byPath(nil), contracts.NotFound},
		"a page":                  {says(200, "<html></html>"), contracts.BadResponse},
		"a wrong key":             {says(401, `{"error":{"message":"no"}}`), contracts.Auth},
		"half of it":              {byPath(map[string]string{"/apply-template": `{"prompt":"x"}`}), contracts.NotFound},
	} {
		_, c := renderer(t, LlamaCPP, l.answer)
		_, err := c.Render(t.Context(), request())
		if f, ok := errors.AsType[*contracts.Failure](err); !ok || f.Class != l.want {
			t.Errorf("%s: %v, want %s", name, err, l.want)
		}
	}
	if _, err := WithRendering(newClient(t, "http://127.0.0.1:1", providers.Traits{}), "ollama"); err == nil {
		t.Error("a server that shows nothing is taken")
	}
}

// sortedMembers is a JSON text whose members stand in order.
func sortedMembers(t *testing.T, body string) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
