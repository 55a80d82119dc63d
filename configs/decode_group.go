package configs

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

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
