package conformance

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// tokens splits a JSON pointer (RFC 6901).
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	all := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, t := range all {
		all[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return all
}

func pointerTo(base, token string) string {
	return base + "/" + strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// at follows a pointer into a decoded value.
func at(v any, pointer string) (any, bool) {
	for _, t := range tokens(pointer) {
		switch in := v.(type) {
		case map[string]any:
			next, ok := in[t]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(t)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func textAt(v any, pointer string) (string, bool) {
	got, _ := at(v, pointer)
	s, ok := got.(string)
	return s, ok
}

func sortedKeysOf[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
