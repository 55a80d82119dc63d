package contracts

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// newCEL builds the language of assertions: the variables input and output,
// expected where it is for cases, and our functions.
//
//	sum(list)                 the sum of numbers, as a double
//	near(a, b, tolerance)     |a-b| <= tolerance
//	norm(text)                lower case, every run of white space one space, none at the ends
//	contains_norm(text, part) part occurs in text after norm; an empty part never does
func newCEL(withExpected bool) (*cel.Env, error) {
	options := []cel.EnvOption{
		cel.Variable("input", cel.DynType),
		cel.Variable("output", cel.DynType),
		cel.Function("sum", cel.Overload("sum_dyn", []*cel.Type{cel.DynType}, cel.DoubleType, cel.UnaryBinding(celSum))),
		cel.Function("near", cel.Overload("near_dyn", []*cel.Type{cel.DynType, cel.DynType, cel.DynType}, cel.BoolType, cel.FunctionBinding(celNear))),
		cel.Function("norm", cel.Overload("norm_dyn", []*cel.Type{cel.DynType}, cel.StringType, cel.UnaryBinding(celNorm))),
		cel.Function("contains_norm", cel.Overload("contains_norm_dyn", []*cel.Type{cel.DynType, cel.DynType}, cel.BoolType, cel.BinaryBinding(celContains))),
	}
	if withExpected {
		options = append(options, cel.Variable("expected", cel.DynType))
	}
	return cel.NewEnv(options...)
}

func celSum(list ref.Val) ref.Val {
	l, ok := list.(traits.Lister)
	if !ok {
		return types.NewErr("sum takes a list")
	}
	total := 0.0
	for it := l.Iterator(); it.HasNext() == types.True; {
		f, ok := celFloat(it.Next())
		if !ok {
			return types.NewErr("sum takes numbers")
		}
		total += f
	}
	return types.Double(total)
}

func celNear(args ...ref.Val) ref.Val {
	var f [3]float64
	for i := range f {
		var ok bool
		if f[i], ok = celFloat(args[i]); !ok {
			return types.NewErr("near takes numbers")
		}
	}
	return types.Bool(math.Abs(f[0]-f[1]) <= f[2])
}

func celFloat(v ref.Val) (float64, bool) {
	switch n := v.(type) {
	case types.Int:
		return float64(n), true
	case types.Uint:
		return float64(n), true
	case types.Double:
		return float64(n), !math.IsNaN(float64(n))
	}
	return 0, false
}

func celNorm(v ref.Val) ref.Val {
	s, ok := v.(types.String)
	if !ok {
		return types.NewErr("norm takes text")
	}
	return types.String(norm(string(s)))
}

func celContains(text, part ref.Val) ref.Val {
	t, isText := text.(types.String)
	p, isPart := part.(types.String)
	if !isText || !isPart {
		return types.NewErr("contains_norm takes two texts")
	}
	n := norm(string(p))
	return types.Bool(n != "" && strings.Contains(norm(string(t)), n))
}

func norm(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

// celCost charges our functions for the text and the lists they go through;
// CEL itself would count each call as one step, however long its argument.
type celCost struct{}

func (celCost) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	if function != "sum" && function != "norm" && function != "contains_norm" {
		return nil
	}
	cost := uint64(1)
	for _, a := range args {
		if s, ok := a.(traits.Sizer); ok {
			if n, ok := s.Size().(types.Int); ok {
				cost += uint64(n) / 10
			}
		}
	}
	return &cost
}

// celValue prepares a decoded JSON value for CEL, which would compare a
// json.Number with 3 as false and say nothing. A whole number becomes an int,
// however it is spelt (3, 3.0, 3e0), any other a double. The two compare with
// each other; arithmetic on a field that may be either begins with double().
func celValue(v any) any {
	switch v := v.(type) {
	case json.Number:
		return celNumber(v)
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = celValue(item)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, item := range v {
			m[k] = celValue(item)
		}
		return m
	}
	return v
}

func celNumber(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, err := n.Float64()
	if err == nil && f == math.Trunc(f) && math.Abs(f) <= exactInteger {
		return int64(f)
	}
	return f
}
