package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/openaicompat"
)

// What providers and gateways have been reported to do, by number: the smallest
// payload of each, read as live traffic reads it, and the check that has to find
// it. A number may stand more than once; each from 1 to 48 stands at least once.
// A payload that is a question's answer, and not a case's, goes through a whole
// certify run of a provider that does just that.
type payload struct {
	row   int
	name  string
	want  string // the id of the check, or "infra": nothing is said of the model
	found func(*testing.T) string
}

// leftOut are the rows that a chat completion, not streamed, can't show.
func leftOut() map[int]string {
	return map[int]string{
		36: "parts of a call in a stream, for SSE-04; what comes of merged parts stands under 34",
		37: "a part of a call in a stream without its index, for SSE-04",
		41: "a chunk of a stream without a delta, for SSE-02",
		43: "a stream without its end, for SSE-01; an adapter that is sent one unasked tells it as cut, for ENV-07",
		44: "a stream that goes silent, for SSE-05; the transport's limits are ERR-07's",
	}
}

const ticketsOf = contractHead + `output_schema: |
  {"type":"object","properties":{
    "category":{"type":"string","enum":["billing","bug","account"]},
    "priority":{"type":"integer","minimum":1,"maximum":4},
    "order_id":{"type":["string","null"]}},
   "required":["category","priority","order_id"],"additionalProperties":false}
cases:
  - {id: bug, input: {text: "it crashes"}, expected: {category: bug, priority: 2, order_id: null}}
  - {id: none, input: {text: "I want my money back"}, expected: {category: billing, priority: 2, order_id: null}, tags: [negative]}
`

const goodTicket = `{"category":"bug","priority":2,"order_id":null}`

// answered is what the adapter makes of a whole answer, and the judge of that.
func answered(contract, kase string, status int, body string) func(*testing.T) string {
	return func(t *testing.T) string {
		c := load(t, contract)
		got, err := openaicompat.Replay(status, http.Header{}, []byte(body))
		r := NewJudge(c, "m").Classify(caseNamed(t, c, kase), got, err)
		if r.Infra {
			return "infra"
		}
		return r.Check
	}
}

func body(status int, body string) func(*testing.T) string {
	return answered(ticketsOf, "bug", status, body)
}

func message(finish, text string) string {
	return fmt.Sprintf(`{"model":"m","choices":[{"index":0,"message":%s,"finish_reason":%q}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`, text, finish)
}

func contentBody(finish, content string) string {
	b, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	return message(finish, `{"role":"assistant","content":`+string(b)+`}`)
}

func content(text string) func(*testing.T) string { return body(200, contentBody("stop", text)) }

func negativeCase(text string) func(*testing.T) string {
	return answered(ticketsOf, "none", 200, contentBody("stop", text))
}

func toolAnswer(kase, finish, calls string) func(*testing.T) string {
	return answered(toolContract, kase, 200, message(finish, `{"role":"assistant","content":null,"tool_calls":[`+calls+`]}`))
}

// inRun is the first check that a whole run of a liar fails, or all of them where
// the wanted one is among them.
func inRun(want string, o func(*testing.T) Options) func(*testing.T) string {
	return func(t *testing.T) string {
		all := failed(run(t, o(t)))
		if slices.Contains(all, want) {
			return want
		}
		return strings.Join(all, " ")
	}
}

func liar(want string, m *model) func(*testing.T) string {
	return inRun(want, func(t *testing.T) Options { return deskOptions(t, m, "") })
}

// profiled is the check that refuses a schema for a provider, before any call.
func profiled(profile, member, required string) func(*testing.T) string {
	return func(t *testing.T) string {
		o := options(load(t, contractHead+fmt.Sprintf("output_schema: '{\"type\":\"object\",\"properties\":{\"a\":%s},\"required\":[%s],\"additionalProperties\":false}'\n", member, required)+
			"cases:\n  - {id: one, input: {text: x}}\n"), honest)
		o.Profile, _ = ProfileNamed(profile)
		if askable(o).verdict == contracts.Fail {
			return "LINT-03"
		}
		return ""
	}
}

