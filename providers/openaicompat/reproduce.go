package openaicompat

import (
	"bytes"
	"encoding/json"
	"strings"

	"inferonce/providers"
)

var _ providers.Reproducer = (*Client)(nil)

// Reproduce says r as a curl command with the body that Complete sends. The
// key is $API_KEY, which the shell fills in.
func (c *Client) Reproduce(r providers.Request) string {
	body, err := json.Marshal(toRequest(r))
	if err != nil {
		return ""
	}
	body = bytes.Replace(body, almostZero, zero, 1)
	return "curl -sS " + shellQuote(strings.TrimRight(c.config.BaseURL, "/")+"/chat/completions") +
		` -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' -d ` + shellQuote(string(body))
}

// shellQuote makes one word of s for any POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
