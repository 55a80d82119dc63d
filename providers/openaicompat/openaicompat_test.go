package openaicompat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestARequestOnTheWire(t *testing.T) {
	nought, warm := 0.0, 0.7
	schema := json.RawMessage(`{"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"enum":["b","a"]}},"required":["zeta","alpha"],"additionalProperties":false}`)
	const turns = `"messages":[{"role":"system","content":"say \"temperature\":1e-45"},{"role":"user","content":"<hi>"}]`
	cases := []struct {
		name string
		set  func(*providers.Request)
		want string
	}{
		{"nothing is sent that was not asked for", func(*providers.Request) {},
			`{"model":"m",` + turns + `,"stream":false}`},
		{"temperature 0 is sent as 0", func(r *providers.Request) { r.Temperature = &nought },
			`{"model":"m",` + turns + `,"temperature":0,"stream":false}`},
		{"another temperature is sent as it is", func(r *providers.Request) { r.Temperature = &warm },
			`{"model":"m",` + turns + `,"temperature":0.7,"stream":false}`},
		{"a limit goes by its older name", func(r *providers.Request) { r.MaxTokens = 9 },
			`{"model":"m",` + turns + `,"max_tokens":9,"stream":false}`},
		{"but not for a model that reasons", func(r *providers.Request) { r.Model, r.MaxTokens = "o3-mini", 9 },
			`{"model":"o3-mini",` + turns + `,"max_completion_tokens":9,"stream":false}`},
		{"texts to stop at and a seed", func(r *providers.Request) { seed := int64(7); r.Stop, r.Seed = []string{"END", "\n"}, &seed },
			`{"model":"m",` + turns + `,"stream":false,"stop":["END","\n"],"seed":7}`},
		{"the schema keeps its order", func(r *providers.Request) { r.Schema, r.SchemaName = schema, "ticket-triage@1" },
			`{"model":"m",` + turns + `,"stream":false,"response_format":{"type":"json_schema","json_schema":{"name":"ticket-triage_1","schema":` + string(schema) + `,"strict":true}}}`},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p := newProvider(t, says(200, good))
			r := request()
			r.Messages = []providers.Message{{Role: "system", Content: `say "temperature":1e-45`}, {Role: "user", Content: "<hi>"}}
			tc.set(&r)
			if _, f := ask(t, p, r); f != nil {
				t.Fatal(f)
			}
			got := <-p.asked
			body := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(got.body)
			if body != tc.want {
				t.Errorf("sent %s\nwant %s", body, tc.want)
			}
			if got.path != "/v1/chat/completions" {
				t.Errorf("path %s", got.path)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	for _, proved := range []bool{false, true} {
		p := newProvider(t, says(200, good))
		c := newClient(t, p.URL, providers.Traits{Lookup: "none", CreateToken: proved})
		if _, err := c.Complete(t.Context(), request()); err != nil {
			t.Fatal(err)
		}
		h := (<-p.asked).head
		if got := h.Get("Authorization"); got != "Bearer "+canary {
			t.Errorf("Authorization %q", got)
		}
		if got := h.Get("X-Client-Request-Id"); got != "job_3f.1" {
			t.Errorf("X-Client-Request-Id %q", got)
		}
		if got := h.Get("Idempotency-Key"); (got == "job_3f.1") != proved || (got == "") == proved {
			t.Errorf("Idempotency-Key %q where the provider proved it: %v", got, proved)
		}
	}
}

func TestAGoodAnswer(t *testing.T) {
	told := 0
	p := newProvider(t, says(200, good))
	r := request()
	r.OnFirstByte = func() { told++ }
	c, f := ask(t, p, r)
	want := contracts.Completion{Content: `{"category":"billing"}`, Model: "m-2024", FinishReason: "stop",
		Usage: contracts.Usage{InputTokens: 12, OutputTokens: 5, Reported: true}, Reference: "chatcmpl-1"}
	if f != nil || !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v, %v\nwant %+v", c, f, want)
	}
	if told != 1 {
		t.Errorf("the first byte was told %d times", told)
	}
}

func TestAModelThatGoOpenAIRefusesIsNeverCalled(t *testing.T) {
	warm := 0.5
	for name, change := range map[string]func(*providers.Request){
		"no chat model":         func(r *providers.Request) { r.Model = "text-davinci-003" },
		"a fixed temperature":   func(r *providers.Request) { r.Model, r.Temperature = "o1", &warm },
		"a schema that is none": func(r *providers.Request) { r.Schema = json.RawMessage(`{`) },
	} {
		p := newProvider(t, says(200, good))
		r := request()
		change(&r)
		_, err := newClient(t, p.URL, providers.Traits{}).Complete(t.Context(), r)
		if err == nil {
			t.Fatalf("%s: the call succeeded", name)
		}
		if f := checked(t, err); f.Class != contracts.InvalidRequest || f.Effect != contracts.None || f.Code != "unsupported" {
			t.Errorf("%s: got %v", name, f)
		}
		if n := p.calls.Load(); n != 0 {
			t.Errorf("%s: the provider saw %d requests", name, n)
		}
	}
}

func TestTransportFailuresKeepTheirEffect(t *testing.T) {
	t.Run("a refused connection ran nothing", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ln.Close()
		_, err = newClient(t, "http://"+ln.Addr().String(), providers.Traits{}).Complete(t.Context(), request())
		if f := checked(t, err); f.Class != contracts.Connection || f.Effect != contracts.None {
			t.Errorf("got %v", f)
		}
	})
	t.Run("a connection closed after the request is open", func(t *testing.T) {
		p := newProvider(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		if _, f := ask(t, p, request()); f == nil || f.Class != contracts.Connection || f.Effect != contracts.Open {
			t.Errorf("got %v", f)
		}
	})
	t.Run("silence until our clock runs out is open", func(t *testing.T) {
		ctx := expiring{context.Background(), make(chan struct{})}
		p := newProvider(t, func(_ http.ResponseWriter, r *http.Request) { close(ctx.over); <-r.Context().Done() })
		_, err := newClient(t, p.URL, providers.Traits{}).Complete(ctx, request())
		if f := checked(t, err); f.Class != contracts.Timeout || f.Effect != contracts.Open || f.Code != "first_byte" {
			t.Errorf("got %v", f)
		}
		if n := p.calls.Load(); n != 1 {
			t.Errorf("the provider saw %d requests", n)
		}
	})
	t.Run("too late to send is none", func(t *testing.T) {
		p := newProvider(t, says(200, good))
		r := request()
		r.Limits.SendBy = time.Now().Add(-time.Second)
		_, err := newClient(t, p.URL, providers.Traits{}).Complete(t.Context(), r)
		if f := checked(t, err); f.Effect != contracts.None || f.Code != "send_window" {
			t.Errorf("got %v", f)
		}
		if n := p.calls.Load(); n != 0 {
			t.Errorf("the provider saw %d requests", n)
		}
	})
	t.Run("an answer over the limit ended", func(t *testing.T) {
		p := newProvider(t, says(200, good))
		r := request()
		r.Limits.MaxBody = 50
		if _, f := ask(t, p, r); f == nil || f.Class != contracts.BadResponse || f.Code != "too_large" {
			t.Errorf("got %v", f)
		}
	})
}

func TestHalfAnAnswerIsNeverASuccess(t *testing.T) {
	raw := func(head string, cut int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			io.WriteString(c, head+good[:cut])
			c.Close()
		}
	}
	for name, head := range map[string]string{
		"by its length":           fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(good)),
		"by its chunks":           fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", len(good)),
		"by nothing but its text": "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
	} {
		for cut := 1; cut < len(good); cut += 37 {
			p := newProvider(t, raw(head, cut))
			c, f := ask(t, p, request())
			if f == nil || f.Class != contracts.Truncated || f.Effect != contracts.Ended {
				t.Errorf("cut at %d, to be seen %s: got %+v, %v", cut, name, c, f)
			}
		}
	}
}

