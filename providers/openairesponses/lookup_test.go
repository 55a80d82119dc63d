package openairesponses

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/providers"
)

func call() providers.Call {
	return providers.Call{AttemptID: "job_3f.1", Reference: "resp_1", Model: "m"}
}

// questions are the two ways to ask about a call, with what they must send.
var questions = map[string]struct {
	ask    func(*Client, context.Context, providers.Call) (providers.Finding, error)
	method string
	path   string
}{
	"Lookup": {(*Client).Lookup, "GET", "/v1/responses/resp_1"},
	"Cancel": {(*Client).Cancel, "POST", "/v1/responses/resp_1/cancel"},
}

func TestWhatIsFoundOfACall(t *testing.T) {
	type row struct {
		answer http.HandlerFunc
		state  providers.FindingState
		class  contracts.Class
		code   string
	}
	rows := map[string]row{
		"an answer":                  {says(200, state("completed", output(message("a")))), providers.FoundDone, "", ""},
		"queued":                     {says(200, state("queued")), providers.FoundRunning, "", ""},
		"in progress":                {says(200, state("in_progress")), providers.FoundRunning, "", ""},
		"a status nobody knows runs": {says(200, state("cancelling")), providers.FoundRunning, "", ""},
		"cancelled":                  {says(200, state("cancelled")), providers.FoundCancelled, "", ""},
		"the provider's word that it isn't there": {says(404, `{"error":{"message":"Response with id 'resp_1' not found."}}`), providers.FoundAbsent, "", ""},
	}
	for name, e := range ends {
		rows[name] = row{says(200, e.body), providers.FoundFailed, e.class, e.code}
	}
	for how, q := range questions {
		for name, row := range rows {
			t.Run(how+"/"+name, func(t *testing.T) {
				p := newFake(t, nil, row.answer)
				c, _ := newClient(t, p.URL)
				got, err := q.ask(c, t.Context(), call())
				if err != nil || got.State != row.state || got.Reference != "resp_1" {
					t.Fatalf("got %+v, %v", got, err)
				}
				if got.State != providers.FoundAbsent && got.AttemptID != "job_3f.1" {
					t.Errorf("attempt %q", got.AttemptID)
				}
				if (got.Completion != nil) != (row.state == providers.FoundDone) || (got.Failure != nil) != (row.state == providers.FoundFailed) {
					t.Errorf("got %+v", got)
				}
				if got.Failure != nil {
					want(t, got.Failure, row.class, contracts.Ended, row.code)
				}
				if a := p.asked; len(a) != 1 || a[0].method != q.method || a[0].path != q.path || a[0].body != "" || a[0].head.Get("X-Client-Request-Id") != "job_3f.1" {
					t.Errorf("asked %+v", a)
				}
			})
		}
	}
}

func TestAQuestionThatFailsSaysNothingOfTheCall(t *testing.T) {
	whole := state("completed", output(message("a")))
	rows := map[string]http.HandlerFunc{
		"a closed connection":   hangsUp,
		"a storm of 500":        says(500, `{"error":{"message":"m"}}`),
		"an overload":           says(503, `{"error":{"message":"m"}}`),
		"a rate limit":          says(429, `{"error":{"message":"m"}}`),
		"a wrong key":           says(401, `{"error":{"message":"m"}}`),
		"a refusal":             says(400, `{"error":{"message":"Cannot cancel a synchronous response."}}`),
		"an edge that says 404": says(404, "<html>"),
		"nothing that says 404": says(404, ""),
		"a redirect":            says(307, "", "Location", "/v1/responses"),
		"a page":                says(200, "<html>"),
		"nothing":               says(200, ""),
		"another response":      says(200, `{"id":"resp_2","status":"completed"}`),
		"another attempt":       says(200, strings.ReplaceAll(whole, "job_3f.1", "job_3f.2")),
	}
	for how, head := range framings(whole) {
		rows["an answer cut, to be seen "+how] = cuts(head, whole, len(whole)-9)
	}
	for how, q := range questions {
		for name, answer := range rows {
			t.Run(how+"/"+name, func(t *testing.T) {
				p := newFake(t, nil, answer)
				c, _ := newClient(t, p.URL)
				got, err := q.ask(c, t.Context(), call())
				if !reflect.DeepEqual(got, providers.Finding{}) {
					t.Errorf("found %+v", got)
				}
				if f := checked(t, err); f.Effect != contracts.Open {
					t.Errorf("got %v", f)
				}
				if n := p.times(); n != 1 {
					t.Errorf("asked %d times", n)
				}
			})
		}
	}
}

