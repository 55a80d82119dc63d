package configs

import (
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// Show returns the configuration in force as YAML, defaults filled in and
// secrets redacted.
func (c *Config) Show() ([]byte, error) {
	return yaml.MarshalWithOptions(c, yaml.Indent(2), yaml.IndentSequence(true),
		yaml.CustomMarshaler(func(d time.Duration) ([]byte, error) { return []byte(short(d)), nil }))
}

// short writes a duration without units that are zero: 24h, not 24h0m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
