package openaicompat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"inferonce/providers/transport"
)

// Profile says, as data, where a server departs from OpenAI's chat completions:
// what it takes, how it calls things, and how it words its failures. What it
// says a server can't take is refused before a call, never left out.
type Profile struct {
	Name string
	// Page is where the lines below come from; Sources names the page of a line
	// that comes from elsewhere, by the field's name. Unverified lists the lines
	// that are believed and could not be read in a provider's own documentation.
	Page       string
	Sources    map[string]string
	Unverified []string

	KeyHeader  string // the header that carries the key; "": Authorization, as a bearer
	Deployment bool   // with an api-version, the model stands in the path

	TokenCap    string   // member for the limit of the answer: capOld, capNew, or capByModel
	MaxHeat     float64  // highest temperature; 0: not known
	FixedHeat   []string // families of models that take temperature and top_p at 1 only
	TopP        bool
	Seed        string   // member for the seed; "": none is taken
	MaxStops    int      // stop texts at most; 0: none, -1: not known
	NoStops     []string // families of models that take none
	Parallel    bool     // parallel_tool_calls is taken and obeyed
	ToolChoices []string // of auto, required, none, named
	ToolIDs     string   // rule for ids of tool calls: idsFree or idsNine
	Schemas     string   // how the schema of an answer is asked for: schemaFormat, schemaInstruct; "": not at all
	ImageURLs   bool
	ImageData   bool
	ImageTypes  []string // of data
	ImageDetail bool

	// Finish translates words of finish_reason that differ to OpenAI's; a word that
	// stands in neither is kept, and an answer under it is judged by its content.
	Finish map[string]string
	// Rows are failures in this provider's own words, tried before the general table.
	Rows transport.Table
}

const (
	capOld     = "max_tokens"
	capNew     = "max_completion_tokens"
	capByModel = "by_model" // capNew for a family that reasons, capOld otherwise

	idsFree = ""
	idsNine = "nine" // nine letters or digits

	schemaFormat   = "response_format" // as response_format json_schema, strict
	schemaInstruct = "instruction"     // as response_format json_object, with the schema in a system turn

	// finishBusy stands for an answer that the provider broke off for want of resources.
	finishBusy = "overloaded"
)

// Digest names the profile's content: a record that was earned under one
// digest says nothing about another.
func (p Profile) Digest() string {
	b, err := json.Marshal(p) // maps are written in order
	if err != nil {
		panic(err) // a Profile has nothing that JSON can't say
	}
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// ProfileNamed returns the profile of that name. The error names the known ones.
func ProfileNamed(name string) (Profile, error) {
	all := profiles()
	if p, ok := all[name]; ok {
		return p, nil
	}
	return Profile{}, fmt.Errorf("openaicompat: no profile %q; known here: %s", name, strings.Join(slices.Sorted(maps.Keys(all)), ", "))
}

// family tells a model by the beginning of its name, also behind the name of
// its maker ("openai/o3-mini").
func family(model string, families []string) bool {
	_, bare, ok := strings.Cut(model, "/")
	if !ok {
		bare = model
	}
	return slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(bare, f) })
}

// reasoning are OpenAI's families that take max_completion_tokens and refuse
// max_tokens (platform.openai.com/docs/api-reference/chat/create).
func reasoning() []string { return []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} }

func (p Profile) tokenCap(model string) string {
	if p.TokenCap != capByModel {
		return p.TokenCap
	}
	if family(model, reasoning()) {
		return capNew
	}
	return capOld
}
