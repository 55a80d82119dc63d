package providers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Set holds the configured providers by name. It is built once, explicitly,
// and only read afterwards.
type Set map[string]Provider

// Get returns the provider of that name. The error names the known ones.
func (s Set) Get(name string) (Provider, error) {
	if p, ok := s[name]; ok && p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("provider %q is not configured; configured are: %s", name, strings.Join(s.Names(), ", "))
}

// Names lists the providers in alphabetical order.
func (s Set) Names() []string { return slices.Sorted(maps.Keys(s)) }
