package contracts

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
)

// Load reads the contract file at path in fsys, and the files that it names.
// What it returns is ready to serve. Its error joins every fault that it could
// find, each a *Finding with file, line, column and what to do; Findings takes
// the error apart.
func Load(fsys fs.FS, path string) (*Contract, error) {
	l := &loader{fsys: fsys, file: path, named: map[string][]byte{}}
	c, err := l.load()
	if err != nil {
		return nil, err
	}
	return c, nil
}

type loader struct {
	reader
	fsys  fs.FS
	file  string
	named map[string][]byte // the files that the contract names, as it names them
	lang  languages
}

func (l *loader) load() (*Contract, error) {
	raw, err := readFile(l.fsys, l.file)
	if err != nil {
		return nil, err
	}
	root, err := parseYAML(l.file, raw)
	if err != nil {
		l.faults = append(l.faults, err)
	}
	if !l.is(root, "the file", kindMap) {
		return nil, errors.Join(l.faults...)
	}
	if l.lang, err = newLanguages(); err != nil {
		return nil, err
	}
	c := l.contract(root)
	c.Digest = digest(raw, l.named)
	return c, errors.Join(l.faults...)
}

// fields are all that a contract file may hold.
var fields = []string{"name", "version", "description", "effects", "on_unknown", "sampling", "prompt", "input_schema",
	"output_schema", "open_paths", "chat", "tools", "tool_choice", "assertions", "identity", "min_success", "cases", "cases_file", "probes"}

// contractName is safe in a URI, a path, a metric label and as a schema name
// at every provider.
var contractName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

const maxVersion = 1_000_000

func (l *loader) contract(root *node) *Contract {
	l.known(root, "a contract", fields...)
	c := &Contract{file: l.file, places: map[string]*node{}}
	for _, f := range root.fields {
		c.places[f.name] = f.value
	}
	c.Name = l.name(l.need(root, "the contract", "name"))
	c.Version = l.integer(l.need(root, "the contract", "version"), "version", maxVersion)
	c.Description = l.text(root.field("description"), "description")
	c.Effects = l.effects(l.need(root, "the contract", "effects"))
	c.OnUnknown = l.policy(root.field("on_unknown"), c.Effects)
	c.Sampling = l.sampling(root.field("sampling"))
	if c.Chat = l.boolean(root.field("chat"), "chat"); c.Chat {
		l.chat(c, root)
	} else {
		l.schemas(c, root)
		l.prompt(c, l.need(root, "the contract", "prompt"))
		l.identity(c, root.field("identity"))
	}
	c.Probes = l.probes(root.field("probes"))
	c.MinSuccess = l.minSuccess(root.field("min_success"))
	c.assertions = l.reader.assertions(root.field("assertions"), l.lang.live)
	c.Cases = l.reader.cases(l.caseList(root), l.lang)
	if c.Chat && c.input != nil {
		c.proved = c.provedBy()
	}
	return c
}

func (l *loader) name(n *node) string {
	name := l.text(n, "name")
	if n != nil && n.kind == kindString && !contractName.MatchString(name) {
		l.fault(n, FileFault, "the name has other characters than a-z, 0-9 and -, or more than 63", "write something like ticket-triage")
	}
	return name
}

func (l *loader) minSuccess(n *node) float64 {
	if n == nil {
		return DefaultMinSuccess
	}
	v := l.number(n, "min_success", 1)
	if v == nil {
		return 0 // number has reported it
	}
	if *v < LeastMinSuccess {
		l.fault(n, FileFault, fmt.Sprintf("min_success is below %.2f: such a target is no fallback", LeastMinSuccess),
			"write a number from 0.8 to 1, or ask for less in the contract")
	}
	return *v
}

func (l *loader) sampling(n *node) Sampling {
	s := Sampling{Intent: IntentLowest}
	if !l.is(n, "sampling", kindMap) {
		return s
	}
	l.known(n, "sampling", "intent", "max_tokens", "max_temperature")
	if intent := n.field("intent"); intent != nil {
		s.Intent = l.text(intent, "intent")
		if s.Intent != IntentLowest && s.Intent != IntentDefault {
			l.fault(intent, FileFault, "intent is neither lowest nor default", "write lowest")
		}
	}
	s.MaxTokens = l.integer(n.field("max_tokens"), "max_tokens", 1_000_000)
	s.MaxTemperature = l.number(n.field("max_temperature"), "max_temperature", 2)
	return s
}
