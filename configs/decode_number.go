package configs

import (
	"math"
	"reflect"

	"github.com/goccy/go-yaml/ast"
)

func (d *decoder) decodeBool(n ast.Node, v reflect.Value, path string) {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		d.wrongType(n, path, "true or false", "write true or false without quotes")
		return
	}
	v.SetBool(b.Value)
}

func (d *decoder) decodeInt(n ast.Node, v reflect.Value, path string) {
	i, ok := n.(*ast.IntegerNode)
	if !ok {
		d.wrongType(n, path, "a whole number", "write digits without quotes or units")
		return
	}
	number, ok := i.Value.(int64)
	if u, unsigned := i.Value.(uint64); unsigned && u <= math.MaxInt64 {
		number, ok = int64(u), true
	}
	if !ok || v.OverflowInt(number) {
		d.report(d.values[path], path, "out of range", "give a smaller whole number")
		return
	}
	v.SetInt(number)
}
