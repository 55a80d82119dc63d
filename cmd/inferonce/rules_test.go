package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestTheFloorsOfTheHouse keeps the rules of docs/design.md on who may import
// whom: an arrow never runs back up, and each library is known in one place.
func TestTheFloorsOfTheHouse(t *testing.T) {
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			if why := forbidden(strings.TrimPrefix(p.ImportPath, "inferonce/"), imported); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, why)
			}
		}
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) (all []goPackage) {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "inferonce/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// floors says what each part may know of ours, beside itself and its children.
var floors = map[string][]string{
	"cmd":         {"router", "jobstore", "providers", "contracts", "conformance", "configs"},
	"router":      {"jobstore", "providers", "contracts"},
	"jobstore":    {"contracts"},
	"providers":   {"contracts"},
	"contracts":   {},
	"conformance": {"providers", "contracts"},
	"configs":     {},
}

// homes says where a library may be known.
var homes = map[string]string{
	"github.com/redis/go-redis":             "jobstore",
	"github.com/alicebob/miniredis":         "jobstore",
	"github.com/sashabaranov/go-openai":     "providers/openaicompat",
	"github.com/aws/":                       "providers/bedrock",
	"github.com/santhosh-tekuri/jsonschema": "contracts",
	"github.com/google/cel-go":              "contracts",
	"github.com/spf13/cobra":                "cmd",
}

// adapters must not know each other; nor may the router know one.
var adapters = []string{"providers/openaicompat", "providers/openairesponses", "providers/anthropic", "providers/gemini", "providers/bedrock", "providers/sim"}

func forbidden(me, imported string) string {
	top, _, _ := strings.Cut(me, "/")
	ours, isOurs := strings.CutPrefix(imported, "inferonce/")
	if !isOurs {
		return foreign(me, imported)
	}
	theirs, _, _ := strings.Cut(ours, "/")
	switch {
	case theirs != top && !slices.Contains(floors[top], theirs):
		return "an arrow runs back up"
	case top == "router" && slices.Contains(adapters, ours):
		return "the router knows no adapter"
	case slices.Contains(adapters, me) && slices.Contains(adapters, ours):
		return "an adapter knows no other"
	case strings.HasPrefix(me, "router/") && strings.HasPrefix(ours, "router/") && me != ours:
		return "a child of router knows no sibling"
	}
	return ""
}

func foreign(me, imported string) string {
	for library, home := range homes {
		if strings.HasPrefix(imported, library) && me != home && !strings.HasPrefix(me, home+"/") {
			return "it is known in " + home + " only"
		}
	}
	if imported == "testing" && !strings.HasSuffix(me, "test") {
		return "testing belongs into *test packages"
	}
	return ""
}
