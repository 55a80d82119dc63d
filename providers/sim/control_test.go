package sim

import (
	"strings"
	"testing"
)

func TestFaultsThatCannotBeCarriedOutAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, list, says string }{
		{"a list is wanted", `{"hang":true}`, ""},
		{"an unknown field", `[{"dely":"1s"}]`, "dely"},
		{"a field in capitals", `[{"Hang":true}]`, "Hang"},
		{"a doubled field", `[{"hang":true,"hang":true}]`, "hang"},
		{"data after the list", `[] []`, ""},
		{"a number for a duration", `[{"delay":5}]`, "1.5s"},
		{"a word for a duration", `[{"delay":"soon"}]`, "soon"},
		{"a negative duration", `[{"delay":"-1s"}]`, "-1s"},
		{"a duration above the limit", `[{"late":"16m"}]`, "15m"},
		{"the second entry is checked too", `[{},{"delay":true}]`, "fault 2"},
		{"a wait at a gate without a gate", `[{"late":true}]`, "until"},
		{"a gate and a duration", `[{"late":"1s","until":"g"}]`, "until"},
		{"a gate with a bad name", `[{"until":"a b"}]`, "until"},
		{"delay and late", `[{"delay":"1s","late":"1s"}]`, "delay"},
		{"hang and delay", `[{"hang":true,"delay":"1s"}]`, "hang"},
		{"hang and a status", `[{"hang":true,"status":500}]`, "status"},
		{"two acts", `[{"reset":"after_body","wrong_schema":true}]`, "reset, wrong_schema"},
		{"an unknown reset", `[{"reset":"mid_body"}]`, "half_body"},
		{"an unknown cut", `[{"truncate":"short"}]`, "chunked"},
		{"a cut of false", `[{"truncate":false}]`, ""},
		{"a status that is not final", `[{"status":100}]`, "100"},
		{"a status beyond", `[{"status":600}]`, "600"},
		{"headers without a refusal", `[{"headers":{"A":"b"}}]`, "status"},
		{"executed without a refusal", `[{"wrong_schema":true,"executed":true}]`, "executed"},
		{"a header that splits the answer", `[{"status":429,"headers":{"A":"b\r\nC: d"}}]`, "headers"},
		{"a header that breaks the framing", `[{"status":429,"headers":{"content-length":"1"}}]`, "content-length"},
		{"a body without a status", `[{"body":"x"}]`, "status"},
		{"a body with html", `[{"html":true,"body":"x"}]`, "status"},
		{"a body where none is allowed", `[{"status":204,"body":"x"}]`, "204"},
		{"late before a refusal that runs nothing", `[{"late":"1s","status":500}]`, "executed"},
		{"late before an early reset", `[{"late":"1s","reset":"before_body"}]`, "late"},
		{"huge that is small", `[{"huge":10}]`, "huge"},
		{"huge beyond reason", `[{"huge":2000000000}]`, "huge"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, Options{})
			b.faults(`[{"status":418}]`)
			status, body := b.order("PUT", "/sim/a/faults", tt.list)
			if status != 400 || !strings.Contains(body, `"sim_control_error"`) || !strings.Contains(body, tt.says) {
				t.Errorf("%d %s", status, body)
			}
			if left, err := b.Faults("a"); err != nil || len(left) != 1 || left[0].Status != 418 {
				t.Errorf("the old list is now %+v, %v", left, err)
			}
		})
	}
}

func TestEachCallTakesOneFault(t *testing.T) {
	b := start(t, Options{})
	b.faults(`[{"status":429},{},{"status":503}]`)
	var got []int
	for range 4 {
		raw, err := b.raw(triage("x"))
		if err != nil {
			t.Fatal(err)
		}
		resp, _, _ := exchange(t, raw)
		got = append(got, resp.StatusCode)
	}
	for i, want := range []int{429, 200, 503, 200} {
		if got[i] != want {
			t.Errorf("statuses %v", got)
		}
	}
}

func TestFaultsAreShownAsTheyWereOrdered(t *testing.T) {
	b := start(t, Options{})
	list := `[{"delay":"1.5s","wrong_schema":true},{"late":true,"until":"g"},{"hang":true},{},` +
		`{"status":429,"headers":{"Retry-After":"2"},"body":"no","executed":true},{"reset":"half_body"},{"truncate":"chunked"},{"content":""}]` + "\n"
	b.faults(list)
	if status, body := b.order("GET", "/sim/a/faults", ""); status != 200 || body != list {
		t.Errorf("%d %s", status, body)
	}
}

func TestStandingFaultLastsUntilItIsLifted(t *testing.T) {
	b := start(t, Options{})
	status := func() int {
		raw, err := b.raw(triage("x"))
		if err != nil {
			t.Fatal(err)
		}
		resp, _, _ := exchange(t, raw)
		return resp.StatusCode
	}
	if code, body := b.order("PUT", "/sim/a/settings", `{"latency":"1ms","always":{"status":503}}`); code != 200 {
		t.Fatal(body)
	}
	b.faults(`[{"status":429}]`)
	if a, c, d := status(), status(), status(); a != 429 || c != 503 || d != 503 {
		t.Errorf("the list comes first: %d %d %d", a, c, d)
	}
	if _, body := b.order("GET", "/sim/a/settings", ""); body != `{"latency":"1ms","always":{"status":503}}`+"\n" {
		t.Errorf("settings %s", body)
	}
	b.order("PUT", "/sim/a/settings", `{}`)
	if got := status(); got != 200 {
		t.Errorf("status %d after the fault was lifted", got)
	}
}

