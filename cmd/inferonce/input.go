package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// maxInput bounds what is read from a file or from standard input; the router's
// own limit is lower by default.
const maxInput = 64 << 20

// readJSON reads the value of a flag that takes JSON: the JSON itself, @FILE,
// or - for standard input. No error repeats what was read.
func readJSON(cmd *cobra.Command, flag, value string) (json.RawMessage, error) {
	raw, err := readValue(cmd, value)
	if err != nil {
		return nil, exitf(exitUsage, "--%s: %w", flag, err)
	}
	var v json.RawMessage
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, exitf(exitUsage, "--%s is not JSON%s; write one JSON value, @FILE, or - for standard input", flag, whereJSON(err))
	}
	return v, nil
}

func readValue(cmd *cobra.Command, value string) ([]byte, error) {
	if value == "-" {
		return readBounded(cmd.InOrStdin())
	}
	path, named := strings.CutPrefix(value, "@")
	if !named {
		return []byte(value), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readBounded(f)
}

func readBounded(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(b) > maxInput {
		err = fmt.Errorf("more than %d MiB", maxInput>>20)
	}
	return b, err
}

func whereJSON(err error) string {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf(" (byte %d)", e.Offset)
	}
	return ""
}

// object makes a JSON object of members that are JSON already. They stay as
// they are, so that the router judges what the user wrote.
func object(members ...member) []byte {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = string(quoteJSON(m.name)) + ":" + string(m.value)
	}
	return []byte("{" + strings.Join(parts, ",") + "}")
}

type member struct {
	name  string
	value json.RawMessage
}

// quoteJSON is for valid UTF-8; anything else would change.
func quoteJSON(s string) json.RawMessage {
	b, _ := json.Marshal(s)
	return b
}
