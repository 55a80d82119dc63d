package conformance

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	junit "github.com/joshdk/go-junit"

	"inferonce/contracts"
)

// suites are reports with every outcome that a test in JUnit can have.
func suites(t *testing.T) map[string]contracts.Report {
	t.Helper()
	bad := options(tickets(t), leaky)
	bad.KeepGoing, bad.StoreContent = true, true
	return map[string]contracts.Report{
		"failing": run(t, bad),
		"passing": run(t, options(tickets(t), honest)),
		"blocked": run(t, options(tickets(t), func(contracts.Case, int, int) (contracts.Completion, error) {
			return contracts.Completion{}, &contracts.Failure{Class: contracts.Auth, Effect: contracts.None, Status: 401}
		})),
		"steered": run(t, with(options(tickets(t), func(contracts.Case, int, int) (contracts.Completion, error) {
			return said("\x00\x1b]]></failure><testcase name=\"mine\"/>[[ATTACHMENT|/etc/passwd]]\n\u202e\xff"), nil
		}), func(o *Options) { o.KeepGoing, o.StoreContent = true, true })),
		"without cases": run(t, options(load(t, contractHead+closedOutput), honest)),
	}
}

func with(o Options, change func(*Options)) Options {
	change(&o)
	return o
}

// Reader one: another module, which knows nothing of us.
func TestAnotherReaderCountsTheSameTests(t *testing.T) {
	for name, r := range suites(t) {
		all, err := junit.Ingest([]byte(texts(t, r)["junit"]))
		if err != nil || len(all) != 1 {
			t.Errorf("%s: %d suites, %v", name, len(all), err)
			continue
		}
		s := all[0]
		if want := fmt.Sprintf("p/m@tickets:%s", digest12(r.Contract.Digest)); s.Name != want {
			t.Errorf("%s: suite %q, want %q", name, s.Name, want)
		}
		if s.Totals.Tests != len(r.Checks)+len(r.Cases)+1 || s.Properties["verdict"] != string(r.Verdict) || s.Properties["digest"] != r.Contract.Digest {
			t.Errorf("%s: %+v, %v", name, s.Totals, s.Properties)
		}
		green := s.Totals.Failed+s.Totals.Error == 0
		if green != (r.Verdict == contracts.Pass) || (s.Totals.Failed > 0) != (r.Verdict == contracts.Fail) {
			t.Errorf("%s: %s with %d failed and %d in error", name, r.Verdict, s.Totals.Failed, s.Totals.Error)
		}
		named := map[string]bool{}
		for _, test := range s.Tests {
			key := test.Classname + " " + test.Name
			if named[key] || !strings.HasPrefix(test.Classname, "conformance") || test.Name == "mine" {
				t.Errorf("%s: %s stands twice or is of no layer", name, key)
			}
			named[key] = true
			if e, ok := test.Error.(junit.Error); ok {
				gitLabText(t, name+" "+key, e)
			}
		}
	}
}

// gitLabText: GitLab shows the text of a failure and drops its message.
func gitLabText(t *testing.T, name string, e junit.Error) {
	t.Helper()
	first, _, _ := strings.Cut(e.Body, "\n")
	switch {
	case e.Message == "" || first != e.Message || e.Type == "":
		t.Errorf("%s: message %q, type %q, text begins %q", name, e.Message, e.Type, first)
	case len(e.Message) > maxMessage || len(e.Body) > maxMessage+maxEvidence+maxCommand+200:
		t.Errorf("%s: message of %d bytes, text of %d", name, len(e.Message), len(e.Body))
	case strings.Contains(e.Body, "[[ATTACHMENT|"):
		t.Errorf("%s: a model chooses what GitLab attaches", name)
	}
}

func TestAFailingCaseNamesItsCheckWhatWasWantedAndWhatCame(t *testing.T) {
	all, err := junit.Ingest([]byte(texts(t, suites(t)["failing"])["junit"]))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range all[0].Tests {
		if test.Name != "SEM-01[name]" {
			continue
		}
		for _, want := range []string{"3 of 3 runs fail", `order_id is null`, "/order_id must be null", "got: {", secret} {
			if test.Classname != "conformance.sem" || !strings.Contains(test.Error.Error(), want) {
				t.Errorf("%s lacks %q: %v", test.Classname, want, test.Error)
			}
		}
		return
	}
	t.Error("no test SEM-01[name]")
}

// Reader two: the structure that Jenkins' reader accepts, strictly: known
// elements and attributes in known places, and nothing beside them.
func TestJUnitHasTheStructureThatReadersKnow(t *testing.T) {
	children := map[string]string{"": "testsuites", "testsuites": "testsuite", "testsuite": "properties testcase",
		"properties": "property", "testcase": "failure error skipped system-out"}
	attributes := map[string]string{"testsuites": "tests failures errors", "testsuite": "name tests failures errors skipped time timestamp",
		"property": "name value", "testcase": "classname name time", "failure": "type message", "error": "type message", "skipped": "message"}
	for name, r := range suites(t) {
		d := xml.NewDecoder(strings.NewReader(texts(t, r)["junit"]))
		at := []string{""}
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch x := token.(type) {
			case xml.StartElement:
				if !has(children[at[len(at)-1]], x.Name.Local) {
					t.Errorf("%s: <%s> in <%s>", name, x.Name.Local, at[len(at)-1])
				}
				for _, a := range x.Attr {
					if !has(attributes[x.Name.Local], a.Name.Local) || strings.ContainsAny(a.Value, "\n\r\t") {
						t.Errorf("%s: %s=%q at <%s>", name, a.Name.Local, a.Value, x.Name.Local)
					}
				}
				at = append(at, x.Name.Local)
			case xml.EndElement:
				at = at[:len(at)-1]
			}
		}
	}
}

func has(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

func TestEvidenceIsBoundedAndACommandIsWholeOrLeftOut(t *testing.T) {
	long := strings.Repeat("é\n", 3000)
	k := failingCase{contracts.ReportCase{ID: "a", Expected: long, Runs: make([]contracts.ReportRun, 1)}, contracts.ReportRun{Content: long}, 1}
	if got := caseBody(k); len(got) > maxEvidence {
		t.Errorf("%d bytes of evidence", len(got))
	}
	for n, whole := range map[int]bool{maxCommand: true, maxCommand + 1: false} {
		k.Reproduce = strings.Repeat("c", n)
		if strings.Contains(caseBody(k), k.Reproduce) != whole {
			t.Errorf("a command of %d bytes: whole must be %t", n, whole)
		}
	}
}
