package conformance

// SchemaProfile is the part of JSON Schema that a provider's schema mode
// understands, as data. The zero profile takes every schema and enforces
// nothing of it.
type SchemaProfile struct {
	Name string
	// Enforced are the keywords that the provider makes an answer keep.
	Enforced []string
	// Formats are the values of format that it makes an answer keep; nil: all, if
	// format is enforced at all.
	Formats []string
	// Refused are the keywords for which it refuses the whole request.
	Refused []string
	// AllRequired says that every property has to be required: what a contract
	// leaves optional, the provider would force out of the model.
	AllRequired bool
	// Closed says that every object has to forbid other members.
	Closed bool
	// ObjectRoot says that the root is an object, and no alternative.
	ObjectRoot bool
	// Straight says that no schema may lead back to itself.
	Straight bool
	// FewItems says that minItems is 0 or 1.
	FewItems    bool
	MaxDepth    int // of objects in objects; 0: no bound
	MaxMembers  int // of all properties together; 0: no bound
	MaxOptional int // of properties that may be missing; 0: no bound
	MaxUnions   int // of places with anyOf or several types; 0: no bound
	MaxValues   int // of all enums together; 0: no bound
	MaxText     int // characters of all names and listed values together; 0: no bound
}

// The names of the profiles, as a configuration has them.
const (
	ProfileNone         = "none"
	ProfileOpenAIStrict = "openai_strict"
	ProfileAnthropic    = "anthropic"
	ProfileGemini       = "gemini"
)

// ProfileNamed returns a profile by its name; false for a name of nobody's. ""
// is ProfileNone.
func ProfileNamed(name string) (SchemaProfile, bool) {
	switch name {
	case "", ProfileNone:
		return SchemaProfile{Name: ProfileNone}, true
	case ProfileOpenAIStrict:
		return OpenAIStrict(), true
	case ProfileAnthropic:
		return Anthropic(), true
	case ProfileGemini:
		return Gemini(), true
	}
	return SchemaProfile{}, false
}

// OpenAIStrict is what OpenAI documents of "strict": true
// (developers.openai.com/api/docs/guides/structured-outputs, "Supported
// schemas"). The page lists what is supported and what is not; minLength and
// maxLength are in neither list, so nobody can rely on them. oneOf and default
// are not in its second list either, but requests with them are refused as "not
// permitted" (openai/openai-agents-python#474, 567-labs/instructor#1074).
// patternProperties would ask for members that are not named, and only named
// ones are generated. Left out: the bound on a single enum of over 250 values.
func OpenAIStrict() SchemaProfile {
	return SchemaProfile{
		Name: ProfileOpenAIStrict,
		Enforced: []string{"$ref", "$defs", "type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf",
			"pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"},
		Formats:     []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
		Refused:     []string{"allOf", "oneOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else", "patternProperties", "default"},
		AllRequired: true, Closed: true, ObjectRoot: true, MaxDepth: 10, MaxMembers: 5000, MaxValues: 1000, MaxText: 120_000,
	}
}

// Anthropic is what Anthropic documents of structured outputs
// (platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON
// Schema limitations" and "Schema complexity limits"): an unsupported feature
// gets the request refused with 400. The page names the constraints on numbers
// and arrays by example only; the whole of each family is listed here.
func Anthropic() SchemaProfile {
	return SchemaProfile{
		Name: ProfileAnthropic,
		Enforced: []string{"$ref", "$defs", "definitions", "type", "properties", "required", "additionalProperties", "items", "enum", "const",
			"anyOf", "allOf", "pattern", "format", "minItems"},
		Formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
		Refused: []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
			"maxItems", "uniqueItems", "contains"},
		Closed: true, Straight: true, FewItems: true, MaxOptional: 24, MaxUnions: 16,
	}
}

// Gemini is what Google documents of generationConfig.responseJsonSchema
// (ai.google.dev/api/generate-content#generationconfig). Only the keywords
// listed there are supported; the others are not said to be refused. oneOf is
// read as anyOf, so that only we enforce its "exactly one". A schema that leads
// back to itself is unrolled to a limited degree, and not under a required
// member: no bound can be relied on.
func Gemini() SchemaProfile {
	return SchemaProfile{
		Name: ProfileGemini,
		Enforced: []string{"$ref", "$defs", "type", "properties", "required", "additionalProperties", "items", "prefixItems", "enum", "anyOf",
			"format", "minItems", "maxItems", "minimum", "maximum"},
		Formats:  []string{"date-time", "date", "time"},
		Straight: true,
	}
}

// CallProfile is how a provider's answers with calls differ from what OpenAI
// documents, as data. The zero profile differs in nothing.
type CallProfile struct {
	// UnderStop says that an answer with calls may end by "stop"
	// (sgl-project/sglang#2877 is a report of such a server).
	UnderStop bool
}
