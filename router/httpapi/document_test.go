package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
)

type object = map[string]any

// readDocument reads openapi.yaml as the face serves it, once for all tests.
var readDocument = sync.OnceValues(func() (doc object, err error) {
	raw, err := openapiJSON()
	if err != nil {
		return nil, err
	}
	return doc, json.Unmarshal(raw, &doc)
})

// document is not to be changed.
func document(t testing.TB) object {
	t.Helper()
	doc, err := readDocument()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// deref follows $ref within the document.
func deref(t testing.TB, doc object, v any) object {
	t.Helper()
	o, ok := v.(object)
	if !ok {
		t.Fatalf("the document has %T where an object belongs", v)
	}
	ref, ok := o["$ref"].(string)
	if !ok {
		return o
	}
	var at any = doc
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		o, ok := at.(object)
		if !ok || o[part] == nil {
			t.Fatalf("the document refers to %s, which it does not have", ref)
		}
		at = o[part]
	}
	return deref(t, doc, at)
}

func schema(t testing.TB, doc object, name string) object {
	return deref(t, doc, object{"$ref": "#/components/schemas/" + name})
}

// conforms compares a value with a schema as far as the document uses JSON
// Schema for answers, and lists what is wrong.
func conforms(t testing.TB, doc, s object, v any, at string) []string {
	t.Helper()
	s = deref(t, doc, s)
	if any, ok := s["oneOf"].([]any); ok {
		var all []string
		for _, one := range any {
			faults := conforms(t, doc, one.(object), v, at)
			if len(faults) == 0 {
				return nil
			}
			all = append(all, faults...)
		}
		return all
	}
	if types := typesOf(s); len(types) > 0 && !slices.Contains(types, typeOf(v)) && !(typeOf(v) == "integer" && slices.Contains(types, "number")) {
		return []string{fmt.Sprintf("%s is %s, not %s", at, typeOf(v), types)}
	}
	if enum, ok := s["enum"].([]any); ok && !slices.Contains(enum, v) {
		return []string{fmt.Sprintf("%s is %v, not one of %v", at, v, enum)}
	}
	switch v := v.(type) {
	case object:
		return objectConforms(t, doc, s, v, at)
	case []any:
		var faults []string
		if items, ok := s["items"].(object); ok {
			for i, item := range v {
				faults = append(faults, conforms(t, doc, items, item, fmt.Sprintf("%s/%d", at, i))...)
			}
		}
		return faults
	}
	return nil
}

func objectConforms(t testing.TB, doc, s, v object, at string) (faults []string) {
	properties, _ := s["properties"].(object)
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			faults = append(faults, fmt.Sprintf("%s lacks %s", at, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		p, ok := properties[name].(object)
		if !ok && s["additionalProperties"] == false {
			faults = append(faults, fmt.Sprintf("%s has %s, which the document does not", at, name))
		}
		if ok {
			faults = append(faults, conforms(t, doc, p, v[name], at+"/"+name)...)
		}
	}
	return faults
}

func typesOf(s object) []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var all []string
		for _, one := range t {
			all = append(all, one.(string))
		}
		return all
	}
	return nil
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// statuses lists what the document says a route may answer, as "POST /v1/infer 200".
func statuses(t testing.TB, doc object) map[string]object {
	t.Helper()
	all := map[string]object{}
	for path, item := range doc["paths"].(object) {
		for method, op := range item.(object) {
			for status, response := range op.(object)["responses"].(object) {
				all[strings.ToUpper(method)+" "+path+" "+status] = deref(t, doc, response)
			}
		}
	}
	return all
}

func TestTheDocumentHasTheRoutesOfTheTable(t *testing.T) {
	var want, have []string
	for _, r := range routes(1) {
		want = append(want, r.method+" "+r.path)
	}
	for path, item := range document(t)["paths"].(object) {
		for method := range item.(object) {
			have = append(have, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(want, have) {
		t.Errorf("table %q\ndocument %q", want, have)
	}
}

func TestTheDocumentStatesScopeAndQueryOfEveryRoute(t *testing.T) {
	doc := document(t)
	for _, r := range routes(1) {
		op := doc["paths"].(object)[r.path].(object)[strings.ToLower(r.method)].(object)
		wantSecurity := "[]"
		if r.scope != public {
			wantSecurity = fmt.Sprintf(`[{"apiKey":[%q]}]`, r.scope)
		}
		if have, _ := json.Marshal(op["security"]); string(have) != wantSecurity {
			t.Errorf("%s %s: security %s, the table has %s", r.method, r.path, have, wantSecurity)
		}
		parameters, _ := op["parameters"].([]any)
		var query []string
		for _, p := range parameters {
			if p := deref(t, doc, p); p["in"] == "query" {
				query = append(query, p["name"].(string))
			}
		}
		if !slices.Equal(query, r.query) {
			t.Errorf("%s %s: query %q, the table has %q", r.method, r.path, query, r.query)
		}
		if _, has := op["requestBody"]; has != (r.limit > 0) {
			t.Errorf("%s %s: request body %v, body limit %d", r.method, r.path, has, r.limit)
		}
	}
}

func TestTheDocumentListsTheCatalogue(t *testing.T) {
	var have []string
	for _, code := range schema(t, document(t), "ProblemCode")["enum"].([]any) {
		have = append(have, code.(string))
	}
	if want := slices.Sorted(maps.Keys(catalogue)); !slices.Equal(want, have) {
		t.Errorf("catalogue %q\ndocument %q", want, have)
	}
}

func TestTheDocumentsExamplesFitTheirSchemas(t *testing.T) {
	doc := document(t)
	count := 0
	for name, s := range doc["components"].(object)["schemas"].(object) {
		examples, _ := s.(object)["examples"].([]any)
		for i, example := range examples {
			count++
			for _, fault := range conforms(t, doc, s.(object), example, fmt.Sprintf("%s example %d", name, i)) {
				t.Error(fault)
			}
		}
	}
	if count == 0 {
		t.Error("the document has no examples")
	}
}

func TestTheConformityCheckFindsFaults(t *testing.T) {
	doc := document(t)
	job := schema(t, doc, "Job")["examples"].([]any)[0].(object)
	for name, spoil := range map[string]func(object){
		"a missing member":   func(j object) { delete(j, "deadline") },
		"an unknown member":  func(j object) { j["owner"] = "acme" },
		"another type":       func(j object) { j["version"] = "2" },
		"a state of no job":  func(j object) { j["state"] = "starting" },
		"a fault further in": func(j object) { j["attempts"] = []any{object{"number": 1.0}} },
	} {
		spoilt := maps.Clone(job)
		spoil(spoilt)
		if len(conforms(t, doc, schema(t, doc, "Job"), spoilt, "job")) == 0 {
			t.Errorf("%s was not found", name)
		}
	}
}

// "Come back" is said only where the same request can end otherwise; whatever
// else is final would be sent again for nothing.
func TestOnlyThesePassingTroublesAreRetryable(t *testing.T) {
	want := []string{"attempt_under_way", "body_timeout", "busy", "draining", "internal", "store_not_replicated", "store_rolled_back", "store_unavailable", "too_soon"}
	var have []string
	for code, k := range catalogue {
		if k.retryable {
			have = append(have, code)
		}
	}
	slices.Sort(have)
	if !slices.Equal(have, want) {
		t.Errorf("retryable are %q, want %q", have, want)
	}
}