func TestOrdersAreStrict(t *testing.T) {
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		says                     string
	}{
		{"unknown settings", "PUT", "/sim/a/settings", `{"latancy":"1s"}`, 400, "latancy"},
		{"a latency at a gate", "PUT", "/sim/a/settings", `{"latency":true}`, 400, "latency"},
		{"an impossible standing fault", "PUT", "/sim/a/settings", `{"always":{"late":true}}`, 400, "always: "},
		{"a provider that is not served", "PUT", "/sim/c/faults", `[]`, 404, "a, b"},
		{"a call to it", "POST", "/sim/c/v1/chat/completions", `{}`, 404, "a, b"},
		{"a method that does not fit", "POST", "/sim/a/faults", `[]`, 405, "PUT"},
		{"a completion by GET", "GET", "/sim/a/v1/chat/completions", ``, 405, "POST"},
		{"an address with nothing", "GET", "/sim/a/v1/embeddings", ``, 404, "v1/chat/completions"},
		{"an address beside the ledger", "GET", "/sim/ledger/sumary", ``, 404, ""},
		{"an unknown parameter", "GET", "/sim/ledger?jobs=x", ``, 400, "jobs"},
		{"a doubled parameter", "GET", "/sim/ledger?job=x&job=y", ``, 400, "job"},
		{"an empty parameter", "GET", "/sim/ledger?job=", ``, 400, "job"},
		{"an attempt that is no number", "GET", "/sim/ledger?attempt=first", ``, 400, "attempt"},
		{"an unknown stage", "GET", "/sim/ledger?await=done", ``, 400, "ended"},
		{"a count beyond the page", "GET", "/sim/ledger?await=ended&limit=1&count=2", ``, 400, "count"},
		{"a count without a stage", "GET", "/sim/ledger?count=2", ``, 400, "await"},
		{"a gate with a bad name", "POST", "/sim/gates/a/b", ``, 400, "gate"},
		{"a wait that is no number", "GET", "/sim/gates/g?wait=yes", ``, 400, "wait"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, Options{Providers: []string{"a", "b"}})
			status, body := b.order(tt.method, tt.path, tt.body)
			if status != tt.status || !strings.Contains(body, tt.says) {
				t.Errorf("%d %s", status, body)
			}
		})
	}
}

func TestBadRequestsAreRefusedAsOpenAIRefusesThem(t *testing.T) {
	const message = `"messages":[{"role":"user","content":"x"}]`
	for _, tt := range []struct {
		name, header, body string
		status             int
		says               string
	}{
		{"no key", "X-Other: 1", triage("x"), 401, `"code":"invalid_api_key"`},
		{"another key", "Authorization: Bearer other", triage("x"), 401, `"code":"invalid_api_key"`},
		{"no JSON", "", `{"model":`, 400, "could not parse"},
		{"bytes that are no UTF-8", "", "{\"model\":\"\xff\"}", 400, "could not parse"},
		{"no model", "", `{` + message + `}`, 400, "model"},
		{"no messages", "", `{"model":"m"}`, 400, "messages"},
		{"an unknown model", "", `{"model":"other",` + message + `}`, 404, `"code":"model_not_found"`},
		{"a stream", "", `{"model":"m","stream":true,` + message + `}`, 400, "stream"},
		{"a schema that is missing", "", `{"model":"m","response_format":{"type":"json_schema"},` + message + `}`, 400, "json_schema.schema"},
		{"a schema without an instance", "", `{"model":"m","response_format":{"type":"json_schema","json_schema":{"schema":false}},` + message + `}`, 400, "unsupported_schema"},
		{"a body over the limit", "", `{"model":"` + strings.Repeat("m", MaxRequest) + `"}`, 413, "16 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, Options{Key: "k", Models: []string{"m"}})
			header := tt.header
			if header == "" {
				header = "Authorization: Bearer k"
			}
			raw, _ := b.raw(tt.body, header) // a body cut short by the refusal may end in a reset
			resp, body, _ := exchange(t, raw)
			if resp.StatusCode != tt.status || !strings.Contains(body, tt.says) || !strings.HasPrefix(body, `{"error":{"message":`) {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
			if e := b.only(Query{}); e.Executed || e.Usable || e.Status != tt.status {
				t.Errorf("ledger %+v", e)
			}
		})
	}
}

func TestCallWithoutTheKeyTakesNoFault(t *testing.T) {
	b := start(t, Options{Key: "k"})
	b.faults(`[{"status":503}]`)
	b.raw(triage("x"))
	if left, _ := b.Faults("a"); len(left) != 1 {
		t.Errorf("left %+v", left)
	}
}

func TestModels(t *testing.T) {
	b := start(t, Options{Models: []string{"m", "n"}})
	status, body := b.order("GET", "/sim/a/v1/models", "")
	want := `{"object":"list","data":[{"id":"m","object":"model","created":0,"owned_by":"sim"},{"id":"n","object":"model","created":0,"owned_by":"sim"}]}` + "\n"
	if status != 200 || body != want {
		t.Errorf("%d %s", status, body)
	}
}
