package failover

import (
	"context"
	"errors"
	"fmt"
	"time"

	"inferonce/providers/sim"
)

// Gateway is any gateway that speaks OpenAI's chat completions and has
// simulated providers behind it.
type Gateway struct {
	BaseURL string // as an OpenAI client takes it, such as "http://127.0.0.1:4000/v1"
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
			s.tell(&visit{g: &g, api: client{h, g.BaseURL, g.Key},
				stage: &stage{ctx: ctx, patience: o.patience(), sim: c, names: names, result: &res}})
		}
		sum.add(res)
		o.told(res)
	}
	return sum, nil
}
