package contracts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// The bounds of schemas that come with requests: the bytes of one, its patterns,
// each of which may take a hundred kilobytes once it is compiled, and how many
// schemas stay compiled.
const (
	maxAskedSchema   = 64 << 10
	maxAskedPatterns = 32
	maxAskedKept     = 64
)

// schemaCache compiles the schemas that requests bring. It is safe for
// concurrent use; what it keeps is bounded, and faults are kept too.
type schemaCache struct {
	mu sync.Mutex
	m  map[string]asked
}

type asked struct {
	schema *schema
	fault  *schemaFault
}

func (k *schemaCache) get(raw []byte) (*schema, *schemaFault) {
	if len(raw) > maxAskedSchema {
		return nil, &schemaFault{message: fmt.Sprintf("has more than %d bytes", maxAskedSchema), fix: "send a smaller schema"}
	}
	k.mu.Lock()
	known, ok := k.m[string(raw)]
	k.mu.Unlock()
	if ok {
		return known.schema, known.fault
	}
	known.schema, known.fault = compileAsked(raw)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.m == nil || len(k.m) >= maxAskedKept {
		k.m = map[string]asked{}
	}
	k.m[string(raw)] = known
	return known.schema, known.fault
}

// oldDrafts are the drafts that common generators name although what they write
// means the same in ours, once definitions are called $defs.
var oldDrafts = []string{"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema",
	"https://json-schema.org/draft/2019-09/schema", draftURI, draftURI + "#"}

// compileAsked keeps the bytes for the provider and compiles what they mean.
func compileAsked(raw []byte) (*schema, *schemaFault) {
	now := modern(raw)
	if countPatterns(now) > maxAskedPatterns {
		return nil, &schemaFault{message: fmt.Sprintf("has more than %d patterns", maxAskedPatterns), fix: "use enum, or check some of it yourself"}
	}
	s, faults := compileSchema("inferonce:///asked", now)
	if len(faults) > 0 {
		return nil, &faults[0]
	}
	s.raw = bytes.Clone(bytes.Trim(raw, jsonSpace))
	return s, nil
}

// countPatterns counts what is compiled to an expression, before it is. Text that
// is no schema has none: compileSchema refuses it.
func countPatterns(raw []byte) (n int) {
	if _, bad := scan(raw, boundedNumber); bad != nil {
		return 0
	}
	doc, err := decodeJSON(raw)
	if err != nil {
		return 0
	}
	walkSchema(doc, "", func(_ string, s map[string]any) {
		named, _ := s["patternProperties"].(map[string]any)
		if n += len(named); has(s, "pattern") {
			n++
		}
	})
	return n
}

// modern writes a schema of an older draft in the words of ours. What it can't
// read it returns, for compileSchema to refuse.
func modern(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`"$schema"`)) && !bytes.Contains(raw, []byte(`"definitions"`)) {
		return raw
	}
	if _, bad := scan(raw, boundedNumber); bad != nil {
		return raw
	}
	doc, err := decodeJSON(raw)
	root, ok := doc.(map[string]any)
	if err != nil || !ok {
		return raw
	}
	for _, d := range oldDrafts {
		if root["$schema"] == d {
			delete(root, "$schema")
			break
		}
	}
	if defs, ok := root["definitions"].(map[string]any); ok && !has(root, "$defs") {
		delete(root, "definitions")
		root["$defs"] = defs
		referTo(root)
	}
	out, err := json.Marshal(root)
	if err != nil {
		return raw
	}
	return out
}

// referTo lets references follow definitions to $defs. A value that is data and
// not a schema may hold such a text too; then the schema is another one than was
// meant, so those members are left alone.
func referTo(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, sub := range v {
			text, ok := sub.(string)
			rest, old := strings.CutPrefix(text, "#/definitions/")
			switch {
			case name == "$ref" && ok && old:
				v[name] = "#/$defs/" + rest
			case name != "const" && name != "enum" && name != "default" && name != "examples":
				referTo(sub)
			}
		}
	case []any:
		for _, sub := range v {
			referTo(sub)
		}
	}
}
