package configs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxFile is the largest configuration file, in bytes.
const maxFile = 256 << 10

// Load reads the file at path; see Parse. A file that can't be read is a
// Problem without a line.
func Load(path string, env func(string) (string, bool)) (*Config, error) {
	b, err := readBounded(path, maxFile)
	if err != nil {
		return nil, newError([]Problem{{
			File: path, Message: "the configuration " + cause(err),
			Fix: "name a readable file, or start from example.yaml",
		}})
	}
	return Parse(path, b, env)
}

// Parse reads a configuration. Unknown and repeated settings, wrong types,
// unset variables, and whatever the settings' comments rule out are problems;
// all of them are reported together, as *Error.
//
// In a value, not in a name, ${NAME} stands for a variable of env and $$ for
// a dollar. A secret is given by a variable or as file:PATH, never literally.
// PATH and the contracts directory are relative to the directory of name.
// Two calls with equal arguments and files give equal results.
func Parse(name string, b []byte, env func(string) (string, bool)) (*Config, error) {
	d := newDecoder(name, env)
	cfg := d.config(b)
	if len(d.problems) > 0 {
		return nil, newError(d.problems)
	}
	return cfg, nil
}

func (d *decoder) config(b []byte) *Config {
	if len(b) > maxFile {
		d.report(place{}, "", fmt.Sprintf("the file is larger than %d bytes", maxFile), "keep contracts and data in files of their own")
		return nil
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(b), "\uFEFF"), "\r\n", "\n")
	d.lines = strings.Split(text, "\n")
	if !d.checkCharacters() {
		return nil
	}
	root := d.parse(text)
	if root == nil {
		return nil
	}
	cfg := &Config{}
	cfg.setDefaults()
	d.decodeRoot(root, cfg)
	d.check(cfg)
	if cfg.Contracts != "" && !filepath.IsAbs(cfg.Contracts) {
		cfg.Contracts = filepath.Join(d.dir, cfg.Contracts)
	}
	return cfg
}

// checkCharacters refuses what YAML doesn't allow in a file at all.
func (d *decoder) checkCharacters() bool {
	for i, line := range d.lines {
		column := 0
		for at, r := range line {
			column++
			_, size := utf8.DecodeRuneInString(line[at:])
			if (r == utf8.RuneError && size == 1) || (r < ' ' && r != '\t') || r == 0x7f {
				d.report(place{line: i + 1, column: column}, "", "not a character of a text file", "save the file as UTF-8 without control characters")
				return false
			}
		}
	}
	return true
}

// readBounded reads a regular file of at most limit bytes. Devices and pipes
// are refused: they may never end.
func readBounded(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		return nil, errTooLarge
	}
	return b, err
}

var (
	errNotRegular = errors.New("is not a regular file")
	errTooLarge   = errors.New("is too large")
)

// cause says in words why a file wasn't read, without its path.
func cause(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "may not be read by this user"
	case errors.Is(err, errNotRegular), errors.Is(err, errTooLarge):
		return err.Error()
	}
	return "cannot be read"
}
