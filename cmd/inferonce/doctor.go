package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"inferonce/configs"
	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/providers"
)

func newDoctorCmd(env lookup) *cobra.Command {
	var file string
	var live bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Examine a deployment: configuration, store, providers, passes",
		Long: `doctor checks the configuration and its secrets, the store (version, role, eviction,
persistence, clock, memory), each provider (name, connection, TLS, key) by a call that
runs no model, passes that expire soon, and the age of the unknown queue. With --live
it also makes one paid call of one token at each target.

Exit codes: 0 nothing failed; 1 something did; 4 something could not be seen.`,
		Example: `  inferonce doctor --config router.yaml
  inferonce doctor --config router.yaml --live -o json`,
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			ctx, stop := context.WithTimeout(cmd.Context(), doctorTime)
			defer stop()
			all := examine(ctx, file, env, live)
			if err := p.findings(all); err != nil {
				return err
			}
			return doctorExit(all)
		},
	}
	cmd.Flags().StringVarP(&file, "config", "c", "inferonce.yaml", "configuration file")
	cmd.Flags().BoolVar(&live, "live", false, "make one paid call of one token at each target")
	return cmd
}

// The limits of an examination, and of one call within it.
const (
	doctorTime  = 2 * time.Minute
	doctorCall  = 15 * time.Second
	doctorStore = 5 * time.Second
	doctorDial  = 5 * time.Second
)

func (p *printer) findings(all []finding) error {
	if p.json {
		return p.value(all)
	}
	rows := make([][]string, len(all))
	for i, f := range all {
		rows[i] = []string{f.Verdict, f.Name, f.Detail, f.Fix}
	}
	return p.table([]string{"VERDICT", "WHAT", "DETAIL", "FIX"}, rows)
}

func examine(ctx context.Context, file string, env lookup, live bool) []finding {
	if c, problems := checkConfig(file, env); c == nil || len(problems) > 0 {
		var all []finding
		for _, p := range problems {
			p.Excerpt, p.File = "", file
			all = append(all, finding{"configuration " + p.Path, verdictFail, p.Message, p.Fix})
		}
		return all
	}
	c, catalog, built, err := loadParts(file, env)
	if err != nil {
		return []finding{{"configuration", verdictFail, err.Error(), "inferonce config check"}}
	}
	all := []finding{ok("configuration", "it is valid, and its secrets are there")}
	all = append(all, examineStore(ctx, c, catalog)...)
	return append(all, examineProviders(ctx, c, built, live)...)
}

func examineStore(ctx context.Context, c *configs.Config, catalog *contracts.Catalog) []finding {
	ctx, stop := context.WithTimeout(ctx, doctorStore)
	defer stop()
	s, err := jobstore.Open(ctx, storeOptions(c.Store))
	all := []finding{judgeOpened(err)}
	if err != nil {
		return all
	}
	defer s.Close()
	const fix = "see whether Redis answers, and what its user may do"
	add := func(name string, err error, f func() finding) {
		if err != nil {
			all = append(all, couldNot(name, "the store did not tell", fix))
			return
		}
		all = append(all, f())
	}
	h, err := s.Ping(ctx)
	add("store clock", err, func() finding { return judgeClock(h.ClockSkew) })
	m, err := s.Memory(ctx)
	add("store memory", err, func() finding { return judgeMemory(m) })
	n, err := s.Count(ctx)
	add("unknown queue", err, func() finding { return judgeUnknown(n) })
	for _, name := range sortedKeys(c.Routes) {
		contract, err := catalog.Get(c.Routes[name].Contract)
		if err != nil {
			continue // checkConfig has said so
		}
		for _, target := range c.Routes[name].Fallbacks {
			what := "fallback " + target + " for " + contract.Ref()
			e, err := s.EligibilityOf(ctx, target, contract.Digest)
			add(what, err, func() finding { return judgeEligibility(what, e, time.Now().Add(h.ClockSkew)) })
		}
	}
	return all
}

func examineProviders(ctx context.Context, c *configs.Config, built map[string]providers.Provider, live bool) (all []finding) {
	for _, name := range sortedKeys(built) {
		what := "provider " + name
		p, can := built[name].(providers.Pinger)
		if !can {
			all = append(all, couldNot(what, "its adapter knows no call that costs nothing", "doctor --live makes one small paid call"))
			continue
		}
		all = append(all, judgePing(what, within(ctx, func(ctx context.Context) error {
			return p.Ping(ctx, providers.Limits{Connect: doctorDial})
		})))
	}
	if !live {
		return all
	}
	targets := newTargets(c)
	for _, name := range sortedKeys(targets) {
		t := targets[name]
		all = append(all, judgePing("target "+name, within(ctx, func(ctx context.Context) error {
			_, err := built[t.Provider].Complete(ctx, providers.Request{Model: t.Model, MaxTokens: 1, AttemptID: "doctor",
				Messages: []providers.Message{{Role: "user", Content: "Say ok."}}, Limits: providers.Limits{Connect: doctorDial}})
			return finished(err)
		})))
	}
	return all
}

func within(ctx context.Context, call func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, doctorCall)
	defer stop()
	return call(ctx)
}
