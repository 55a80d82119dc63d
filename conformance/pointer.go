package conformance

import (
	"maps"
	"slices"

	"inferonce/contracts"
)

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

// at follows a pointer into a decoded value.
func at(v any, pointer string) (any, bool) {
	return contracts.LookUp(v, contracts.PointerTokens(pointer))
}

func textAt(v any, pointer string) (string, bool) {
	got, _ := at(v, pointer)
	s, ok := got.(string)
	return s, ok
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