func TestTheKeyStaysInItsHeader(t *testing.T) {
	for _, body := range []string{
		`{"error":{"message":"Incorrect API key provided: ` + canary + `"}}`,
		`{"error":{"message":"` + strings.ReplaceAll(canary, "/", `\/`) + `","code":"` + canary + `"}}`,
		`{"error":"` + strings.Repeat("x", 290) + canary + `"}`,
		`<html>` + canary + `</html>`,
		`{"choices":[{"message":{"refusal":"` + canary + `"}}]}`,
		`{"choices":[{"finish_reason":"error","error":{"message":"` + canary + `"}}]}`,
	} {
		for _, status := range []int{200, 401, 500} {
			p := newProvider(t, says(status, body, "X-Echo", canary))
			if _, f := ask(t, p, request()); f == nil {
				t.Errorf("%s with status %d was a success", body, status)
			} else if strings.Contains(f.Detail, "sk-can") {
				t.Errorf("a part of the key is in %q", f.Detail)
			}
		}
	}
	var log bytes.Buffer
	c := Config{BaseURL: "http://a.test", APIKey: func() string { return canary }}
	client, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	slog.New(slog.NewTextHandler(&log, nil)).Info("built", "config", c, "client", client)
	fmt.Fprintf(&log, "%v %+v %#v %v %+v %#v", c, c, c, client, client, client)
	if strings.Contains(log.String(), canary) {
		t.Error("printing the client shows its key")
	}
	p := newProvider(t, says(200, strings.Replace(good, "m-2024", "m "+canary, 1)))
	if got, f := ask(t, p, request()); f != nil || strings.Contains(got.Model, canary) {
		t.Errorf("model %q, %v", got.Model, f)
	}
}

func TestNewRefusesWhatIsNoBaseURL(t *testing.T) {
	for _, s := range []string{"", "api.example.com/v1", "ftp://a.test", "https://user:" + canary + "@a.test/v1", "https://a.test/v1?key=" + canary} {
		_, err := New(Config{BaseURL: s})
		if err == nil {
			t.Errorf("%q was taken", s)
		} else if strings.Contains(err.Error(), canary) {
			t.Errorf("the error repeats a secret: %v", err)
		}
	}
}

func TestTraits(t *testing.T) {
	c := newClient(t, "http://a.test", providers.Traits{})
	if !reflect.DeepEqual(c.Traits(), Foreground) {
		t.Errorf("got %+v, want those of a foreground call", c.Traits())
	}
	own := providers.Traits{Lookup: "by_id", MaxRun: time.Minute}
	if c = newClient(t, "http://a.test", own); !reflect.DeepEqual(c.Traits(), own) {
		t.Errorf("got %+v, want %+v", c.Traits(), own)
	}
}
