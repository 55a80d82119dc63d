package main

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// inferFlags are the flags of infer.
type inferFlags struct {
	input, text string
	key         string
	wait        time.Duration
	budget      time.Duration
	async       bool
	derive      bool
}

const keyHeader = "Idempotency-Key"

// call checks the flags and makes the request of them.
func (f *inferFlags) call(cmd *cobra.Command, contract string) (call, error) {
	if err := cmp.Or(exclusive(cmd, "input", "text"), exclusive(cmd, "wait", "async")); err != nil {
		return call{}, err
	}
	input, err := f.readInput(cmd)
	if err != nil {
		return call{}, err
	}
	if f.wait < 0 || f.budget < 0 {
		return call{}, exitf(exitUsage, "--wait and --budget take durations such as 20s, not below 0")
	}
	key, err := f.intentKey(cmd)
	if err != nil {
		return call{}, err
	}
	// Prefer counts whole seconds; the router may hold the call open for less.
	prefer := fmt.Sprintf("wait=%d", (f.wait+time.Second-1)/time.Second)
	if f.async {
		prefer, f.wait = "respond-async", 0
	}
	in := call{method: http.MethodPost, path: "/v1/infer", wait: f.wait,
		header: map[string]string{"Prefer": prefer},
		body:   object(member{"contract", quoteJSON(contract)}, member{"input", input})}
	if key != "" {
		in.header[keyHeader] = key
	}
	if f.budget > 0 {
		in.header["Inferonce-Budget"] = f.budget.String()
	}
	return in, nil
}

// intentKey is the idempotency key to send; "" to leave it to the contract.
func (f *inferFlags) intentKey(cmd *cobra.Command) (string, error) {
	if f.derive {
		return "", exclusive(cmd, "key", "derive-key")
	}
	if !cmd.Flags().Changed("key") {
		return "cli-" + strings.ToLower(rand.Text()), nil
	}
	return f.key, checkIntentKey(f.key)
}

func (f *inferFlags) readInput(cmd *cobra.Command) (json.RawMessage, error) {
	if cmd.Flags().Changed("input") {
		return readJSON(cmd, "input", f.input)
	}
	if !cmd.Flags().Changed("text") {
		return nil, exitf(exitUsage, "the input is missing: give --input JSON, @FILE or -, or --text TEXT")
	}
	if !utf8.ValidString(f.text) {
		return nil, exitf(exitUsage, "--text is not UTF-8; convert it first, for example with iconv")
	}
	return object(member{"text", quoteJSON(f.text)}), nil
}
