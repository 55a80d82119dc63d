package contracts

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// mutant is a right answer with one thing wrong. A suite that lets it pass
// would let a model pass that makes this mistake.
type mutant struct {
	what  string // "label", "drop", …
	says  string
	value map[string]any
}

// minKilled is the share of mutants that the schema and the cases must refuse;
// of swapped labels they must refuse all.
const minKilled = 0.95

// mutants runs the mutation check of LINT-05 over the cases whose right answer
// is known whole and is an object.
func (l *linter) mutants() {
	golden := l.goldens()
	total, killed := 0, 0
	for i, k := range l.c.Cases {
		if golden[i] == nil {
			continue
		}
		for _, m := range l.mutate(golden, i) {
			total++
			if l.refused(k, m.value) {
				killed++
			} else if m.what == "label" {
				l.find(k.place, LintMutants, fmt.Sprintf("case %q lets a wrong answer pass: %s", k.ID, m.says), "expect a value for that field")
			}
		}
	}
	if total > 0 && float64(killed) < minKilled*float64(total) {
		l.find(l.c.places["cases"], LintMutants, fmt.Sprintf("the cases refuse %d of %d wrong answers; at least %.0f %% must be refused", killed, total, 100*minKilled),
			"expect more fields, or add assertions")
	}
}

func (l *linter) mutate(golden []map[string]any, i int) []mutant {
	if l.c.Chat {
		return mutateChat(golden, i)
	}
	if k := l.c.Cases[i]; k.Calls != nil {
		return append(l.c.mutateCalls(k), neighbours(golden, i)...)
	}
	return mutate(golden, i, l.c.output)
}

func (l *linter) goldens() []map[string]any {
	all := make([]map[string]any, len(l.c.Cases))
	for i, k := range l.c.Cases {
		raw, ok := l.c.golden(k)
		if !ok {
			continue
		}
		v, _ := decodeJSON(raw)
		all[i], _ = v.(map[string]any)
	}
	return all
}

// refused says whether the schema, the contract's assertions or the case turn
// the answer down. A value that its case accepts beside another is no mistake.
func (l *linter) refused(k Case, value map[string]any) bool {
	raw, err := json.Marshal(value)
	if err != nil {
		return true
	}
	return len(l.c.validateOutput(raw)) > 0 || l.c.Chat && !l.c.answers(raw, k.Input) ||
		len(checkAll(l.c.assertions, liveVars(k.Input, raw))) > 0 || len(l.c.CheckCase(k, raw)) > 0 ||
		acceptedBeside(k, value)
}

// acceptedBeside says whether the mutant is among the values that the case
// lists as right.
func acceptedBeside(k Case, value map[string]any) bool {
	for field, set := range k.Accepted {
		for _, raw := range set[1:] {
			want, _ := decodeJSON(raw)
			if got, ok := value[field]; ok && sameValue(got, want) {
				return true
			}
		}
	}
	return false
}

// mutate makes the mistakes that models make of the right answer to case i.
func mutate(golden []map[string]any, i int, output *schema) []mutant {
	right := golden[i]
	all := []mutant{{"add", "an undeclared member", with(right, "unexpected_member", "x")}}
	for _, field := range slices.Sorted(maps.Keys(right)) {
		dropped := maps.Clone(right)
		delete(dropped, field)
		all = append(all, mutant{"drop", field + " missing", dropped})
		if right[field] != nil {
			all = append(all, mutant{"null", field + " null", with(right, field, nil)})
		}
		all = append(all, stringified(right, field)...)
		all = append(all, swapped(right, field, output)...)
	}
	return append(all, neighbours(golden, i)...)
}

func with(object map[string]any, field string, value any) map[string]any {
	changed := maps.Clone(object)
	changed[field] = value
	return changed
}

func stringified(right map[string]any, field string) []mutant {
	switch v := right[field].(type) {
	case bool, json.Number:
		return []mutant{{"stringify", field + " as text", with(right, field, fmt.Sprint(v))}}
	}
	return nil
}

// swapped puts every other label of an enum, and the other boolean, into field.
func swapped(right map[string]any, field string, output *schema) []mutant {
	labels := []any{}
	if _, isBool := right[field].(bool); isBool {
		labels = []any{true, false}
	}
	for _, sub := range output.properties([]string{field}) {
		m, _ := sub.(map[string]any)
		enum, _ := m["enum"].([]any)
		labels = append(labels, enum...)
	}
	var all []mutant
	for _, label := range labels {
		if !sameValue(label, right[field]) {
			all = append(all, mutant{"label", fmt.Sprintf("%s %s", field, compactJSON(label)), with(right, field, label)})
		}
	}
	return all
}

// neighbours are the answers of the next different case and of the first case:
// a model that mixes rows up, and one that always says the same.
func neighbours(golden []map[string]any, i int) []mutant {
	var all []mutant
	for step := 1; step < len(golden); step++ {
		next := golden[(i+step)%len(golden)]
		if next != nil && !sameValue(next, golden[i]) {
			all = append(all, mutant{"neighbour", "another case's answer", next})
			break
		}
	}
	first := golden[slices.IndexFunc(golden, func(g map[string]any) bool { return g != nil })]
	if !sameValue(first, golden[i]) {
		all = append(all, mutant{"constant", "one answer for every case", first})
	}
	return all
}