// refusing is a provider that refuses some requests as an API does.
type refusing struct {
	*model
	when func(providers.Request) bool
	body string
}

func (r refusing) Complete(ctx context.Context, q providers.Request) (contracts.Completion, error) {
	if r.when(q) {
		return openaicompat.Replay(400, http.Header{}, []byte(r.body))
	}
	return r.model.Complete(ctx, q)
}

func payloads() []payload {
	inOrder := func(turns []providers.Message) []providers.Message {
		if len(turns) < 2 {
			return turns
		}
		return []providers.Message{turns[1], turns[0]}
	}
	counting := func(change func(*contracts.Usage)) func(providers.Request, *contracts.Completion) {
		return func(_ providers.Request, c *contracts.Completion) { change(&c.Usage) }
	}
	one := `{"id":"c1","type":"function","function":{"name":"pay","arguments":"{\"to\":\"Ada\",\"cents\":500}"}}`
	return []payload{
		{1, "a schema that is not enforced", "STR-03", content(`{"category":"bug","priority":2,"order_id":null,"sentiment":"angry"}`)},
		{2, "a fence", "STR-01", content("```json\n" + goodTicket + "\n```")},
		{3, "prose behind", "STR-01", content(goodTicket + "\n\nNote: I chose billing.")},
		{4, "two objects", "STR-01", content(goodTicket + "\n" + `{"category":"account","priority":2,"order_id":null}`)},
		{5, "reasoning in the content", "STR-01", content("<think>charged twice…</think>" + goodTicket)},
		{5, "reasoning in a text", "STR-08", content(`{"category":"bug","priority":2,"order_id":"<think>none</think>"}`)},
		{6, "the answer in another field", "ENV-04", body(200, message("stop", `{"content":null,"reasoning_content":"{}"}`))},
		{7, "numbers as texts", "STR-04", content(`{"category":"bug","priority":"2","order_id":null}`)},
		{8, "texts as numbers", "STR-04", content(`{"category":"bug","priority":2,"order_id":4471}`)},
		{9, "a list as a text", "TOOL-03", toolAnswer("one", "tool_calls", `{"id":"c1","function":{"name":"pay","arguments":"{\"to\":\"Ada\",\"cents\":500,\"tags\":\"[\\\"a\\\"]\"}"}}`)},
		{10, "an invented order", "SEM-05", negativeCase(`{"category":"billing","priority":2,"order_id":"12345"}`)},
		{10, "a schema that would force one", "LINT-03", profiled(ProfileOpenAIStrict, `{"type":"string"}`, "")},
		{11, "a missing member", "STR-06", content(`{"category":"bug","priority":2}`)},
		{11, "null where a value was wanted", "STR-06", content(`{"category":null,"priority":2,"order_id":null}`)},
		{12, "the case of a listed word", "STR-07", content(`{"category":"Bug","priority":2,"order_id":null}`)},
		{13, "a keyword that is refused, before the call", "LINT-03", profiled(ProfileAnthropic, `{"type":"integer","minimum":1}`, `"a"`)},
		{13, "a keyword that is refused, by the call", "PAR-01", body(400, `{"error":{"message":"Unknown name \"const\""}}`)},
		{14, "a keyword that is not enforced", "STR-04", answered(contractHead+closedOutput+cases, "refund", 200, contentBody("stop", edit("}", `,"tags":["a","b","c","d"]}`)))},
		{14, "a schema mode that enforces nothing", "PAR-04", liar("PAR-04", &model{loose: true})},
		{15, "a mode that wants a word in the prompt", "PAR-01", body(400, `{"error":{"message":"'messages' must contain the word 'json' in some form"}}`)},
		{16, "a server that refuses its model's answer", "ENV-02", body(400, `{"error":{"message":"Failed to validate JSON","code":"json_validate_failed","failed_generation":"{}"}}`)},
		{17, "a model without schema mode", "PAR-01", body(400, `{"error":{"message":"this model does not support Json Output"}}`)},
		{18, "white space up to the limit", "ENV-07", body(200, contentBody("length", `{"category":"bug",`+strings.Repeat("\n", 500)))},
		{18, "white space inside", "STR-09", content(`{"category":"bug",` + strings.Repeat("\n", 200) + `"priority":2,"order_id":null}`)},
		{19, "an answer that is cut, and says so", "ENV-07", body(200, contentBody("length", `{"category":"bil`))},
		{19, "an answer that is cut, and says nothing", "STR-01", content(`{"category":"bil`)},
		{20, "a budget that thinking has used up", "ENV-07", body(200, message("length", `{"role":"assistant","content":null}`))},
		{21, "a system prompt that is dropped", "REN-02", liar("REN-02", &model{there: func(m []providers.Message) []providers.Message { return m[len(m)-1:] }})},
		{22, "a system role that is refused", "PAR-01", body(400, `{"error":{"message":"Conversation roles must alternate user/assistant"}}`)},
		{22, "turns in another order", "REN-09", liar("REN-09", &model{there: inOrder})},
		{23, "a role that is refused without a word", "PAR-01", body(422, "")},
		{24, "a prompt that a gateway adds", "REN-06", liar("REN-06", &model{back: counting(func(u *contracts.Usage) { u.InputTokens += 5900 })})},
		{25, "a prompt that is cut: its count", "REN-06", liar("REN-06", &model{back: counting(func(u *contracts.Usage) { u.InputTokens = min(u.InputTokens, 205) })})},
		{25, "a prompt that is cut: its text", "REN-07", liar("REN-07", &model{there: each(func(_, text string) string { return text[:min(len(text), 1000)] })})},
		{26, "a beginning that stands twice", "REN-08", inRun("REN-08", func(t *testing.T) Options {
			o := deskOptions(t, &model{}, "")
			o.Provider = showing{model: o.Provider.(*model), change: func(r *providers.Rendering) { r.Tokens = []int{2, 2, 105} }}
			return o
		})},
		{27, "control tokens that become real", "REN-03", liar("REN-03", &model{there: obeying})},
		{28, "members that are sorted", "REN-11", liar("REN-11", &model{schema: func(names []string) []string { return slices.Sorted(slices.Values(names)) }})},
		{29, "a temperature that is refused", "PAR-01", body(400, `{"error":{"message":"invalid temperature: only 1 is allowed for this model"}}`)},
		{30, "a bound on tokens that is refused with every call", "PAR-01", body(400, `{"error":{"message":"Unsupported parameter","param":"max_tokens","code":"unsupported_parameter"}}`)},
		{30, "a bound on tokens that is refused where it is short", "PAR-02", inRun("PAR-02", func(t *testing.T) Options {
			o := deskOptions(t, &model{}, "")
			o.Provider = refusing{o.Provider.(*model), func(r providers.Request) bool { return r.MaxTokens > 0 && r.MaxTokens < 16 },
				`{"error":{"param":"max_tokens","code":"unsupported_parameter"}}`}
			return o
		})},
		{31, "answers that flip", "STA-02", inRun("STA-02", func(t *testing.T) Options {
			return certify(many(t, 20), func(k contracts.Case, asked, _ int) (contracts.Completion, error) {
				return said([]string{right(k), wrong}[asked%2]), nil
			})
		})},
		{32, "a temperature that is ignored", "PAR-05", liar("PAR-05", &model{cold: true})},
		{33, "a stop word that is ignored", "PAR-03", liar("PAR-03", &model{stop: func(line, _ string) string { return line }})},
		{34, "arguments as an object", "TOOL-02", toolAnswer("one", "tool_calls", `{"id":"c1","function":{"name":"pay","arguments":{"to":"Ada","cents":500}}}`)},
		{34, "arguments of two calls in one", "TOOL-02", toolAnswer("two", "tool_calls", `{"id":"c1","function":{"name":"pay","arguments":"{\"to\":\"Ada\",\"cents\":500}{\"to\":\"Bob\",\"cents\":500}"}}`)},
		{35, "calls that end by stop", "TOOL-08", toolAnswer("one", "stop", one)},
		{35, "an unknown finish reason", "ENV-03", body(200, contentBody("eos", goodTicket))},
		{35, "calls that nobody offered", "ENV-03", body(200, contentBody("tool_calls", goodTicket))},
		{35, "a finish reason that is an error", "ENV-03", body(200, `{"model":"m","choices":[{"finish_reason":"error","message":{"content":"{\"ev"}}]}`)},
		{38, "ids of calls that are refused", "TOOL-07", inRun("TOOL-07", func(t *testing.T) Options {
			return clerkOptions(t, &clerk{second: func([]string) (contracts.Completion, error) {
				return openaicompat.Replay(400, http.Header{}, []byte(`{"error":{"message":"Tool call id was call_0 but must be a-z, A-Z, 0-9, with a length of 9."}}`))
			}})
		})},
		{39, "a tool of nobody's", "TOOL-01", toolAnswer("one", "tool_calls", `{"id":"c1","function":{"name":"send_email_v2","arguments":"{}"}}`)},
		{39, "a call where none fits", "TOOL-05", toolAnswer("joke", "tool_calls", `{"id":"c1","function":{"name":"balance","arguments":"{}"}}`)},
		{40, "no counts", "ENV-05", liar("ENV-05", &model{back: counting(func(u *contracts.Usage) { *u = contracts.Usage{} })})},
		{42, "a filter that leaves no content", "ENV-08", body(200, `{"model":"m","choices":[{"finish_reason":"content_filter","message":{"role":"assistant"}}]}`)},
		{42, "a filter that refuses", "ENV-08", body(400, `{"error":{"message":"filtered","code":"content_filter","status":400}}`)},
		{45, "an error inside a success", "ENV-02", body(200, `{"error":{"code":429,"message":"Rate limit"}}`)},
		{46, "a refusal by rate that speaks of quota", "infra", body(429, `{"status":429,"error":"INSUFFICIENT QUOTA"}`)},
		{46, "an account without money", "infra", body(429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`)},
		{47, "another model", "ENV-06", body(200, strings.Replace(contentBody("stop", goodTicket), `"model":"m"`, `"model":"other/model"`, 1))},
		{47, "a model that nobody has", "ERR-02", inRun("ERR-02", func(t *testing.T) Options {
			o := deskOptions(t, &model{}, "")
			o.Variant = func(k Kind) providers.Provider {
				if k == WrongModel {
					return o.Provider
				}
				return nil
			}
			return o
		})},
		{48, "an escape that was escaped", "STR-08", content(`{"category":"bug","priority":2,"order_id":"\\u7ed3"}`)},
		{48, "a character that was lost", "STR-08", content(`{"category":"bug","priority":2,"order_id":"` + "\ufffd" + `"}`)},
		{48, "a character that is lost on the way", "REN-05", liar("REN-05", &model{there: replacing("\u200d", "")})},
	}
}

func TestEveryReportedDeviationIsFoundByItsCheck(t *testing.T) {
	rows, left := map[int]bool{}, leftOut()
	for _, p := range payloads() {
		rows[p.row] = true
		t.Run(fmt.Sprintf("%02d %s", p.row, p.name), func(t *testing.T) {
			if got := p.found(t); got != p.want {
				t.Errorf("found by %q, want %s", got, p.want)
			}
		})
	}
	for n := 1; n <= 48; n++ {
		if rows[n] == (left[n] != "") {
			t.Errorf("row %d: a payload %v, left out because %q", n, rows[n], left[n])
		}
	}
}

// What is found above is not found in the answer that is right.
func TestTheRightAnswerOfTheTableIsFoundByNothing(t *testing.T) {
	for name, found := range map[string]func(*testing.T) string{
		"text":        content(goodTicket),
		"a negative":  negativeCase(`{"category":"billing","priority":2,"order_id":null}`),
		"a call":      toolAnswer("one", "tool_calls", `{"id":"c1","type":"function","function":{"name":"pay","arguments":"{\"to\":\"Ada\",\"cents\":500}"}}`),
		"a schema":    profiled(ProfileOpenAIStrict, `{"type":["string","null"]}`, `"a"`),
		"a whole run": inRun("", func(t *testing.T) Options { return deskOptions(t, &model{}, "") }),
	} {
		if got := found(t); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}
