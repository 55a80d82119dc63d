package configs

import (
	"reflect"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// decodeText decodes the types that are written as text; false for the others.
func (d *decoder) decodeText(n ast.Node, v reflect.Value, path string) bool {
	switch p := v.Addr().Interface().(type) {
	case *Secret:
		if text, ok := d.secret(n, path, true); ok {
			*p = NewSecret(text)
		}
	case *RedisURL:
		d.decodeRedisURL(n, p, path)
	case *Redis:
		if _, mapping := pairs(n); mapping {
			return false
		}
		d.decodeRedisURL(n, &p.URL, path)
	case *time.Duration:
		d.decodeDuration(n, p, path)
	case *Dollars:
		d.decodeDollars(n, p, path)
	case *Temperature:
		d.decodeTemperature(n, p, path)
	default:
		if v.Kind() != reflect.String {
			return false
		}
		if text, ok := d.text(n, path, "text"); ok {
			v.SetString(text)
		}
	}
	return true
}

// literal returns a text as it stands in the file.
func literal(n ast.Node) (string, bool) {
	switch s := n.(type) {
	case *ast.StringNode:
		return s.Value, true
	case *ast.LiteralNode:
		return s.Value.Value, true
	}
	return "", false
}

// text returns a text with its variables filled in.
func (d *decoder) text(n ast.Node, path, want string) (string, bool) {
	source, ok := literal(n)
	if !ok {
		fix := "give one value"
		if _, scalar := n.(ast.ScalarNode); scalar {
			fix = "put it in quotes"
		}
		d.wrongType(n, path, want, fix)
		return "", false
	}
	text, fault := expand(source, d.env)
	if fault != nil {
		d.report(d.values[path], path, fault.message, fault.fix)
		return "", false
	}
	return text, true
}

func (d *decoder) decodeDuration(n ast.Node, p *time.Duration, path string) {
	const want, fix = "a duration", "write a number with its unit, such as 500ms, 30s, 10m or 24h"
	if _, ok := literal(n); !ok {
		d.wrongType(n, path, want+" with a unit", fix)
		return
	}
	text, ok := d.text(n, path, want)
	if !ok {
		return
	}
	v, err := time.ParseDuration(text)
	switch {
	case err != nil:
		d.show(path)
		d.report(d.values[path], path, "not "+want, fix)
	case v <= 0:
		d.show(path)
		d.report(d.values[path], path, "must be longer than zero", fix)
	default:
		d.show(path)
		*p = v
	}
}

func (d *decoder) decodeTemperature(n ast.Node, p *Temperature, path string) {
	text, ok := d.text(n, path, "omit, fixed:N or min:N")
	if !ok {
		return
	}
	d.show(path)
	t, ok := parseTemperature(text)
	if !ok {
		d.report(d.values[path], path, "not a rule for the temperature", "write omit, fixed:N or min:N with N from 0 to 2, such as fixed:1")
		return
	}
	*p = t
}

// show marks the value at path as one that may appear in an excerpt.
func (d *decoder) show(path string) {
	p := d.values[path]
	p.public = true
	d.values[path] = p
}
