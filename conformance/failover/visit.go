package failover

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"inferonce/contracts"
)

// visit is a gateway as one story sees it: one intent, and what is counted.
type visit struct {
	*stage
	g    *Gateway
	api  client
	ref  string
	sent int
}

func (s gatewayStory) tell(v *visit) {
	v.ref = v.names.next()
	perform(v.stage, func() {
		for _, p := range v.g.Providers {
			v.Faults(p)
		}
		s.run(v)
	}, v.judge, func(ctx context.Context) { v.calmDown(ctx, v.g.Providers...) })
}

// judge counts, when all calls are over.
func (v *visit) judge() {
	ran := v.Ended(v.ref)
	v.result.Ledger = ran
	v.result.Count = countOf(ran, v.sent)
	v.Check(len(ran) > 0, "the ledger knows the intent (if not, the gateway's providers are others than %s)", strings.Join(v.g.Providers, ", "))
	v.Check(v.result.Count.Usable <= 1, "no usable answer was made twice: %s", v.result.Count.Paid)
}

// ask is the intent as any OpenAI client words it, under one idempotency key.
func (v *visit) ask() request {
	body := fmt.Appendf(nil, `{"model":%q,"messages":[{"role":"user","content":"Which team? My card has not arrived. [ref:%s]"}],`+
		`"response_format":{"type":"json_schema","json_schema":{"name":"ticket","strict":true,"schema":{"type":"object","properties":`+
		`{"category":{"type":"string","enum":["card","payment"]},"urgent":{"type":"boolean"}},"required":["category","urgent"],"additionalProperties":false}}}}`,
		v.g.Model, v.ref)
	return request{method: http.MethodPost, path: "/chat/completions", body: body, header: http.Header{"Idempotency-Key": {v.ref}}}
}

// send asks once and waits for whatever comes.
func (v *visit) send() Answer {
	ctx, cancel := v.wait()
	defer cancel()
	v.sent++
	a := v.api.do(ctx, v.ask())
	v.note("POST /chat/completions: %s", a.line())
	return a
}

// fits says whether a chat completion holds what its request asked for.
func (a *Answer) fits() bool {
	var reply struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if json.Unmarshal(a.Body, &reply) != nil || len(reply.Choices) == 0 {
		return false
	}
	output, failure := contracts.ParseOutput(reply.Choices[0].Message.Content)
	if failure != nil {
		return false
	}
	var ticket struct {
		Category string `json:"category"`
		Urgent   *bool  `json:"urgent"`
	}
	return json.Unmarshal(output, &ticket) == nil && (ticket.Category == "card" || ticket.Category == "payment") && ticket.Urgent != nil
}
