package conformance

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
)

// hostile are texts of a model that would do something in a page that takes
// them for more than text.
var hostile = []string{
	`<script>alert(1)</script>`, `"><script>alert(1)</script>`, `</pre><script>alert(1)</script>`, `</style><script>alert(1)</script>`,
	`</title><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<svg onload=alert(1)>`, `<svg/onload=alert(1)>`, `<body onload=alert(1)>`,
	`<iframe src="javascript:alert(1)">`, `<a href="javascript:alert(1)">x</a>`, `<object data="data:text/html,x">`, `<embed src=x>`,
	`<link rel=stylesheet href=//evil.example>`, `<meta http-equiv=refresh content="0;url=//evil.example">`, `<base href=//evil.example>`,
	`<form action=//evil.example><input name=x>`, `<style>*{display:none}</style>`, `<div style="background:url(//evil.example)">`,
	`<details open ontoggle=alert(1)>`, `<video><source onerror=alert(1)>`, `<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<template><script>alert(1)</script></template>`, `<plaintext>`, `<xmp>`,
	`<textarea>`, `<!--`, `--><script>alert(1)</script>`, `<!DOCTYPE x [<!ENTITY a "b">]>`, `<![CDATA[<script>alert(1)</script>]]>`, `]]><script>`,
	`<?xml version="1.0"?>`, `{{.ID}}`, `{{template "x"}}`, `{{define "report"}}`, `${alert(1)}`, `#{7*7}`, `<%= 7*7 %>`, `&lt;script&gt;alert(1)`,
	`&#60;script&#62;`, `&#x3c;script>`, `\u003cscript\u003ealert(1)`, `%3Cscript%3E`, "<scr\x00ipt>alert(1)</scr\x00ipt>", "<img\x0bsrc=x\x0conerror=alert(1)>",
	`" onmouseover="alert(1)`, `' onfocus='alert(1)' autofocus='`, "` onclick=`alert(1)", `javascript:alert(1)`, `data:text/html,<script>`,
	`expression(alert(1))`, "\u202e<txet>", "\ufeff<script>", `＜script＞alert(1)`, `<ſcript>`, `<<script>alert(1)//<</script>`, `<input autofocus onfocus=alert(1)>`,
	`+ADw-script+AD4-alert(1)`, `<marquee onstart=alert(1)>`, `<portal src=//evil.example>`, `<button popovertarget=x>`, "a\nb\r\n<b>c",
}

// hostileReport has a text in every place that is not ours.
func hostileReport(text string) contracts.Report {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return contracts.Report{ID: text, SuiteVersion: text, Mode: text, Target: text, Provider: text, Verdict: contracts.Fail, Started: at, Finished: at,
		Contract: contracts.ReportContract{Name: text, Digest: "sha256:" + text}, Model: contracts.ReportModel{Asked: text, Served: []string{text}},
		Reasons: []string{text}, Stopped: text, Checks: []contracts.ReportCheck{{ID: text, Class: "H", Says: text, Verdict: contracts.Fail, N: 1, Detail: text, Bound: 0.5}},
		Cases: []contracts.ReportCase{{ID: text, Expected: text, Reproduce: text, Runs: []contracts.ReportRun{{Verdict: contracts.Fail, Check: text, Message: text, Content: text,
			Failure: &contracts.Failure{Violations: []contracts.Violation{{Pointer: text, Message: text}}}}}}}}
}

func webPage(t *testing.T, r contracts.Report, previous *contracts.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r, previous); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// skeleton reads the page strictly and returns its elements and attributes
// without their texts, and the texts.
func skeleton(t *testing.T, page string) (shape, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	var s, x strings.Builder
	for {
		token, err := d.Token()
		if err == io.EOF {
			return s.String(), x.String()
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			s.WriteString("<" + e.Name.Local)
			for _, a := range e.Attr {
				s.WriteString(" " + a.Name.Local + "=" + a.Value)
			}
			s.WriteString(">")
		case xml.EndElement:
			s.WriteString("</" + e.Name.Local + ">")
		case xml.CharData:
			x.Write(e)
		case xml.Comment, xml.ProcInst:
			t.Errorf("a comment or an instruction: %v", e)
		}
	}
}

func TestWhateverAModelSaysIsTextInThePage(t *testing.T) {
	if len(hostile) < 50 {
		t.Fatalf("%d payloads", len(hostile))
	}
	harmless := hostileReport("harmless")
	want, _ := skeleton(t, webPage(t, harmless, &harmless))
	for _, text := range hostile {
		r := hostileReport(text)
		shape, read := skeleton(t, webPage(t, r, &r))
		if shape != want {
			t.Errorf("%q changes the page to\n%s", text, shape)
		}
		if !strings.Contains(read, inLines(text)) {
			t.Errorf("%q is not in the page as text", text)
		}
	}
}

func TestThePageLoadsNothing(t *testing.T) {
	page := webPage(t, hostileReport("x"), nil)
	if !strings.Contains(page, `content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`) {
		t.Error("no strict policy")
	}
	for _, bad := range []string{"<script", "src=", "href=", "url(", "@import", "http://", "https://", "onclick"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
}

func TestThePageTellsWhatAPersonLooksFor(t *testing.T) {
	before := run(t, options(tickets(t), honest))
	r := leakyReport(t, true)
	_, text := skeleton(t, webPage(t, r, &before))
	for _, want := range []string{"t on tickets@1", "must not take over", "SEM-01 held in 20 of 23", "20 of 23", "3 of 3 runs fail", "order_id is null",
		secret, "Tokens in", "Latency, median", "Since the run before", "pass", "worse"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	_, text = skeleton(t, webPage(t, before, nil))
	if strings.Contains(text, "Since the run before") || strings.Contains(text, "failing run") || !strings.Contains(text, "does what the contract needs") {
		t.Errorf("a passing page without a run before: %s", text)
	}
}
