package openaicompat

import (
	"encoding/json"
	"net/url"
	"strings"

	"inferonce/providers"
)

var _ providers.Reproducer = (*Client)(nil)

// Reproduce says r as a curl command with the body that Complete sends. The
// key is $API_KEY, which the shell fills in.
func (c *Client) Reproduce(r providers.Request) string {
	body, err := json.Marshal(c.config.Profile.toWire(r))
	if err != nil {
		return ""
	}
	auth := "Authorization: Bearer $API_KEY"
	if c.config.Profile.KeyHeader != "" {
		auth = c.config.Profile.KeyHeader + ": $API_KEY"
	}
	address := c.base(r.Model) + "/chat/completions"
	if c.config.APIVersion != "" {
		address += "?api-version=" + url.QueryEscape(c.config.APIVersion)
	}
	return "curl -sS " + shellQuote(address) + ` -H "` + auth + `" -H 'Content-Type: application/json' -d ` + shellQuote(string(body))
}

// shellQuote makes one word of s for any POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
