package sim

import (
	"strings"
	"testing"
)

const lines = `{"id":1,"text":"my card is lost","output":{"urgent":true,"category":"card"}}

{"text":"card","output":{"category":"other","urgent":false}}
{"text":"thanks","output":"you are welcome"}
`

func answers(t *testing.T) *Answers {
	t.Helper()
	a, err := LoadAnswers(strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAnswersAreFoundByTheirText(t *testing.T) {
	const lost, other = `{"category":"card","urgent":true}`, `{"category":"other","urgent":false}`
	for _, tt := range []struct{ name, user, want string }{
		{"the whole message", "my card is lost", lost},
		{"white space around it does not count", " my card is lost\n", lost},
		{"a ref token does not count", "my card is lost [ref:1]", lost},
		{"a text within the message", "Ticket:\nmy card is lost.\nTeam?", lost},
		{"of several the longest", "card! my card is lost", lost},
		{"a shorter one where it stands alone", "card?", other},
		{"no text that is known", "hello", good},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, Options{Answers: answers(t)})
			for range 2 { // the second time from memory
				raw, err := b.raw(triage(tt.user))
				if err != nil {
					t.Fatal(err)
				}
				if got := content(t, raw); got != tt.want {
					t.Errorf("content %s, want %s", got, tt.want)
				}
			}
		})
	}
}

func TestAnswersWithoutASchema(t *testing.T) {
	for _, tt := range []struct{ name, user, want string }{
		{"text answers as it is", "thanks", "you are welcome"},
		{"an object keeps its own order", "my card is lost", `{"urgent":true,"category":"card"}`},
		{"without a line it is ok", "hello", "ok"},
		{"parts are put together", "", "you are welcome"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, Options{Answers: answers(t)})
			user := string(quote(tt.user))
			if tt.user == "" {
				user = `[{"type":"text","text":"than"},{"type":"text","text":"ks"}]`
			}
			raw, err := b.raw(`{"model":"m","messages":[{"role":"user","content":"card"},{"role":"assistant","content":null},{"role":"user","content":` + user + `}]}`)
			if err != nil {
				t.Fatal(err)
			}
			if got := content(t, raw); got != tt.want {
				t.Errorf("content %q, want %q", got, tt.want)
			}
		})
	}
}

func TestBadAnswerFilesNameTheLine(t *testing.T) {
	for _, tt := range []struct{ name, file, says string }{
		{"no JSON", "{\"text\":\"a\",\"output\":1}\n{", "line 2"},
		{"no output", `{"text":"a"}`, "output"},
		{"no text", `{"text":" ","output":1}`, "text"},
		{"a text with two outputs", "{\"text\":\"a\",\"output\":1}\n{\"text\":\"a\",\"output\":2}", "line 2"},
		{"a line without end", `{"text":"` + strings.Repeat("a", 2<<20), "line 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := LoadAnswers(strings.NewReader(tt.file)); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want one that says %q", err, tt.says)
			}
		})
	}
}
