package openairesponses

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestARecordedRunIsSentAndReadAsDocumented(t *testing.T) {
	var exchanges []struct {
		Method, Path string
		Body         json.RawMessage
		Answer       json.RawMessage
	}
	b, err := os.ReadFile("testdata/background.json")
	if err != nil || json.Unmarshal(b, &exchanges) != nil {
		t.Fatal(err)
	}
	var looks []http.HandlerFunc
	for _, e := range exchanges[1:] {
		looks = append(looks, says(200, string(e.Answer)))
	}
	p := newFake(t, says(200, string(exchanges[0].Answer)), looks...)
	c, pauses := newClient(t, p.URL)
	var references []string
	first := 0
	r := request()
	r.OnReference, r.OnFirstByte = func(s string) { references = append(references, s) }, func() { first++ }
	got, err := c.Complete(t.Context(), r)
	wanted := contracts.Completion{Content: `{"category":"billing"}`, Model: "m-2026", FinishReason: "stop", Reference: "resp_68f0a1",
		Usage: contracts.Usage{InputTokens: 12, OutputTokens: 5, Reported: true}}
	if err != nil || !reflect.DeepEqual(got, wanted) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, wanted)
	}
	if !reflect.DeepEqual(references, []string{"resp_68f0a1"}) || first != 1 {
		t.Errorf("references %v, the first byte was told %d times", references, first)
	}
	if !reflect.DeepEqual(*pauses, []time.Duration{250 * time.Millisecond, 375 * time.Millisecond}) {
		t.Errorf("pauses %v", *pauses)
	}
	for i, e := range exchanges {
		a := p.asked[i]
		if a.method != e.Method || a.path != e.Path || !sameJSON(t, a.body, string(e.Body)) {
			t.Errorf("request %d was %s %s %s", i, a.method, a.path, a.body)
		}
		if a.head.Get("Authorization") != "Bearer "+canary || a.head.Get("X-Client-Request-Id") != "job_3f.1" || a.head.Get("Idempotency-Key") != "" {
			t.Errorf("request %d has headers %v", i, a.head)
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	if a == "" || b == "" {
		return a == b
	}
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		t.Fatalf("no JSON: %s or %s", a, b)
	}
	return reflect.DeepEqual(x, y)
}

func TestOneCreateOnTheWire(t *testing.T) {
	storm := says(500, `{"error":{"message":"m","type":"server_error"}}`)
	for name, row := range map[string]struct {
		create http.HandlerFunc
		class  contracts.Class
		effect contracts.Effect
		code   string
	}{
		"the connection is closed once the request was read": {hangsUp, contracts.Connection, contracts.Open, "eof"},
		"a redirect with 307":                                {says(307, "", "Location", "/v1/responses"), contracts.NotFound, contracts.None, "redirect"},
		"a redirect with 308":                                {says(308, "", "Location", "/v1/responses"), contracts.NotFound, contracts.None, "redirect"},
		"a storm of 500":                                     {storm, contracts.ProviderError, contracts.Ended, ""},
		"a page with 502":                                    {says(502, "<html>"), contracts.Timeout, contracts.Open, "edge"},
		"a page with 500":                                    {says(500, "<html>"), contracts.ProviderError, contracts.Open, "edge"},
		"an overload":                                        {says(503, `{"error":{"message":"m","code":"server_is_overloaded"}}`), contracts.Overloaded, contracts.None, ""},
		"a rate limit":                                       {says(429, `{"error":{"message":"m"}}`, "Retry-After", "2"), contracts.RateLimited, contracts.None, ""},
		"money":                                              {says(429, `{"error":{"message":"m","code":"insufficient_quota"}}`), contracts.QuotaExhausted, contracts.None, ""},
		"a bad request":                                      {says(400, `{"error":{"message":"m"}}`), contracts.InvalidRequest, contracts.None, ""},
		"a wrong key":                                        {says(401, `{"error":{"message":"m"}}`), contracts.Auth, contracts.None, ""},
		"an unknown model":                                   {says(404, `{"error":{"message":"m"}}`), contracts.NotFound, contracts.None, ""},
		"an error in a success":                              {says(200, `{"error":{"code":429,"message":"m"}}`), contracts.RateLimited, contracts.None, "embedded"},
		"a page as success":                                  {says(200, "<html>"), contracts.BadResponse, contracts.Open, "html"},
		"nothing as success":                                 {says(200, ""), contracts.BadResponse, contracts.Open, "empty"},
		"no content":                                         {says(204, ""), contracts.BadResponse, contracts.Open, "empty"},
		"a success without an id":                            {says(200, `{"status":"queued"}`), contracts.BadResponse, contracts.Open, "no_id"},
		"an id that leads elsewhere":                         {says(200, `{"id":"../files","status":"queued"}`), contracts.BadResponse, contracts.Open, "no_id"},
		"a success without a status":                         {says(200, `{"id":"resp_1"}`), contracts.BadResponse, contracts.Open, "no_id"},
		"an id that stands twice":                            {says(200, `{"id":"resp_1","id":"resp_2","status":"queued"}`), contracts.BadResponse, contracts.Open, "not_json"},
		"bytes that are no UTF-8":                            {says(200, "{\"id\":\"\xff\"}"), contracts.BadResponse, contracts.Open, "utf8"},
		"a success in another encoding":                      {says(200, created, "Content-Encoding", "br"), contracts.BadResponse, contracts.Open, "encoding"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newFake(t, row.create)
			r := request()
			r.OnReference = func(s string) { t.Errorf("a reference %q was told", s) }
			_, f := ask(t, p, r)
			want(t, f, row.class, row.effect, row.code)
			if _, looks, _ := p.counts(); looks != 0 {
				t.Errorf("%d looks at nothing", looks)
			}
		})
	}
}

