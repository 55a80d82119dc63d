package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"inferonce/configs"
	"inferonce/conformance"
	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"

	"inferonce/router"
	"inferonce/router/httpapi"
	"inferonce/router/telemetry"
)

// This file turns configuration into running parts, by hand. It is the only
// one that knows them all.

// parts are what a router process is made of.
type parts struct {
	catalog   *contracts.Catalog
	store     *jobstore.Store
	providers map[string]providers.Provider
	router    *router.Router
	telemetry *telemetry.Telemetry
	log       *slog.Logger
	api       httpapi.Options // still to be served
	announce  time.Duration   // before a stop, for balancers to notice
	drain     time.Duration   // for calls under way, at a stop
}

// wire builds everything.
func wire(ctx context.Context, c *configs.Config, options jobstore.Options, creds *configs.Credentials, errOut io.Writer) (*parts, error) {
	p := &parts{log: newLogger(c.Log, errOut)}
	var err error
	if p.catalog, err = loadCatalog(c.Contracts); err != nil {
		return nil, err
	}
	if p.providers, err = newProviders(c, p.keyRests); err != nil {
		return nil, exit(exitInvalid, err)
	}
	routes, err := newRoutes(c, p.catalog)
	if err != nil {
		return nil, exit(exitInvalid, err)
	}
	if p.store, err = jobstore.Open(ctx, options); err != nil {
		return nil, exit(exitCouldNotRun, err)
	}
	p.telemetry = telemetry.New(telemetry.Options{Log: p.log, Counts: p.store.Count})
	canary, err := newCanary(c, p.catalog, p.providers)
	if err != nil {
		return nil, exit(exitInvalid, err)
	}
	p.router, err = router.New(router.Config{Hosts: newHosts(c), Classify: newClassifier(c), Canary: canary, Breakers: newBreakers(c),
		Store: p.store, Contracts: p.catalog, Providers: p.providers, Targets: newTargets(c),
		Routes: routes, Observer: p.telemetry, Name: routerName(), MaxInflight: c.Limits.MaxInflight, SuiteVersion: conformance.SuiteVersion})
	if err != nil {
		return nil, exit(exitInvalid, err)
	}
	p.api = httpapi.Options{Router: p.router, Auth: newAuthenticator(creds), Metrics: p.telemetry.Handler(), Log: p.log,
		Version: thisBuild().Version, BodyLimit: c.Limits.BodyBytes, MaxWait: c.Limits.Wait}
	return p, nil
}

// keyRests reports a provider's key that was refused, by its name alone.
func (p *parts) keyRests(provider, key string, f *contracts.Failure) {
	p.telemetry.Observe(router.Observation{Event: router.KeyRests, Target: provider + "/" + key, Class: f.Class, Effect: f.Effect})
}

func routerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "router"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}

func newLogger(c configs.Log, w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.Level)) // checked when it was loaded; info otherwise
	o := &slog.HandlerOptions{Level: level}
	if c.Format == "text" {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}

func newTargets(c *configs.Config) map[string]providers.Target {
	out := map[string]providers.Target{}
	for name, t := range c.Targets {
		out[name] = providers.Target{Name: name, Provider: t.Provider, Model: t.Model, MaxConcurrency: t.MaxConcurrency,
			Temperature: temperature(t.Temperature), Price: price(t.Price), Pinned: t.Pinned, Profile: profileDigest(c.Providers[t.Provider], t)}
	}
	return out
}

func newBreakers(c *configs.Config) map[string]router.BreakerRules {
	out := map[string]router.BreakerRules{}
	for name, t := range c.Targets {
		out[name] = router.BreakerRules{Off: t.Breaker.Off, Failures: t.Breaker.Failures, OpenFor: t.Breaker.OpenFor}
	}
	return out
}

func price(p configs.Price) contracts.Price {
	day, _ := p.AsOf.Time() // checked when it was loaded; zero where there is no price
	return contracts.Price{Input: int64(p.Input), Output: int64(p.Output), AsOf: day}
}

func temperature(t configs.Temperature) providers.Temperature {
	switch t.Rule {
	case configs.TemperatureOmit:
		return providers.Temperature{Omit: true}
	case configs.TemperatureFixed:
		return providers.Temperature{Fixed: &t.Value}
	}
	return providers.Temperature{Min: t.Value}
}

func newRoutes(c *configs.Config, catalog *contracts.Catalog) ([]router.Route, error) {
	var out []router.Route
	served := map[string]string{}
	for name, r := range c.Routes {
		contract, err := catalog.Get(r.Contract)
		if err != nil {
			return nil, fmt.Errorf("route %s: %w", name, err)
		}
		if other, taken := served[contract.Ref()]; taken {
			names := []string{name, other}
			slices.Sort(names)
			return nil, fmt.Errorf("routes %s and %s both serve contract %s; keep one of them", names[0], names[1], contract.Ref())
		}
		served[contract.Ref()] = name
		out = append(out, router.Route{Name: name, Contract: contract, Primary: r.Primary, Fallbacks: r.Fallbacks, Attempts: r.Attempts,
			Budget: r.Budget, Connect: r.Connect, FirstByte: r.FirstByte, AnswerWithin: r.AnswerWithin, ListenFor: r.ListenFor, Needs: r.Needs, MaxCost: int64(r.MaxCost)})
	}
	return out, nil
}

// storeOptions turns the store's section into what jobstore opens.
func storeOptions(s configs.Store) jobstore.Options {
	o := jobstore.Options{URL: s.Redis.URL.Reveal(), Username: s.Redis.Username, Password: s.Redis.Password.Reveal(),
		Prefix: s.Prefix, Retention: s.Retention, Durability: jobstore.Durability(s.Durability)}
	switch {
	case s.Redis.Sentinel != nil:
		o.Addrs, o.Master, o.SentinelPassword = s.Redis.Sentinel, s.Redis.Master, s.Redis.SentinelPassword.Reveal()
	case s.Redis.Cluster != nil:
		o.Addrs, o.Cluster = s.Redis.Cluster, true
	}
	if s.Redis.TLS {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return o
}
