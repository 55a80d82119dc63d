package contracts

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// fullReport has every field set.
func fullReport() Report {
	at, cost := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), int64(1200)
	return Report{SchemaVersion: 1, SuiteVersion: "1", ID: "conf_a", Mode: "quick", Repeats: 3, Seed: 7,
		Contract: ReportContract{"tickets", 1, "sha256:" + strings.Repeat("a", 64)}, Target: "t", Provider: "p",
		BaseHost: "https://api", ProfileDigest: "sha256:p", Gone: true,
		Model: ReportModel{"m", []string{"m-1"}, []string{"fp_1"}, map[string]string{"a": "1"}}, Started: at, Finished: at.Add(time.Minute), Verdict: Fail,
		Reasons: []string{"because"}, Replayed: true, Enforcement: "none", Stopped: "enough", Totals: ReportTotals{3, 2, 1, Usage{5, 7, true}, &cost},
		Checks: []ReportCheck{{"STR-01", "H", "one value", Fail, 3, 2, 0.5, "case a", map[string]string{"a": "1"}}},
		Cases: []ReportCase{{ID: "a", Critical: true, Expected: "x is 1", Reproduce: "curl", Runs: []ReportRun{{Fail, "STR-01", 12,
			&Failure{BadResponse, Ended, "json", "words", 200, time.Second, []Violation{{"/a", "type", "must be"}}}, "no", strings.Repeat("b", 64), &Usage{InputTokens: 5, OutputTokens: 7}, &cost, "{"}}}}}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestAReportIsReadAsItWasWritten(t *testing.T) {
	want := fullReport()
	got, err := ReadReport(encoded(t, want))
	want.Totals.Usage.Reported = false // is not part of a report
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v, want\n%+v", err, got, want)
	}
}

func TestAReportOfAnotherShapeIsRefused(t *testing.T) {
	for name, row := range map[string]struct{ from, to, want string }{
		"a field that nobody knows":           {`"mode"`, `"mood"`, `lacks the member "mode"`},
		"a verdict that does not exist":       {`"verdict":"fail","reasons"`, `"verdict":"fine","reasons"`, "/verdict must be one of"},
		"a verdict of a check for the whole":  {`"verdict":"fail","reasons"`, `"verdict":"not_applicable","reasons"`, "/verdict must be one of"},
		"a later shape":                       {`"schema_version":1`, `"schema_version":2`, "/schema_version must be 1"},
		"a digest that is none":               {`sha256:aaaa`, `sha256:zzzz`, "/contract/digest"},
		"a negative count":                    {`"n":3`, `"n":-3`, "/checks/0/n"},
		"a bound over one":                    {`"bound":0.5`, `"bound":1.5`, "/checks/0/bound"},
		"a time that is none":                 {`2026-03-01T12:00:00Z`, `yesterday`, "/started"},
		"an effect that does not exist":       {`"effect":"ended"`, `"effect":"maybe"`, "/cases/0/runs/0/failure/effect"},
		"a cost below nothing":                {`"micro_usd":1200`, `"micro_usd":-1`, "/totals/micro_usd"},
		"a seed beyond what a double can say": {`"seed":7`, `"seed":9007199254740993`, "/seed"},
		"a member that stands twice":          {`"mode":"quick"`, `"mode":"quick","mode":"certify"`, "twice"},
		"text after the report":               {`"cases"`, `}{"cases"`, ""},
	} {
		raw := strings.Replace(string(encoded(t, fullReport())), row.from, row.to, 1)
		if _, err := ReadReport([]byte(raw)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

// Every field is in the schema and every property is a field, with the same
// one that may be left out.
func TestTheSchemaHasTheFieldsOfAReport(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(ReportJSONSchema(), &doc); err != nil {
		t.Fatal(err)
	}
	defs := doc["$defs"].(map[string]any)
	props := func(at map[string]any, name string) map[string]any {
		return at["properties"].(map[string]any)[name].(map[string]any)
	}
	failure := defs["failure"].(map[string]any)
	for name, row := range map[string]struct {
		schema map[string]any
		is     any
	}{
		"report":    {doc, Report{}},
		"contract":  {props(doc, "contract"), ReportContract{}},
		"model":     {props(doc, "model"), ReportModel{}},
		"totals":    {props(doc, "totals"), ReportTotals{}},
		"usage":     {defs["usage"].(map[string]any), Usage{}},
		"check":     {defs["check"].(map[string]any), ReportCheck{}},
		"case":      {defs["case"].(map[string]any), ReportCase{}},
		"run":       {defs["run"].(map[string]any), ReportRun{}},
		"failure":   {failure, failureJSON{}},
		"violation": {props(failure, "violations")["items"].(map[string]any), Violation{}},
	} {
		var all, needed, wantAll, wantNeeded []string
		for p := range row.schema["properties"].(map[string]any) {
			all = append(all, p)
		}
		for _, p := range row.schema["required"].([]any) {
			needed = append(needed, p.(string))
		}
		for i := range reflect.TypeOf(row.is).NumField() {
			tag, options, _ := strings.Cut(reflect.TypeOf(row.is).Field(i).Tag.Get("json"), ",")
			if tag == "-" {
				continue
			}
			wantAll = append(wantAll, tag)
			if options == "" {
				wantNeeded = append(wantNeeded, tag)
			}
		}
		for _, s := range [][]string{all, needed, wantAll, wantNeeded} {
			slices.Sort(s)
		}
		if !slices.Equal(all, wantAll) || !slices.Equal(needed, wantNeeded) || row.schema["additionalProperties"] != false {
			t.Errorf("%s: properties %v, fields %v; required %v, want %v", name, all, wantAll, needed, wantNeeded)
		}
	}
}
