package configs

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
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

// fields lists the settings of a struct by their name in the file.
func fields(v reflect.Value) (byName map[string]reflect.Value, names []string) {
	byName = map[string]reflect.Value{}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		byName[name] = v.Field(i)
		names = append(names, name)
	}
	return byName, names
}

func (d *decoder) decodeStruct(n ast.Node, v reflect.Value, path string) {
	ps, ok := pairs(n)
	known, names := fields(v)
	if !ok {
		d.wrongType(n, path, "settings", "write them below it: "+strings.Join(names, ", "))
		return
	}
	for name, p := range d.named(ps, path) {
		field, ok := known[name]
		if !ok {
			d.unknown(p, path, name, names)
			continue
		}
		d.decode(p.Value, field, child(path, name))
	}
}

// unknown also keeps checks quiet about the setting that was probably meant.
func (d *decoder) unknown(p *ast.MappingValueNode, path, name string, known []string) {
	d.report(d.names[child(path, name)], child(path, name), "unknown setting", didYouMean(name, known))
	if meant := suggest(name, known); meant != "" {
		d.silence(child(path, meant))
	}
}

// entryName is what a provider, target or route may be called: its name
// stands in addresses and in metrics.
var entryName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func (d *decoder) decodeMap(n ast.Node, v reflect.Value, path string) {
	ps, ok := pairs(n)
	if !ok {
		d.wrongType(n, path, "named entries", "write a name and its settings below it")
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for name, p := range d.named(ps, path) {
		at := child(path, name)
		if !entryName.MatchString(name) {
			d.report(d.names[at], at, "not a usable name", "use up to 64 letters, digits, dots, hyphens and underscores")
		}
		entry := reflect.New(v.Type().Elem())
		if e, ok := entry.Interface().(defaulter); ok {
			e.setDefaults()
		}
		d.decode(p.Value, entry.Elem(), at)
		v.SetMapIndex(reflect.ValueOf(name), entry.Elem())
	}
}

func (d *decoder) decodeSlice(n ast.Node, v reflect.Value, path string) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		d.wrongType(n, path, "a list", "write it in brackets, as in [a, b]")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list.Values), len(list.Values)))
	for i, e := range list.Values {
		at := child(path, fmt.Sprintf("[%d]", i))
		d.names[at] = startOf(e)
		d.decode(e, v.Index(i), at)
	}
}
