package configs

import (
	"path/filepath"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// decoder walks the tree of a file and fills the Config, keeping where each
// setting stands, so that every problem found on the way or by a later check
// can point at it.
type decoder struct {
	file, dir string
	env       func(string) (string, bool)
	lines     []string
	problems  []Problem
	values    map[string]place // by path: where the value stands
	names     map[string]place // by path: where the name stands, or an element begins
	bad       map[string]bool  // by path: reported already, later checks keep quiet
}

func newDecoder(name string, env func(string) (string, bool)) *decoder {
	return &decoder{
		file: name, dir: filepath.Dir(name), env: env,
		values: map[string]place{}, names: map[string]place{}, bad: map[string]bool{},
	}
}

func (d *decoder) report(at place, path, message, fix string) {
	d.bad[path] = true
	d.problems = append(d.problems, Problem{
		File: d.file, Line: at.line, Column: at.column, Path: path,
		Message: message, Fix: fix, Excerpt: excerpt(d.lines, at),
	})
}

// child is the path of a setting within another.
func child(path, name string) string {
	switch {
	case strings.HasPrefix(name, "["):
		return path + name
	case strings.Contains(name, "."):
		return path + `["` + name + `"]`
	case path == "":
		return name
	}
	return path + "." + name
}

func (d *decoder) decodeRoot(n ast.Node, cfg *Config) {
	if _, ok := pairs(n); !ok {
		d.report(tokenPlace(n.GetToken()), "", "expected settings such as listen: "+DefaultListen+", got "+describe(n), "start from example.yaml")
		d.silence("listen", "store", "providers", "targets", "routes", "keys")
		return
	}
	d.decode(n, reflect.ValueOf(cfg).Elem(), "")
}

func (d *decoder) silence(paths ...string) {
	for _, p := range paths {
		d.bad[p] = true
	}
}

// decode sets v from n, or reports why not and leaves v as it is.
func (d *decoder) decode(n ast.Node, v reflect.Value, path string) {
	d.values[path] = tokenPlace(n.GetToken())
	if path != "" && d.refused(n, path) {
		return
	}
	if d.decodeText(n, v, path) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer: // a setting that is neither, unless it is given
		p := reflect.New(v.Type().Elem())
		d.decode(n, p.Elem(), path)
		v.Set(p)
	case reflect.Struct:
		d.decodeStruct(n, v, path)
	case reflect.Map:
		d.decodeMap(n, v, path)
	case reflect.Slice:
		d.decodeSlice(n, v, path)
	case reflect.Bool:
		d.decodeBool(n, v, path)
	default:
		d.decodeInt(n, v, path)
	}
}

// refused reports what this file has no use for.
func (d *decoder) refused(n ast.Node, path string) bool {
	switch n.(type) {
	case *ast.NullNode:
		d.report(d.values[path], path, "has no value", "give it one, or take the line out")
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		d.report(d.values[path], path, describe(n)+" cannot be used here", "write the value out")
	default:
		return false
	}
	return true
}

func (d *decoder) wrongType(n ast.Node, path, want, fix string) {
	d.report(d.values[path], path, "expected "+want+", got "+describe(n), fix)
}