func TestTheSendWindowOfTheCreateDoesNotBindAQuestion(t *testing.T) {
	for how, q := range questions {
		p := newFake(t, nil, says(200, state("queued")))
		c, _ := newClient(t, p.URL)
		late := call()
		late.Limits.SendBy = time.Now().Add(-time.Hour)
		if got, err := q.ask(c, t.Context(), late); err != nil || got.State != providers.FoundRunning {
			t.Errorf("%s: %+v, %v", how, got, err)
		}
	}
}

func TestWithoutAnIDNothingIsAskedAndNothingClaimed(t *testing.T) {
	for how, q := range questions {
		for _, reference := range []string{"", "../files/x", "a/b", "a?b", strings.Repeat("a", 257)} {
			p := newFake(t, nil)
			c, _ := newClient(t, p.URL)
			got, err := q.ask(c, t.Context(), providers.Call{AttemptID: "job_3f.1", Reference: reference})
			want(t, checked(t, err), contracts.InvalidRequest, contracts.Open, "no_reference")
			if got.State != "" || len(p.asked) != 0 {
				t.Errorf("%s of %q: %+v, asked %d times", how, reference, got, len(p.asked))
			}
		}
	}
}

func TestAWebhookOfALostCreateLeadsToItsAttempt(t *testing.T) {
	p := newFake(t, hangsUp, says(200, state("completed", output(message("a")))))
	if _, f := ask(t, p, request()); f == nil || f.Effect != contracts.Open {
		t.Fatalf("the create was not lost: %v", f)
	}
	c, _ := newClient(t, p.URL)
	e, err := c.ParseCallback([]byte(`{"id":"evt_1","object":"event","created_at":1741476777,"type":"response.completed","data":{"id":"resp_1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Lookup(t.Context(), providers.Call{Reference: e.Reference})
	if err != nil || got.State != providers.FoundDone || got.AttemptID != request().AttemptID {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestParseCallback(t *testing.T) {
	c, _ := newClient(t, "http://a.test")
	event := func(kind, data string) string {
		return `{"id":"evt_1","object":"event","created_at":1741476777,"type":"` + kind + `","data":` + data + `}`
	}
	for name, row := range map[string]struct {
		body string
		want providers.Event
		bad  bool
	}{
		"completed":                       {event("response.completed", `{"id":"resp_1"}`), providers.Event{ID: "evt_1", Type: "response.completed", Reference: "resp_1"}, false},
		"failed":                          {event("response.failed", `{"id":"resp_1"}`), providers.Event{ID: "evt_1", Type: "response.failed", Reference: "resp_1"}, false},
		"cancelled":                       {event("response.cancelled", `{"id":"resp_1"}`), providers.Event{ID: "evt_1", Type: "response.cancelled", Reference: "resp_1"}, false},
		"incomplete":                      {event("response.incomplete", `{"id":"resp_1"}`), providers.Event{ID: "evt_1", Type: "response.incomplete", Reference: "resp_1"}, false},
		"about something else":            {event("batch.completed", `{"id":"batch_1"}`), providers.Event{ID: "evt_1", Type: "batch.completed"}, false},
		"of a type nobody knows":          {event("response.pondered", `{"id":"resp_1"}`), providers.Event{ID: "evt_1", Type: "response.pondered"}, false},
		"without a response":              {event("response.completed", `{}`), providers.Event{}, true},
		"with an id that leads elsewhere": {event("response.completed", `{"id":"../x"}`), providers.Event{}, true},
		"without an id":                   {`{"type":"response.completed","data":{"id":"resp_1"}}`, providers.Event{}, true},
		"without a type":                  {`{"id":"evt_1","data":{"id":"resp_1"}}`, providers.Event{}, true},
		"with a response named twice":     {event("response.completed", `{"id":"resp_1","id":"resp_2"}`), providers.Event{}, true},
		"no JSON":                         {`response.completed`, providers.Event{}, true},
		"nothing":                         {``, providers.Event{}, true},
		"a list":                          {`[]`, providers.Event{}, true},
	} {
		got, err := c.ParseCallback([]byte(row.body))
		if !reflect.DeepEqual(got, row.want) || (err != nil) != row.bad {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "resp_1") {
			t.Errorf("%s: the error repeats the body: %v", name, err)
		}
	}
}

func FuzzParseCallback(f *testing.F) {
	f.Add([]byte(`{"id":"evt_1","type":"response.completed","data":{"id":"resp_1"}}`))
	f.Add([]byte(`{"id":"evt_1","type":"batch.completed","data":[]}`))
	c, err := New(Config{BaseURL: "http://a.test"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := c.ParseCallback(body)
		if err == nil && (e.ID == "" && e.Type == "" || e.Reference != "" && !goodID(e.Reference)) {
			t.Errorf("%q became %+v", body, e)
		}
	})
}
