package gemini

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/providers"
)

// request is a call of generateContent (ai.google.dev/api/generate-content).
type request struct {
	System     *content    `json:"systemInstruction,omitzero"`
	Contents   []content   `json:"contents"`
	Tools      []tool      `json:"tools,omitzero"`
	ToolConfig *toolConfig `json:"toolConfig,omitzero"`
	Generation generation  `json:"generationConfig,omitzero"`
}

type content struct {
	Role  string `json:"role,omitzero"`
	Parts []part `json:"parts"`
}

// part is a text, an image, a call or the result of one.
type part struct {
	Text      *string           `json:"text,omitzero"`
	Inline    *inline           `json:"inlineData,omitzero"`
	File      *file             `json:"fileData,omitzero"`
	Call      *functionCall     `json:"functionCall,omitzero"`
	Result    *functionResponse `json:"functionResponse,omitzero"`
	Signature string            `json:"thoughtSignature,omitzero"`
}

type inline struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
}

type file struct {
	MimeType string `json:"mimeType"`
	URI      string `json:"fileUri"`
}

// functionCall has an id so that its result finds it, also where a tool is
// called twice in a turn. It is ours where the API gave none.
type functionCall struct {
	ID   string         `json:"id,omitzero"`
	Name string         `json:"name"`
	Args jsontext.Value `json:"args"`
}

type functionResponse struct {
	ID       string   `json:"id,omitzero"`
	Name     string   `json:"name"`
	Response response `json:"response"`
}

// response is an object of our choice; "output" is the member that the API
// takes for the result (FunctionResponse.response in ai.google.dev/api/caching).
type response struct {
	Output string `json:"output"`
}

type generation struct {
	Temperature    *float64       `json:"temperature,omitzero"`
	TopP           *float64       `json:"topP,omitzero"`
	Seed           *int64         `json:"seed,omitzero"`
	MaxTokens      int            `json:"maxOutputTokens,omitzero"`
	Stop           []string       `json:"stopSequences,omitzero"`
	MimeType       string         `json:"responseMimeType,omitzero"`
	ResponseSchema jsontext.Value `json:"responseJsonSchema,omitzero"`
}

func body(r providers.Request) ([]byte, error) {
	q, err := toRequest(r)
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(q)
	if err != nil { // a text that is not UTF-8, a schema that is not JSON
		return nil, &providers.Unsupported{Part: "request", Reason: "it holds what JSON has no form for"}
	}
	return b, nil
}

// toRequest says r in the API's words, or names what it has no words for. The
// schema goes as responseJsonSchema, which takes JSON Schema as it stands and
// ignores what it does not know; responseSchema is OpenAPI's Schema object, in
// which a contract's schema would have to be written anew
// (ai.google.dev/gemini-api/docs/structured-output).
func toRequest(r providers.Request) (request, error) {
	if err := checkSampling(r); err != nil {
		return request{}, err
	}
	q := request{Generation: generation{Temperature: r.Temperature, TopP: r.TopP, Seed: r.Seed, MaxTokens: r.MaxTokens, Stop: r.Stop}}
	if r.Schema != nil {
		schema := jsontext.Value(r.Schema)
		if !schema.IsValid() || schema.Kind() != '{' {
			return request{}, no("schema", "it is not a JSON Schema that is an object")
		}
		if mixesRef(r.Schema) {
			return request{}, no("schema/$ref", "this API takes no other keyword beside it")
		}
		q.Generation.MimeType, q.Generation.ResponseSchema = "application/json", schema
	}
	if err := q.converse(r); err != nil {
		return request{}, err
	}
	return q, q.offer(r)
}

// mixesRef finds a reference with other keywords beside it: "no other
// properties, except for those starting as a $, may be set"
// (GenerationConfig.responseJsonSchema).
func mixesRef(schema []byte) bool {
	var v any
	return json.Unmarshal(schema, &v) == nil && mixed(v)
}

func mixed(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, mixed)
	case map[string]any:
		_, ref := v["$ref"].(string) // a property of that name is a schema, not a text
		for name, inner := range v {
			if ref && !strings.HasPrefix(name, "$") || mixed(inner) {
				return true
			}
		}
	}
	return false
}

const maxStops = 5 // GenerationConfig.stopSequences: "up to 5"

// checkSampling keeps to the ranges of GenerationConfig
// (ai.google.dev/api/generate-content#generationconfig).
func checkSampling(r providers.Request) error {
	switch {
	case r.Seed != nil && (*r.Seed < math.MinInt32 || *r.Seed > math.MaxInt32):
		return no("seed", "this API takes 32 bits")
	case r.Temperature != nil && !(*r.Temperature >= 0 && *r.Temperature <= 2):
		return no("temperature", "this API takes 0 to 2")
	case r.TopP != nil && !(*r.TopP >= 0 && *r.TopP <= 1):
		return no("top_p", "this API takes 0 to 1")
	case len(r.Stop) > maxStops:
		return no("stop", fmt.Sprintf("this API takes %d texts at most", maxStops))
	}
	if i := slices.Index(r.Stop, ""); i >= 0 {
		return no(fmt.Sprintf("stop[%d]", i), "it is empty")
	}
	return nil
}

func no(part, reason string) error { return &providers.Unsupported{Part: part, Reason: reason} }
