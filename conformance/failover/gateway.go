package failover

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"inferonce/providers/sim"
)

// Gateway is any gateway that speaks OpenAI's chat completions and has
// simulated providers behind it.
type Gateway struct {
	BaseURL string // with /v1, as an OpenAI client takes it
	Key     string
	Model   string // the name that the gateway routes to the providers

	SimURL    string // as in Deployment
	SimListen string
	// Providers are the simulated providers in the order in which the gateway
	// uses them; empty: sim-a, sim-b.
	Providers []string
}

// Count is how often a gateway had one intent executed, and so paid for.
type Count struct {
	Sent       int            `json:"sent"` // requests of ours, all with one key
	Calls      int            `json:"calls"`
	Executions int            `json:"executions"`
	Usable     int            `json:"usable"` // executions that made an answer of use
	ByProvider map[string]int `json:"by_provider"`
	Paid       string         `json:"paid"` // "paid once", "paid twice", …
}

func countOf(ran []sim.Execution, sent int) *Count {
	c := &Count{Sent: sent, Calls: len(ran), Executions: executed(ran), ByProvider: map[string]int{},
		Usable: count(ran, func(e sim.Execution) bool { return e.Executed && e.Usable })}
	for _, e := range ran {
		if e.Executed {
			c.ByProvider[e.Provider]++
		}
	}
	switch c.Executions {
	case 0:
		c.Paid = "paid nothing"
	case 1:
		c.Paid = "paid once"
	case 2:
		c.Paid = "paid twice"
	default:
		c.Paid = fmt.Sprintf("paid %d times", c.Executions)
	}
	return c
}

func (g *Gateway) complete() error {
	switch {
	case g.BaseURL == "" || g.Model == "":
		return errors.New("failover: give the gateway's address and a model")
	case g.SimURL == "" && g.SimListen == "":
		return errors.New("failover: give the simulator's address, or one to serve it on")
	}
	if len(g.Providers) == 0 {
		g.Providers = []string{"sim-a", "sim-b"}
	}
	return nil
}

// Compare tells a gateway the stories that make sense for any of them. A story
// passes if its intent was executed no more often than one good answer takes;
// the counts stand in the results, to be set side by side.
func Compare(ctx context.Context, g Gateway, o Options) (Summary, error) {
	sum := Summary{Target: g.BaseURL, Started: time.Now().UTC()}
	if err := g.complete(); err != nil {
		return sum, err
	}
	h := newHTTP()
	defer h.CloseIdleConnections()
	c, stop, err := simulator(g.SimURL, g.SimListen, h)
	if err != nil {
		return sum, err
	}
	defer stop()
	restore, err := calm(ctx, c, g.Providers)
	if err != nil {
		return sum, err
	}
	defer restore(context.WithoutCancel(ctx))
	names := newNamer()
	for _, s := range gatewayStories() {
		if !o.wants(s.id) {
			continue
		}
		res := Result{ID: s.id, Title: s.title, Proves: []string{"R28"}, Asks: s.asks, Verdict: NotRun, Reason: "the run was ended before"}
		if ctx.Err() == nil {
			s.tell(&visit{g: &g, api: client{h, strings.TrimSuffix(strings.TrimRight(g.BaseURL, "/"), "/v1"), g.Key},
				stage: &stage{ctx: ctx, patience: o.patience(), sim: c, names: names, result: &res}})
		}
		sum.add(res)
		o.told(res)
	}
	return sum, nil
}

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
	return request{method: http.MethodPost, path: "/v1/chat/completions", body: body, header: http.Header{"Idempotency-Key": {v.ref}}}
}

// send asks once and waits for whatever comes.
func (v *visit) send() Answer {
	ctx, cancel := v.wait()
	defer cancel()
	v.sent++
	a := v.api.do(ctx, v.ask())
	v.note("POST /v1/chat/completions: %s", a.line())
	return a
}
