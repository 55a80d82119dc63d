package configs

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// maxSecret is the largest secret read from a file, in bytes.
const maxSecret = 64 << 10

// secret returns a text that comes from a variable or, as file:PATH, from a
// file, without one newline at its end. strict refuses one that stands in the
// configuration itself.
func (d *decoder) secret(n ast.Node, path string, strict bool) (string, bool) {
	text, ok := d.text(n, path, "text")
	if !ok {
		return "", false
	}
	source, _ := literal(n)
	fault := (*fault)(nil)
	if strings.HasPrefix(source, "file:") {
		text, fault = d.secretFile(strings.TrimPrefix(text, "file:"))
	} else if strict && !usesVariable(source) {
		fault = literalSecret()
	}
	if fault == nil {
		fault = usableSecret(text)
	}
	if fault != nil {
		d.report(d.values[path], path, fault.message, fault.fix)
	}
	return text, fault == nil
}

func literalSecret() *fault {
	return &fault{"a secret must not stand in the file", `take it from a variable, "${NAME}", or from a file, file:PATH`}
}

func usesVariable(source string) bool {
	return strings.Contains(strings.ReplaceAll(source, "$$", ""), "${")
}

func (d *decoder) secretFile(path string) (string, *fault) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.dir, path)
	}
	b, err := readBounded(path, maxSecret)
	if err != nil {
		return "", &fault{"the secret's file " + cause(err), "check the path, which is relative to the configuration's directory, and the rights on the file"}
	}
	text := strings.TrimSuffix(string(b), "\n")
	return strings.TrimSuffix(text, "\r"), nil
}

// usableSecret refuses what no header could carry.
func usableSecret(text string) *fault {
	if text == "" {
		return &fault{"the secret is empty", "set the variable or fill the file that it comes from"}
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return &fault{"the secret holds a space, a line break or a control character", "store the bare secret, on one line and without quotes"}
	}
	return nil
}

func (d *decoder) decodeRedisURL(n ast.Node, p *RedisURL, path string) {
	text, ok := d.secret(n, path, false)
	if !ok {
		return
	}
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "redis" && u.Scheme != "rediss") || u.Host == "" {
		d.report(d.values[path], path, "not the address of a Redis", "write redis://HOST:PORT, rediss:// for TLS, or sentinel: or cluster: with a list of addresses")
		return
	}
	source, _ := literal(n)
	if _, has := u.User.Password(); has && !strings.HasPrefix(source, "file:") && !usesVariable(source) {
		d.report(d.values[path], path, "a password must not stand in the file", "take it from a variable, as in redis://:${REDIS_PASSWORD}@HOST:PORT")
		return
	}
	*p = NewRedisURL(text)
}
