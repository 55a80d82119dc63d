package configs

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
)

// Redis says where the store is, in one of three forms: a URL, the addresses
// of Sentinels with the name of their master, or the addresses of a Cluster.
// In the file a URL may stand in place of the mapping.
type Redis struct {
	URL              RedisURL `yaml:"url,omitzero"`               // redis:// or, with TLS, rediss://
	Sentinel         []string `yaml:"sentinel,omitzero"`          // host:port of each Sentinel
	Master           string   `yaml:"master,omitzero"`            // the name that the Sentinels know
	SentinelPassword Secret   `yaml:"sentinel_password,omitzero"` // of the Sentinels themselves
	Cluster          []string `yaml:"cluster,omitzero"`           // host:port of some nodes
	Username         string   `yaml:"username,omitzero"`          // with Sentinel or Cluster; a URL has its own
	Password         Secret   `yaml:"password,omitzero"`
	TLS              bool     `yaml:"tls,omitzero"`
}

// MarshalYAML writes the URL form as the short one of the file.
func (r Redis) MarshalYAML() (any, error) {
	if !r.URL.IsZero() {
		return r.URL.String(), nil
	}
	type plain Redis
	return plain(r), nil
}

// RedisURL is an address whose password prints as [redacted]; Reveal is the
// only way to the whole.
type RedisURL struct{ whole Secret }

// NewRedisURL hides the password of u.
func NewRedisURL(u string) RedisURL { return RedisURL{NewSecret(u)} }

// Reveal returns the URL with its password, "" if unset.
func (u RedisURL) Reveal() string { return u.whole.Reveal() }

// IsZero reports whether the URL is unset.
func (u RedisURL) IsZero() bool { return u.whole.IsZero() }

// String returns scheme, user, host and database. Options after a question
// mark are left out: nothing says that they are public.
func (u RedisURL) String() string {
	p, err := url.Parse(u.Reveal())
	if err != nil || p.Host == "" {
		return redacted
	}
	user := ""
	if _, has := p.User.Password(); has {
		user = p.User.Username() + ":" + redacted + "@"
	} else if p.User != nil {
		user = p.User.Username() + "@"
	}
	return p.Scheme + "://" + user + p.Host + p.EscapedPath()
}

// Format implements fmt.Formatter for every verb.
func (u RedisURL) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, u.String()) }

// MarshalText returns String; JSON and YAML use it.
func (u RedisURL) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// LogValue returns String.
func (u RedisURL) LogValue() slog.Value { return slog.StringValue(u.String()) }
