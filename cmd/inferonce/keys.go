package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"inferonce/configs"
)

func newKeysCmd(lookup) *cobra.Command {
	return group(&cobra.Command{
		Use:     "keys",
		Short:   "Make API keys",
		Long:    "keys makes API keys. A configuration holds their hashes only.",
		Example: "  inferonce keys new --owner acme --scopes infer > acme.key",
	}, newKeysNewCmd())
}

// newKey is what keys new prints as JSON.
type newKey struct {
	Key    string   `json:"key"`
	Owner  string   `json:"owner"`
	Hash   string   `json:"hash"`
	Scopes []string `json:"scopes"`
}

func newKeysNewCmd() *cobra.Command {
	var owner, env string
	var scopes []string
	cmd := &cobra.Command{
		Use:   "new --owner OWNER --scopes SCOPE[,SCOPE…]",
		Short: "Make an API key, shown once",
		Long: `new makes an API key of 256 random bits. It prints the key on standard output,
once, and on standard error the lines for the configuration, which hold its hash
only. Nothing is stored: a lost key is replaced by a new one.

Jobs and idempotency keys belong to the owner, not to the key. To replace a key,
add a second one with the same owner, move the callers over, and remove the first.

Scopes: infer makes jobs; operate settles unknown attempts and switches
eligibility; report hands in conformance reports; admin is all of them.`,
		Example: `  inferonce keys new --owner acme --scopes infer
  inferonce keys new --owner ops --scopes infer,operate --env test
  inferonce keys new --owner acme --scopes infer > acme.key`,
		Args:              takes(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			if err := checkKeyFlags(owner, scopes); err != nil {
				return err
			}
			key, hash, err := configs.NewAPIKey(env)
			if err != nil {
				return exit(exitUsage, err)
			}
			return printKey(p, newKey{key, owner, hash, scopes})
		},
	}
	cmd.Flags().StringVar(&owner, "owner", "", "the user or app that jobs made with the key belong to")
	cmd.Flags().StringSliceVar(&scopes, "scopes", nil, "what the key may do: infer, operate, report, admin")
	cmd.Flags().StringVar(&env, "env", "live", "a word in the key by which people tell keys apart, such as live or test")
	completes(cmd, "scopes", scopeNames()...)
	completes(cmd, "env", "live", "test")
	return cmd
}

func scopeNames() []string {
	return []string{string(configs.Infer), string(configs.Operate), string(configs.Report), string(configs.Admin)}
}

// ownerName is what a configuration takes as an owner.
var ownerName = regexp.MustCompile(`^[!-~]{1,128}$`)

func checkKeyFlags(owner string, scopes []string) error {
	if err := needFlag("owner", owner, "name the user or app that the key belongs to"); err != nil {
		return err
	}
	if !ownerName.MatchString(owner) {
		return exitf(exitUsage, "--owner takes up to 128 visible ASCII characters without spaces")
	}
	if len(scopes) == 0 {
		return exitf(exitUsage, "--scopes is required: say what the key may do, such as infer; there are %s", strings.Join(scopeNames(), ", "))
	}
	for i, s := range scopes {
		if !slices.Contains(scopeNames(), s) {
			return exitf(exitUsage, "--scopes: there is no scope %q; there are %s", s, strings.Join(scopeNames(), ", "))
		}
		if slices.Contains(scopes[:i], s) {
			return exitf(exitUsage, "--scopes: %s is listed twice; take it out once", s)
		}
	}
	return nil
}

func printKey(p *printer, k newKey) error {
	writeSnippet(p.talk, k)
	if p.json {
		return p.value(k)
	}
	_, err := fmt.Fprintln(p.out, k.Key)
	return p.failed(err)
}

// writeSnippet writes talk that is YAML as it stands, so that it can be
// appended to a configuration that has no keys yet.
func writeSnippet(w io.Writer, k newKey) {
	// A configuration expands ${NAME}, and reads $$ as a dollar.
	owner := strings.ReplaceAll(k.Owner, "$", "$$")
	fmt.Fprintf(w, `# The key is shown once and kept nowhere. A configuration knows it by its hash:
keys:
  - owner: %q
    hash: %s
    scopes: [%s]
`, owner, k.Hash, strings.Join(k.Scopes, ", "))
}