func TestAReusedConnectionThatClosesIsOneCreate(t *testing.T) {
	calls := 0
	var p *fake
	p = newFake(t, func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls > 1 {
			hangsUp(w, r)
		}
		says(200, state("completed", output(message("a"))))(w, r)
	})
	c, _ := newClient(t, p.URL)
	if _, err := c.Complete(t.Context(), request()); err != nil {
		t.Fatal(err)
	}
	_, err := c.Complete(t.Context(), request())
	if f := checked(t, err); f.Effect != contracts.Open {
		t.Errorf("got %v", f)
	}
	if creates, _, _ := p.counts(); creates != 2 {
		t.Errorf("%d creates for two calls", creates)
	}
}

func TestAnAnswerToCreateThatIsCutIsOpen(t *testing.T) {
	for name, head := range framings(created) {
		for at := 0; at < len(created); at += 17 {
			_, f := ask(t, newFake(t, cuts(head, created, at)), request())
			if f == nil || f.Effect != contracts.Open {
				t.Errorf("cut at %d, to be seen %s: %v", at, name, f)
			}
		}
	}
}

func TestWhatNeverLeftRanNothing(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = ln.Close()
	c, _ := newClient(t, "http://"+ln.Addr().String())
	_, err = c.Complete(t.Context(), request())
	want(t, checked(t, err), contracts.Connection, contracts.None, "refused")

	p := newFake(t, says(200, created))
	c, _ = newClient(t, p.URL)
	r := request()
	r.Limits.SendBy = time.Now().Add(-time.Second)
	_, err = c.Complete(t.Context(), r)
	want(t, checked(t, err), contracts.Connection, contracts.None, "send_window")

	r = request()
	r.Stop = []string{"x"}
	_, err = c.Complete(t.Context(), r)
	want(t, checked(t, err), contracts.InvalidRequest, contracts.None, "unsupported")
	if creates, _, _ := p.counts(); creates != 0 {
		t.Errorf("%d creates", creates)
	}
}

func TestTheKeyStaysInItsHeader(t *testing.T) {
	for _, body := range []string{
		`{"error":{"message":"Incorrect API key provided: ` + canary + `"}}`,
		`{"error":"` + strings.Repeat("x", 290) + canary + `"}`,
		`<html>` + canary + `</html>`,
		`{"id":"resp_1","status":"failed","error":{"code":"` + canary + `","message":"` + canary + `"}}`,
		state("completed", output(`{"type":"message","content":[{"type":"refusal","refusal":"`+canary+`"}]}`)),
	} {
		for _, status := range []int{200, 401, 500} {
			p := newFake(t, says(status, body))
			if _, f := ask(t, p, request()); f == nil {
				t.Errorf("%s with status %d was a success", body, status)
			} else if strings.Contains(f.Detail, "sk-can") {
				t.Errorf("a part of the key is in %q", f.Detail)
			}
		}
	}
	p := newFake(t, says(200, strings.Replace(state("completed", output(message("a"))), "m-2026", "m "+canary, 1)))
	if got, f := ask(t, p, request()); f != nil || strings.Contains(got.Model, canary) {
		t.Errorf("model %q, %v", got.Model, f)
	}
	var log bytes.Buffer
	config := Config{BaseURL: "http://a.test", APIKey: func() string { return canary }}
	client, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	slog.New(slog.NewTextHandler(&log, nil)).Info("built", "config", config, "client", client)
	fmt.Fprintf(&log, "%v %+v %#v %v %+v %#v", config, config, config, client, client, client)
	if strings.Contains(log.String(), canary) {
		t.Error("printing the client shows its key")
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

func TestTraitsNameEveryOperationWithItsSource(t *testing.T) {
	c, _ := newClient(t, "http://a.test")
	traits := c.Traits()
	if traits.Lookup != providers.LookupByID || traits.Push != providers.PushAccount || traits.Cancel != providers.CancelRequest || traits.CreateToken {
		t.Errorf("got %+v", traits)
	}
	changes := map[string]bool{}
	for _, o := range traits.Operations {
		if o.Call == "" || o.Source == "" {
			t.Errorf("operation %+v says too little", o)
		}
		changes[o.Name] = o.Changes
	}
	if !reflect.DeepEqual(changes, map[string]bool{"create": true, "retrieve": false, "cancel": true}) {
		t.Errorf("operations %v", changes)
	}
}

// expiring is a context whose deadline passes when the test says so.
type expiring struct {
	context.Context
	over chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.over }
func (e expiring) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
