package sim

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

// The good answer to triage without an answer file.
const good = `{"category":"card","urgent":false}`

func TestFaultsSayOnTheWireWhatWasOrdered(t *testing.T) {
	for _, tt := range []struct {
		name, fault string
		status      int
		content     string // of the first choice
	}{
		{"no fault answers with an instance in the schema's order", `{}`, 200, good},
		{"a delay ends in the good answer", `{"delay":"1ms"}`, 200, good},
		{"a late answer is a good one", `{"late":"1ms"}`, 200, good},
		{"a wrong schema is valid JSON with a value not in the enum", `{"wrong_schema":true}`, 200, `{"category":"not_declared","urgent":false}`},
		{"an extra key stands beside the declared ones", `{"extra_key":true}`, 200, `{"category":"card","urgent":false,"invented_by_provider":true}`},
		{"a wrong answer is the next of the enum", `{"wrong_answer":true}`, 200, `{"category":"payment","urgent":false}`},
		{"a number bomb stands where a value should", `{"number_bomb":true}`, 200, `{"category":1e20000000,"urgent":false}`},
		{"content is literal", `{"content":"{\"a\": "}`, 200, `{"a": `},
		{"content may be empty", `{"content":""}`, 200, ``},
		{"wait and harm combine", `{"late":"1ms","extra_key":true}`, 200, `{"category":"card","urgent":false,"invented_by_provider":true}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, Options{})
			b.faults("[" + tt.fault + "]")
			raw, err := b.raw(triage("my card"), caller("job_1", 1))
			if err != nil {
				t.Fatal(err)
			}
			if got := content(t, raw); got != tt.content {
				t.Errorf("content %q, want %q", got, tt.content)
			}
			e := b.only(Query{Job: "job_1", Attempt: 1})
			if !e.Executed || !e.Listening || e.Status != tt.status || e.Ended == nil || e.Ended.Before(e.Started) {
				t.Errorf("ledger %+v", e)
			}
		})
	}
}

func TestHealthyAnswerIsAChatCompletion(t *testing.T) {
	b := start(t, Options{})
	raw, err := b.raw(triage("my card"))
	if err != nil {
		t.Fatal(err)
	}
	resp, body, err := exchange(t, raw)
	if err != nil || resp.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%v, header %v", err, resp.Header)
	}
	n, err := parseNode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	choice := n.get("choices").items[0]
	// Prompt "Triage." and "my card" are 3 words; the content has no white space.
	for got, want := range map[string]string{
		n.get("object").text():                                  "chat.completion",
		n.get("model").text():                                   "m",
		choice.get("finish_reason").text():                      "stop",
		choice.get("message").get("role").text():                "assistant",
		n.get("usage").String():                                 `{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}`,
		choice.get("message").get("refusal").String():           "null",
		"chatcmpl-sim-" + string(b.only(Query{}).Model) + " id": "chatcmpl-sim-m id",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestRefusalsExecuteNothingUnlessOrdered(t *testing.T) {
	for _, tt := range []struct {
		name, fault string
		status      int
		header      string // name: value
		contains    string
		executed    bool
	}{
		{"a status refuses in OpenAI's shape", `{"status":429}`, 429, "", `"code":"rate_limit_exceeded"`, false},
		{"headers go with it", `{"status":429,"headers":{"Retry-After":"2"}}`, 429, "Retry-After: 2", `"error"`, false},
		{"a body given as text is sent as it is", `{"status":503,"body":"down"}`, 503, "", "down", false},
		{"a body given as JSON is sent as it stands", `{"status":400,"body":{"error":"a string"}}`, 400, "", `{"error":"a string"}`, false},
		{"a status of 200 sends any body", `{"status":200,"body":"[]"}`, 200, "", "[]", false},
		{"a redirect leads where it says", `{"status":307,"headers":{"Location":"/elsewhere"}}`, 307, "Location: /elsewhere", "", false},
		{"a refusal may be a lie", `{"status":500,"executed":true}`, 500, "", `"server_error"`, true},
		{"html is an edge's 502", `{"html":true}`, 502, "Content-Type: text/html", "<h1>502 Bad Gateway</h1>", false},
		{"html may come with another status", `{"html":true,"status":200}`, 200, "Content-Type: text/html", "<html>", false},
		{"an error may hide in a 200", `{"error_in_200":true}`, 200, "", `"code":500`, false},
		{"the hidden code is the status", `{"error_in_200":true,"status":504,"executed":true}`, 200, "", `"code":504`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, Options{})
			b.faults("[" + tt.fault + "]")
			raw, err := b.raw(triage("my card"), caller("job_1", 1))
			if err != nil {
				t.Fatal(err)
			}
			resp, body, err := exchange(t, raw)
			if err != nil || resp.StatusCode != tt.status || !strings.Contains(body, tt.contains) {
				t.Errorf("%d %q %v", resp.StatusCode, body, err)
			}
			if name, value, _ := strings.Cut(tt.header, ": "); resp.Header.Get(name) != value {
				t.Errorf("header %v, want %s", resp.Header, tt.header)
			}
			e := b.only(Query{Job: "job_1"})
			if e.Executed != tt.executed || e.Usable || e.Status != tt.status {
				t.Errorf("ledger %+v", e)
			}
		})
	}
}

func TestBrokenConnections(t *testing.T) {
	for _, tt := range []struct {
		name, fault string
		wire        error // how the raw connection ends
		answer      bool  // whether any byte of an answer came
		executed    bool
	}{
		{"a reset before the body runs nothing", `{"reset":"before_body"}`, syscall.ECONNRESET, false, false},
		{"a reset within the body runs nothing", `{"reset":"half_body"}`, syscall.ECONNRESET, false, false},
		{"a reset after the body hides work that was done", `{"reset":"after_body"}`, syscall.ECONNRESET, false, true},
		{"a truncated answer breaks its Content-Length", `{"truncate":true}`, nil, true, true},
		{"a truncated chunked answer lacks its last chunk", `{"truncate":"chunked"}`, nil, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, Options{})
			b.faults("[" + tt.fault + "]")
			raw, err := b.raw(triage("my card"), caller("job_1", 1))
			if !errors.Is(err, tt.wire) {
				t.Errorf("the connection ended with %v, want %v", err, tt.wire)
			}
			if (raw != "") != tt.answer {
				t.Fatalf("received %q", raw)
			}
			if tt.answer {
				resp, body, err := exchange(t, raw)
				if err != io.ErrUnexpectedEOF || body == "" || (resp.ContentLength < 0) != strings.Contains(tt.fault, "chunked") {
					t.Errorf("length %d, body %q, %v", resp.ContentLength, body, err)
				}
			}
			if e := b.only(Query{Job: "job_1"}); e.Executed != tt.executed || e.Usable != tt.executed || e.Ended == nil {
				t.Errorf("ledger %+v", e)
			}
		})
	}
}

func TestHalfBodyReadsHalf(t *testing.T) {
	b := start(t, Options{})
	b.faults(`[{"reset":"half_body"},{"reset":"before_body"}]`)
	body := triage("my card")
	b.raw(body, caller("job_1", 1))
	b.raw(body, caller("job_2", 1))
	if e := b.only(Query{Job: "job_1"}); e.RequestBytes != int64(len(body)/2) || e.Model != "" {
		t.Errorf("ledger %+v, want %d bytes", e, len(body)/2)
	}
	if e := b.only(Query{Job: "job_2"}); e.RequestBytes != 0 {
		t.Errorf("ledger %+v, want no bytes", e)
	}
}

func TestGarbageIsNoUTF8AndElseValid(t *testing.T) {
	b := start(t, Options{})
	b.faults(`[{"garbage":true}]`)
	raw, err := b.raw(triage("my card"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := exchange(t, raw)
	if utf8.ValidString(body) {
		t.Fatalf("valid UTF-8: %q", body)
	}
	// A reader that drops what is no UTF-8 finds the good answer: the trap.
	n, err := parseNode([]byte(strings.ToValidUTF8(body, "")))
	if err != nil {
		t.Fatal(err)
	}
	if got := n.get("choices").items[0].get("message").get("content").text(); got != good {
		t.Errorf("content %q", got)
	}
}

func TestHugeHasTheSizeOrdered(t *testing.T) {
	b := start(t, Options{})
	const size = 5<<20 + 3
	if err := b.SetFaults("a", Fault{Huge: size}); err != nil {
		t.Fatal(err)
	}
	raw, err := b.raw(triage("my card"))
	if err != nil {
		t.Fatal(err)
	}
	resp, body, err := exchange(t, raw)
	if err != nil || len(body) != size || resp.ContentLength != size {
		t.Errorf("%d bytes of %d, %v", len(body), resp.ContentLength, err)
	}
	if _, err := parseNode([]byte(body)); err != nil {
		t.Errorf("a huge answer is valid JSON: %v", err)
	}
}

func TestDeepHasTenThousandLevels(t *testing.T) {
	b := start(t, Options{})
	b.faults(`[{"deep":true}]`)
	raw, err := b.raw(triage("my card"))
	if err != nil {
		t.Fatal(err)
	}
	got := content(t, raw)
	if n := strings.Count(got, "[") + strings.Count(got, "{"); n != DeepLevels {
		t.Errorf("%d levels", n)
	}
}

func TestEmptyChoices(t *testing.T) {
	b := start(t, Options{})
	b.faults(`[{"empty_choices":true}]`)
	raw, err := b.raw(triage("my card"))
	if err != nil {
		t.Fatal(err)
	}
	if _, body, _ := exchange(t, raw); !strings.Contains(body, `"choices":[],`) {
		t.Errorf("body %s", body)
	}
}

func TestFaultThatTheRequestRulesOutRunsNothing(t *testing.T) {
	for _, fault := range []string{"wrong_schema", "extra_key", "wrong_answer"} {
		t.Run(fault+" of plain text", func(t *testing.T) {
			b := start(t, Options{})
			b.faults(`[{"` + fault + `":true}]`)
			raw, err := b.raw(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
			if err != nil {
				t.Fatal(err)
			}
			resp, body, _ := exchange(t, raw)
			if resp.StatusCode != http.StatusInternalServerError || !strings.Contains(body, "fault_impossible") {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
			if e := b.only(Query{}); e.Executed {
				t.Errorf("ledger %+v", e)
			}
		})
	}
}
