package failover

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"inferonce/contracts"
	"inferonce/providers/sim"
)

// flaw is one thing that a broken fake does wrong.
type flaw string

// fake is a router in memory, right in all that the stories ask for but for its
// flaw. It has no clock of its own: it knows from the simulator itself that a
// call will be silent.
type fake struct {
	t       *testing.T
	flaw    flaw
	sim     *sim.Server
	simURL  string
	catalog *contracts.Catalog
	main    *httptest.Server
	other   *httptest.Server

	mu       sync.Mutex
	storeUp  chan struct{} // closed while the store answers
	life     context.Context
	crash    context.CancelFunc
	down     bool
	jobs     map[string]*record
	keys     map[string]*record // by owner and key
	standing map[string]*stand  // of sim-b, by contract
	audit    []string
}

type stand struct {
	version int64
	on      bool
}

// record is a job with what its face does not show.
type record struct {
	Job
	owner, key  string
	fingerprint string
	input       json.RawMessage
	contract    *contracts.Contract
	read        map[int]int64 // the version that each attempt read
	tooSoon     bool          // the first settlement as not executed was put off
	changed     chan struct{} // closed and made anew at every change
}

const (
	ownKey   = "own"
	otherKey = "other"
)

func newFake(t *testing.T, broken flaw) *fake {
	s := sim.New(sim.Options{})
	simulator := httptest.NewServer(s)
	t.Cleanup(simulator.Close)
	t.Cleanup(s.Close)
	up := make(chan struct{})
	close(up)
	f := &fake{t: t, flaw: broken, sim: s, simURL: simulator.URL, catalog: sampleContracts(t), storeUp: up,
		jobs: map[string]*record{}, keys: map[string]*record{}, standing: map[string]*stand{}}
	for _, c := range f.catalog.Refs() {
		f.standing[c] = &stand{1, true}
	}
	f.life, f.crash = context.WithCancel(context.Background())
	t.Cleanup(func() { f.crash() })
	f.main = httptest.NewServer(f)
	t.Cleanup(f.main.Close)
	return f
}

// sampleContracts are the built-in ones, and one more whose primary is dead.
func sampleContracts(t *testing.T) *contracts.Catalog {
	fsys := fstest.MapFS{}
	for _, name := range []string{"ticket-triage.yaml", "ticket-notify.yaml", "ticket-race.yaml", "cases/ticket-triage.jsonl"} {
		b, err := os.ReadFile("../../configs/contracts/" + name)
		if err != nil {
			t.Fatal(err)
		}
		fsys["c/"+name] = &fstest.MapFile{Data: b}
	}
	dead := strings.Replace(string(fsys["c/ticket-triage.yaml"].Data), "name: ticket-triage", "name: ticket-refused", 1)
	fsys["c/ticket-refused.yaml"] = &fstest.MapFile{Data: []byte(dead)}
	c, err := contracts.LoadDir(fsys, "c")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// deployment is the fake with everything that it can lend.
func (f *fake) deployment() Deployment {
	return Deployment{
		BaseURL: f.main.URL, Key: ownKey, OtherKey: otherKey, SimURL: f.simURL,
		Primary: Target{Name: "sim-a"}, Fallback: Target{Name: "sim-b"},
		Hold: Tickets("ticket-triage"), External: Tickets("ticket-notify"), Race: Tickets("ticket-race"), Refused: Tickets("ticket-refused"),
		Killer: f, Store: f, Second: f,
	}
}
