package failover

import (
	"context"
	"encoding/json"

	"inferonce/contracts"
)

// Deployment is the router under test and what may be done with it. BaseURL,
// Key, the simulator, both targets and Hold are required.
type Deployment struct {
	BaseURL string // such as "http://127.0.0.1:8787", without /v1
	Key     string // an API key with all scopes
	// OtherKey is the API key of another owner; "" if there is none.
	OtherKey string

	// SimURL is where the simulator runs, without /sim. If it is "", the harness
	// serves one on SimListen ("127.0.0.1:9797") for as long as it runs.
	SimURL    string
	SimListen string

	Primary  Target
	Fallback Target

	Hold     Contract // effects none, on_unknown hold
	External Contract // effects external
	Race     Contract // effects none, on_unknown race_after
	// Refused is routed to a primary where nothing listens, with Fallback after it.
	Refused Contract

	Prover Prover      // proves a fallback that is not eligible yet
	Killer Killer      // crashes the router
	Store  StoreSwitch // takes the store away
	Second Second      // runs another router on the same store
}

// Target is one of the router's targets and the name under which the
// simulator plays its provider.
type Target struct {
	Name     string // as in the router's routes
	Provider string // as in /sim/{provider}; "": the same as Name
}

func (t Target) provider() string {
	if t.Provider == "" {
		return t.Name
	}
	return t.Provider
}

// Contract is one that the deployment routes to both targets. The zero value
// stands for none.
type Contract struct {
	Name string
	// Input is a valid input that is another one for each ref, and brings the
	// text "[ref:<ref>]" into the prompt: the ledger knows calls by it.
	Input func(ref string) json.RawMessage
	// Outputs are two valid outputs that differ.
	Outputs [2]json.RawMessage
	// Invalid is an input that breaks the input schema.
	Invalid json.RawMessage
}

func (c Contract) given() bool { return c.Name != "" }

// Tickets is the sample contract of that name; all of them sort tickets.
func Tickets(name string) Contract {
	return Contract{
		Name: name,
		Input: func(ref string) json.RawMessage {
			return json.RawMessage(`{"text":"My card has not arrived. [ref:` + ref + `]"}`)
		},
		Outputs: [2]json.RawMessage{
			json.RawMessage(`{"category":"card","urgent":false}`),
			json.RawMessage(`{"category":"payment","urgent":true}`),
		},
		Invalid: json.RawMessage(`{"text":7}`),
	}
}

// Prover runs conformance of a contract on a target. The harness hands the
// report in; it asks only for pairs that are not eligible.
type Prover interface {
	Prove(ctx context.Context, target, contract string) (contracts.Report, error)
}

// Killer crashes the router at BaseURL as kill -9 does, and starts it again
// there on the same store. Both return when it is done; the harness itself
// waits until the router is ready.
type Killer interface {
	Kill(ctx context.Context) error
	Start(ctx context.Context) error
}

// StoreSwitch makes the store unreachable without losing what it has
// acknowledged, and reachable again.
type StoreSwitch interface {
	StopStore(ctx context.Context) error
	StartStore(ctx context.Context) error
}

// Second runs another router on the store of the first.
type Second interface {
	StartSecond(ctx context.Context) (baseURL string, err error)
	StopSecond(ctx context.Context) error
}
