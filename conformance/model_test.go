package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"inferonce/contracts"
	"inferonce/providers"
)

// model is a provider in memory that really reads its prompt: what does not
// arrive, it does not know. The hooks are the ways in which a gateway or a server
// lies.
type model struct {
	contract *contracts.Contract

	there  func([]providers.Message) []providers.Message  // what becomes of the turns
	back   func(providers.Request, *contracts.Completion) // what becomes of the answer
	schema func(names []string) []string                  // what becomes of a schema's members
	wrongs func(k contracts.Case, asked string) string    // an answer to a case instead of the right one; "" for that
	loose  bool                                           // schema mode is taken and not enforced
	long   bool                                           // the bound on tokens is ignored
	cold   bool                                           // the temperature is ignored
	stop   func(line, stop string) string                 // what a stop word makes of a line; nil: it is cut there
	drawn  bool                                           // the seed is ignored

	mu    sync.Mutex
	calls int
}

func (m *model) Traits() providers.Traits { return providers.Traits{} }

func (m *model) Complete(_ context.Context, r providers.Request) (contracts.Completion, error) {
	m.mu.Lock()
	m.calls++
	n := m.calls
	m.mu.Unlock()
	turns := slices.Clone(r.Messages)
	if m.there != nil {
		turns = m.there(turns)
	}
	prompt := textOf(turns)
	if r.Schema == nil && r.MaxTokens <= 8 && !m.long {
		return contracts.Completion{}, &contracts.Failure{Class: contracts.Truncated, Effect: contracts.Ended, Code: "length", Status: 200}
	}
	got := said(m.say(r, turns, prompt, n))
	got.Usage = contracts.Usage{InputTokens: int64(len(strings.Fields(prompt)) + 4*len(turns)), OutputTokens: int64(1 + len(strings.Fields(got.Content))), Reported: true}
	if m.back != nil {
		m.back(r, &got)
	}
	return got, nil
}

func textOf(turns []providers.Message) string {
	var all []string
	for _, t := range turns {
		all = append(all, t.Content)
	}
	return strings.Join(all, "\n")
}

func (m *model) say(r providers.Request, turns []providers.Message, prompt string, n int) string {
	prose := strings.Contains(prompt, "French prose")
	switch {
	case r.SchemaName == probeName:
		return m.echo(r, turns, prompt)
	case strings.Contains(prompt, "Invent one") && r.Seed != nil && !m.drawn:
		return fmt.Sprintf("Ship of seed %d", *r.Seed)
	case len(r.Stop) > 0:
		return m.line(prompt, r.Stop[0])
	case strings.Contains(prompt, "Invent one") && r.Temperature != nil && *r.Temperature > 0.5 && !m.cold:
		return fmt.Sprintf("Ship %d", n)
	case strings.Contains(prompt, "Write the word"):
		return strings.Repeat("1. word ", 50)
	case r.Schema == nil, prose && m.loose:
		return "Le navire est parti. Il reviendra."
	case prose:
		return right(m.contract.Cases[0])
	}
	return m.sort(prompt)
}

// line repeats the last line as far as the stop word.
func (m *model) line(prompt, stop string) string {
	line := prompt[strings.LastIndexByte(prompt, '\n')+1:]
	if m.stop != nil {
		return m.stop(line, stop)
	}
	before, _, _ := strings.Cut(line, stop)
	return before
}

// sort answers a case as one who does not care for its case and spacing.
func (m *model) sort(prompt string) string {
	plain := folded(prompt)
	var best contracts.Case
	longest := -1
	for _, k := range m.contract.Cases {
		if text := inputText(k); strings.Contains(plain, folded(text)) && len(text) > longest {
			best, longest = k, len(text)
		}
	}
	if m.wrongs != nil {
		if w := m.wrongs(best, prompt); w != "" {
			return w
		}
	}
	return right(best)
}

func inputText(k contracts.Case) string {
	text, _ := unquote(field(k.Input, "text"))
	return text
}

var entry = regexp.MustCompile(`Code (\w+) is ([A-Z2-7]+)\.`)

// echo answers a probe from what arrived of it.
func (m *model) echo(r providers.Request, turns []providers.Message, prompt string) string {
	var schema struct{ Properties json.RawMessage }
	if json.Unmarshal(r.Schema, &schema) != nil {
		return ""
	}
	names := memberOrder(schema.Properties)
	if m.schema != nil {
		names = m.schema(names)
	}
	var members []string
	for _, name := range names {
		value, _ := json.Marshal(known(name, turns, prompt))
		members = append(members, fmt.Sprintf("%q:%s", name, value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func known(name string, turns []providers.Message, prompt string) any {
	switch name {
	case "entries":
		return codesIn("entry", prompt)
	case "texts":
		return textsIn(prompt)
	}
	var rules []string
	for _, t := range turns {
		if t.Role == "system" {
			rules = append(rules, codesIn(name, t.Content)...)
		}
	}
	all := codesIn(name, prompt)
	switch {
	case len(rules) > 0:
		return rules[len(rules)-1] // the last system turn is the one in force
	case len(all) > 0:
		return all[0]
	}
	return "unknown"
}

func codesIn(name, text string) []string {
	all := []string{}
	for _, found := range entry.FindAllStringSubmatch(text, -1) {
		if found[1] == name {
			all = append(all, found[2])
		}
	}
	return all
}

var marked = regexp.MustCompile(`Between ([A-Z2-7]+)-(?:N|1)>`)

func textsIn(prompt string) []string {
	all := []string{}
	found := marked.FindStringSubmatch(prompt)
	if found == nil {
		return all
	}
	for n := 1; ; n++ {
		_, rest, ok := strings.Cut(prompt, fmt.Sprintf("%s-%d>", found[1], n))
		text, _, closed := strings.Cut(rest, fmt.Sprintf("<%s-%d", found[1], n))
		if !ok || !closed {
			return all
		}
		all = append(all, text)
	}
}
