package contracts

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// DeriveKey makes the idempotency key of an event that its sender has no name
// for (R7): a hash over the contract's name and the identity fields of input.
// The version stays out of it, so that a repeat that meets a newer version is
// a conflict and not a second run. An error means that the contract declares
// no identity, or that a field of it is missing or null.
func (c *Contract) DeriveKey(input json.RawMessage) (string, error) {
	if len(c.Identity) == 0 {
		return "", fmt.Errorf("contract %s declares no identity: send an Idempotency-Key", c.Ref())
	}
	parts := [][]byte{[]byte(c.Name)}
	for _, field := range c.Identity {
		value, err := rawAt(input, strings.Split(field, "."))
		if err != nil {
			return "", fmt.Errorf("identity field %q: %w", field, err)
		}
		if len(value) == 0 || string(value) == "null" {
			return "", fmt.Errorf("identity field %q is missing from the input", field)
		}
		canonical, err := Canonical(value)
		if err != nil {
			return "", fmt.Errorf("identity field %q: %w", field, err)
		}
		parts = append(parts, []byte(field), canonical)
	}
	return "derived:" + framedSHA256(parts...), nil
}

// timeWords are the parts of a name that say that a field holds a point in
// time. A repeat has another one, so it would get another key.
var timeWords = []string{"time", "timestamp", "timestamps", "date", "datetime", "now", "ts", "at", "epoch", "clock", "millis", "ms", "today"}

var timeFormats = []string{"date-time", "date", "time"}

var nameParts = regexp.MustCompile(`[A-Z]*[a-z0-9]+|[A-Z]+`)

// timeLike says whether a field's name, or its schema, makes it a point in
// time: a first or last word such as in created_at, sentTime, date.
func timeLike(name string, schemas []any) bool {
	for _, s := range schemas {
		m, _ := s.(map[string]any)
		format, _ := m["format"].(string)
		if slices.Contains(timeFormats, format) {
			return true
		}
	}
	words := nameParts.FindAllString(name, -1)
	if len(words) == 0 {
		return false
	}
	isTime := func(w string) bool { return slices.Contains(timeWords, strings.ToLower(w)) }
	return isTime(words[0]) || isTime(words[len(words)-1]) || strings.HasSuffix(strings.ToLower(name), "timestamp")
}

// lintIdentity returns what is wrong with one identity field; "" if nothing.
func lintIdentity(field string, input *schema) (message, fix string) {
	path := strings.Split(field, ".")
	schemas := input.properties(path)
	if len(schemas) == 0 {
		return fmt.Sprintf("the input has no field %q", field), "name a field of input_schema's properties"
	}
	for i, name := range path {
		if timeLike(name, input.properties(path[:i+1])) {
			return fmt.Sprintf("%q is a point in time: a repeat has another one, so its key would be new", field),
				"name what makes the event what it is, such as an account and a message id"
		}
	}
	return "", ""
}
