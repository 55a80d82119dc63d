package contracts

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

//go:embed report.schema.json
var reportSchema string

// reportURI is the name that the schema is compiled under.
const reportURI = "inferonce:///report/1"

// ReportJSONSchema is the JSON Schema (draft 2020-12) of a Report, as text.
func ReportJSONSchema() []byte { return []byte(reportSchema) }

// ReadReport decodes a report and holds it against the published schema. The
// error names the places and is one line; it holds nothing of the report.
func ReadReport(raw []byte) (Report, error) {
	var r Report
	s, faults := compileSchema(reportURI, []byte(reportSchema))
	if len(faults) > 0 {
		return r, errors.New("the report's own schema does not compile: " + faults[0].message)
	}
	if broken := s.validate(raw); len(broken) > 0 {
		return r, fmt.Errorf("it is not of the published shape: %s", places(broken))
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return r, fmt.Errorf("it is not of the published shape: %w", err)
	}
	return r, nil
}

func places(broken []Violation) string {
	var all []string
	for _, v := range broken[:min(len(broken), 3)] {
		at := v.Pointer
		if at == "" {
			at = "the whole"
		}
		all = append(all, at+" "+v.Message)
	}
	return strings.Join(all, "; ")
}
