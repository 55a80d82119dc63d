package main

import (
	"context"
	"fmt"
	"os/user"

	"github.com/spf13/cobra"

	"inferonce/configs"
	"inferonce/jobstore"
)

func newStoreCmd(env lookup) *cobra.Command {
	return group(&cobra.Command{
		Use:   "store",
		Short: "See whether the store lost records, and let work go on",
		Long: `store speaks with the store of a configuration. A store in which records are missing
that it had acknowledged, because a replica that lagged behind was promoted or an
old backup was restored, is found out by the routers: they begin nothing there until
somebody accepts the loss.`,
		Example: `  inferonce store status -c router.yaml
  inferonce store accept-rollback -c router.yaml --reason "the standby lagged; providers were asked"`,
	}, newStoreStatusCmd(env), newStoreAcceptCmd(env))
}

// storeStatus is what store status prints as JSON.
type storeStatus struct {
	Durability jobstore.Durability         `json:"durability"`
	Rollbacks  []jobstore.Rollback         `json:"rollbacks"`
	Accepted   []jobstore.RollbackAccepted `json:"accepted"`
}

func newStoreStatusCmd(env lookup) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show rollbacks that were found, and those that were accepted",
		Long: `status shows the parts of the store that have lost acknowledged records, and what was
accepted before.

Exit codes: 0 nothing is lost that was not accepted; 1 something is;
4 the store can't be read.`,
		Example: "  inferonce store status -c router.yaml -o json",
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			return withStore(cmd.Context(), file, env, func(ctx context.Context, s *jobstore.Store) error {
				st := storeStatus{Durability: s.Durability(), Rollbacks: []jobstore.Rollback{}}
				found, err := s.Rollbacks(ctx)
				if err != nil {
					return exit(exitCouldNotRun, err)
				}
				if st.Accepted, err = s.RollbacksAccepted(ctx); err != nil {
					return exit(exitCouldNotRun, err)
				}
				st.Rollbacks = append(st.Rollbacks, found...)
				if err := p.storeStatus(st); err != nil {
					return err
				}
				if len(found) > 0 {
					return exitf(exitChecksFailed, "the store has lost records; ask the providers what ran, then: inferonce store accept-rollback --reason \"…\"")
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVarP(&file, "config", "c", "inferonce.yaml", "configuration file")
	return cmd
}

func (p *printer) storeStatus(st storeStatus) error {
	if p.json {
		return p.value(st)
	}
	pairs := [][2]string{{"durability", string(st.Durability)}}
	for _, r := range st.Rollbacks {
		pairs = append(pairs, [2]string{"lost", fmt.Sprintf("%s stands at %d and was at %d", r.Unit, r.Now, r.Seen)})
	}
	for _, a := range st.Accepted {
		pairs = append(pairs, [2]string{"accepted", fmt.Sprintf("%s by %s: %s", a.At.Format("2006-01-02 15:04:05"), a.By, a.Reason)})
	}
	if len(st.Rollbacks)+len(st.Accepted) == 0 {
		pairs = append(pairs, [2]string{"lost", "nothing that any router noticed"})
	}
	return p.fields(pairs)
}

func newStoreAcceptCmd(env lookup) *cobra.Command {
	var file, reason string
	cmd := &cobra.Command{
		Use:   "accept-rollback --reason TEXT",
		Short: "Let work go on in a store that has lost records",
		Long: `accept-rollback says that the loss is known and that work may go on. What was lost stays
lost: a job that is gone is unknown, its key is free again, and what its attempt did
at the provider nobody can tell from here. Ask the providers first. Doing it twice
is doing it once; who accepted what, and why, is kept in the store.`,
		Example: `  inferonce store accept-rollback -c router.yaml --reason "the standby lagged; providers were asked"`,
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if reason == "" {
				return exitf(exitUsage, "--reason is missing; say why, it is kept in the store")
			}
			return withStore(cmd.Context(), file, env, func(ctx context.Context, s *jobstore.Store) error {
				found, err := s.AcceptRollback(ctx, whoami(), reason)
				if err != nil {
					return exit(exitCouldNotRun, err)
				}
				if len(found) == 0 {
					fmt.Fprintln(cmd.ErrOrStderr(), "No router has noticed a loss: nothing changed.")
					return nil
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "Accepted in %d part(s) of the store; every router goes on with its next call.\n", len(found))
				return nil
			})
		},
	}
	cmd.Flags().StringVarP(&file, "config", "c", "inferonce.yaml", "configuration file")
	cmd.Flags().StringVar(&reason, "reason", "", "why; it is kept in the store")
	return cmd
}

func whoami() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "an operator"
}

// withStore opens the store of a configuration for one act.
func withStore(ctx context.Context, file string, env lookup, act func(context.Context, *jobstore.Store) error) error {
	c, err := configs.Load(file, env)
	if err != nil {
		return exit(exitInvalid, err)
	}
	ctx, stop := context.WithTimeout(ctx, doctorStore)
	defer stop()
	s, err := jobstore.Open(ctx, storeOptions(c.Store))
	if err != nil {
		return exit(exitCouldNotRun, err)
	}
	defer s.Close()
	return act(ctx, s)
}
