package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"

	"inferonce/configs"
	"inferonce/conformance"
	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
	"inferonce/providers/openaicompat"
	"inferonce/providers/sim"
	"inferonce/router"
	"inferonce/router/httpapi"
)

// world is a router as a user meets it: its API on a loopback address, over an
// embedded store and two simulated providers. sim-b has proved itself.
type world struct {
	url string
	key string // of owner acme, for making jobs only
	sim *sim.Server

	provider simFlags
	stop     []func() // called last to first
}

const suiteVersion = conformance.SuiteVersion

func newWorld(provider simFlags) (*world, error) {
	w := &world{provider: provider}
	if err := w.build(); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *world) build() error {
	embedded := jobstore.NewEmbedded()
	w.stop = append(w.stop, embedded.Close)
	store, err := jobstore.Open(context.Background(), embedded.Options())
	if err != nil {
		return err
	}
	w.stop = append(w.stop, func() { _ = store.Close() })
	if w.sim, err = w.provider.server(); err != nil {
		return err
	}
	server := httptest.NewUnstartedServer(nil)
	w.url = "http://" + server.Listener.Addr().String()
	catalog, err := loadCatalog("")
	if err != nil {
		return err
	}
	r, err := w.router(store, catalog)
	if err != nil {
		return err
	}
	credentials, err := w.credentials()
	if err != nil {
		return err
	}
	server.Config = httpapi.Server(httpapi.New(httpapi.Options{Router: r, Auth: newAuthenticator(credentials), Version: "test",
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Mounts: map[string]http.Handler{"/sim": w.sim}}))
	server.Start()
	// The simulator ends its calls first: the router and the server wait for them.
	w.stop = append(w.stop, server.Close, w.sim.Close)
	return prove(r, catalog)
}

func (w *world) router(store *jobstore.Store, catalog *contracts.Catalog) (*router.Router, error) {
	c := router.Config{Store: store, Contracts: catalog, Name: "router-1", SuiteVersion: suiteVersion,
		Providers: map[string]providers.Provider{}, Targets: map[string]providers.Target{}}
	for _, name := range []string{"sim-a", "sim-b"} {
		p, err := openaicompat.New(openaicompat.Config{BaseURL: sim.Client{Base: w.url}.URL(name), Traits: openaicompat.Foreground})
		if err != nil {
			return nil, err
		}
		c.Providers[name], c.Targets[name] = p, providers.Target{Name: name, Provider: name, Model: "sim"}
	}
	c.Targets["llama"] = providers.Target{Name: "llama", Provider: "local", Model: "triage"} // on no route; its provider is called by CI alone
	c.Providers["local"] = c.Providers["sim-b"]
	for _, contract := range catalog.All() {
		c.Routes = append(c.Routes, router.Route{Contract: contract, Primary: "sim-a", Fallbacks: []string{"sim-b"}, Attempts: 3,
			Budget: time.Minute, Connect: time.Minute, FirstByte: time.Minute, AnswerWithin: time.Minute,
			ListenFor: 10 * time.Minute, Needs: time.Millisecond})
	}
	r, err := router.New(c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { r.Run(ctx); close(done) }()
	w.stop = append(w.stop, func() {
		cancel()
		<-done
		r.Close(ctx) // ctx has ended: what is still open is on record as unknown
	})
	return r, nil
}

// credentials knows the key of inferonce dev and one that may only make jobs.
func (w *world) credentials() (*configs.Credentials, error) {
	key, hash, err := configs.NewAPIKey("test")
	w.key = key
	return configs.NewCredentials([]configs.Key{{Owner: "acme", Hash: hash, Scopes: []configs.Scope{configs.Infer}}},
		configs.WithLiteralKey(devKey, "dev", configs.Admin)), err
}

func (w *world) close() {
	for _, f := range slices.Backward(w.stop) {
		f()
	}
}

// prove hands in a pass of sim-b for every contract.
func prove(r *router.Router, catalog *contracts.Catalog) error {
	for _, c := range catalog.All() {
		raw, err := json.Marshal(contracts.Report{SchemaVersion: contracts.ReportSchema, SuiteVersion: suiteVersion, ID: "report-" + c.Ref(),
			Mode: "certify", Contract: contracts.ReportContract{Name: c.Name, Version: c.Version, Digest: c.Digest},
			Target: "sim-b", Provider: "sim-b", Model: contracts.ReportModel{Asked: "sim"}, Finished: time.Now(),
			Verdict: contracts.Pass, Totals: contracts.ReportTotals{Runs: 3}, Checks: []contracts.ReportCheck{{ID: "STR-01"}}})
		if err != nil {
			return err
		}
		if _, err := r.AcceptReport(context.Background(), raw, "ci"); err != nil {
			return err
		}
	}
	return nil
}

// jsonAt finds a value in JSON by names and numbers, such as "data", "0", "id".
func jsonAt(raw []byte, path ...string) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return "", fmt.Errorf("not JSON: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return "", fmt.Errorf("more than one JSON value")
	}
	for _, name := range path {
		switch at := v.(type) {
		case map[string]any:
			v = at[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i < 0 || i >= len(at) {
				return "", fmt.Errorf("no item %s in a list of %d", name, len(at))
			}
			v = at[i]
		default:
			return "", fmt.Errorf("nothing below %v at %s", v, name)
		}
	}
	if s, ok := v.(string); ok {
		return s, nil
	}
	b, err := json.Marshal(v)
	return string(b), err
}
