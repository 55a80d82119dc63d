package gemini

import (
	"fmt"
	"math"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"inferonce/contracts"
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

func (q *request) converse(r providers.Request) error {
	c, err := providers.Converse(r.Messages)
	if err != nil {
		return err
	}
	if len(c.System) > 0 {
		q.System = &content{}
	}
	for _, s := range c.System {
		q.System.Parts = append(q.System.Parts, part{Text: &s})
	}
	for _, t := range c.Turns {
		out := content{Role: "user"}
		if t.Model {
			out.Role = "model"
		}
		for _, s := range t.Said {
			parts, err := toParts(s)
			if err != nil {
				return err
			}
			out.Parts = append(out.Parts, parts...)
		}
		if signs(r.Model) {
			sign(out.Parts)
		}
		q.Contents = append(q.Contents, out)
	}
	return nil
}

func toParts(s providers.Said) (out []part, err error) {
	m := s.Message
	if m.Role == "tool" {
		return []part{{Result: &functionResponse{m.ToolCallID, s.ToolName, response{m.Content}}}}, nil
	}
	if m.Content != "" || len(m.Parts)+len(m.ToolCalls) == 0 {
		out = append(out, part{Text: &m.Content})
	}
	for i, p := range m.Parts {
		one, err := toPart(fmt.Sprintf("%s.parts[%d].image", s.Part, i), p)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	for i, t := range m.ToolCalls {
		args := jsontext.Value(t.Arguments)
		if strings.TrimSpace(t.Arguments) == "" {
			args = jsontext.Value("{}")
		}
		if !args.IsValid() || args.Kind() != '{' {
			return nil, no(fmt.Sprintf("%s.tool_calls[%d].arguments", s.Part, i), "this API takes arguments that are a JSON object")
		}
		out = append(out, part{Call: &functionCall{t.ID, t.Name, args}})
	}
	return out, nil
}

// mediaTypes are the images that the API reads and that we name
// (ai.google.dev/gemini-api/docs/image-understanding); GIF is not among them.
var mediaTypes = []string{"image/png", "image/jpeg", "image/webp"}

func toPart(at string, p providers.Part) (part, error) {
	i := p.Image
	switch {
	case i == nil:
		return part{Text: &p.Text}, nil
	case i.Detail != "" && i.Detail != "auto":
		return part{}, no(at+".detail", "this API sets the detail for all images of a request, not for one")
	case i.URL != "" && !strings.HasPrefix(i.URL, "https://"):
		return part{}, no(at+".url", "this API fetches https addresses only")
	case i.URL != "":
		return fetched(at, i.URL)
	case !slices.Contains(mediaTypes, i.MediaType):
		return part{}, no(at+".media_type", "this API reads "+strings.Join(mediaTypes, ", "))
	}
	return part{Inline: &inline{i.MediaType, i.Data}}, nil
}

// Models from Gemini 3 on answer 400 to a turn whose first call has no
// signature of its thoughts. A request carries none, so that it says what the
// documentation gives for turns that the model did not write itself
// (ai.google.dev/gemini-api/docs/thought-signatures).
const foreignTurn = "skip_thought_signature_validator"

func signs(model string) bool {
	model = strings.TrimPrefix(model, "models/")
	return strings.HasPrefix(model, "gemini-") && !strings.HasPrefix(model, "gemini-1") && !strings.HasPrefix(model, "gemini-2")
}

func sign(all []part) {
	for i := range all {
		if all[i].Call != nil {
			all[i].Signature = foreignTurn
			return
		}
	}
}

// fetched is an image that the API gets by itself. It wants to be told the type
// (ai.google.dev/gemini-api/docs/file-input-methods, "always provide"), which we
// know from the address alone, since nothing is fetched here.
func fetched(at, address string) (part, error) {
	u, err := url.Parse(address)
	if err != nil {
		return part{}, no(at+".url", "it is no address")
	}
	kind := map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}[strings.ToLower(path.Ext(u.Path))]
	if kind == "" {
		return part{}, no(at+".url", "this API wants the type of an image, which only an address that ends in .png, .jpg, .jpeg or .webp tells")
	}
	return part{File: &file{kind, address}}, nil
}

type tool struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parametersJsonSchema"`
}

type toolConfig struct {
	Calling calling `json:"functionCallingConfig"`
}

type calling struct {
	Mode    string   `json:"mode"`
	Allowed []string `json:"allowedFunctionNames,omitzero"`
}

// offer adds the tools. There is no switch for parallel calls
// (ai.google.dev/gemini-api/docs/function-calling).
func (q *request) offer(r providers.Request) error {
	if len(r.Tools) == 0 {
		return nil
	}
	if r.ParallelTools != nil && !*r.ParallelTools {
		return no("parallel_tools", "this API can't forbid several calls in one answer")
	}
	var all []function
	for i, t := range r.Tools {
		at, schema := fmt.Sprintf("tools[%d]", i), jsontext.Value(t.Parameters)
		switch {
		case !validName(t.Name):
			return no(at+".name", "this API takes a letter or _ and then up to 63 letters, digits, _, ., : and -")
		case !schema.IsValid() || schema.Kind() != '{':
			return no(at+".parameters", "this API takes a JSON Schema that is an object")
		}
		all = append(all, function{t.Name, t.Description, schema})
	}
	q.Tools = []tool{{all}}
	return q.choose(r)
}

func (q *request) choose(r providers.Request) error {
	c := calling{}
	switch r.ToolChoice {
	case "", contracts.ToolAuto:
		c.Mode = "AUTO"
	case contracts.ToolRequired:
		c.Mode = "ANY"
	case providers.ToolNamed:
		c = calling{"ANY", []string{r.ToolName}}
	case providers.ToolNone:
		c.Mode = "NONE"
	default:
		return no("tool_choice", "this API knows no such choice")
	}
	q.ToolConfig = &toolConfig{c}
	return nil
}

// validName keeps to FunctionDeclaration.name (ai.google.dev/api/caching#FunctionDeclaration).
func validName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789.:-", r)) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// callsBefore counts the calls of earlier turns, so that the names that we give
// to new ones occur once in a conversation.
func callsBefore(r providers.Request) (n int) {
	for _, m := range r.Messages {
		n += len(m.ToolCalls)
	}
	return n
}
