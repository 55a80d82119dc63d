package sim

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// errImpossible is what a call says whose fault its own request rules out.
var errImpossible = errors.New("this request leaves no such answer")

// spoil returns the answer that the act makes of a good one, or errImpossible.
// The good answer is left as it is.
func spoil(act string, a *answer, root *node) (*answer, error) {
	switch act {
	case "number_bomb":
		return replaceFirst(a, literal("1e20000000"), func(n *node) bool { return n.kind == '0' }), nil
	case "deep":
		return deep(a), nil
	case "garbage":
		return garbage(a), nil
	}
	if a.value == nil {
		return nil, errImpossible
	}
	v := a.value.clone()
	switch act {
	case "extra_key":
		return extraKey(v, root)
	case "wrong_schema":
		return wrongSchema(v, root)
	case "wrong_answer":
		return wrongAnswer(v, root)
	}
	return a, nil
}

// replaceFirst puts v in the place of the first member that fits, of the first
// member if none does, or of the whole where there are no members.
func replaceFirst(a *answer, v *node, fits func(*node) bool) *answer {
	if a.value == nil || a.value.kind != '{' || len(a.value.items) == 0 {
		return jsonAnswer(v)
	}
	out := a.value.clone()
	out.items[max(0, slices.IndexFunc(out.items, fits))] = v
	return jsonAnswer(out)
}

// deep nests arrays until the whole has DeepLevels levels.
func deep(a *answer) *answer {
	levels := DeepLevels
	if a.value != nil && a.value.kind == '{' && len(a.value.items) > 0 {
		levels--
	}
	v := &node{kind: '0', raw: strings.Repeat("[", levels) + strings.Repeat("]", levels)}
	return replaceFirst(a, v, func(*node) bool { return true })
}

// garbage puts bytes that no UTF-8 text holds (RFC 3629) at the end of the
// first string in the content, where a lenient reader still finds valid JSON.
func garbage(a *answer) *answer {
	const bad, mark = "\xff\xfe\xc0", "\uE000"
	quoted := string(a.quoted[:len(a.quoted)-1]) + mark + `"`
	if a.value != nil {
		v := a.value.clone()
		w := walker{nil, func(_, n *node) bool { return appendTo(n, mark) }}
		if w.visit(literal("true"), v, true) {
			quoted = string(jsonAnswer(v).quoted)
		}
	}
	return &answer{quoted: []byte(strings.Replace(quoted, mark, bad, 1)), words: a.words}
}

func appendTo(n *node, s string) bool {
	if n.kind == '"' {
		n.raw = n.raw[:len(n.raw)-1] + s + `"`
	}
	return n.kind == '"'
}

func extraKey(v, root *node) (*answer, error) {
	if v.kind != '{' {
		return nil, errImpossible
	}
	name := "invented_by_provider"
	for v.get(name) != nil || root.get("properties").get(name) != nil {
		name += "_"
	}
	v.set(name, literal("true"))
	return jsonAnswer(v), nil
}

// wrongSchema breaks the first value whose schema forbids something, or drops
// a required member.
func wrongSchema(v, root *node) (*answer, error) {
	w := walker{root, func(s, n *node) bool { return breakValue(root, s, n) }}
	if root != nil && w.visit(root, v, false) {
		return jsonAnswer(v), nil
	}
	return nil, errImpossible
}

func breakValue(root, schema, n *node) bool {
	for _, c := range []string{`"not_declared"`, "12.5", "true", "null", "[]", "{}"} {
		if bad := literal(c); forbids(root, schema, bad, 0) {
			*n = *bad
			return true
		}
	}
	return false
}

// wrongAnswer changes the first enum, else the first boolean, string or number
// to another value that its schema allows.
func wrongAnswer(v, root *node) (*answer, error) {
	for _, change := range []func(s, n *node) bool{otherOfEnum, otherBoolean, otherString, otherNumber} {
		w := walker{root, change}
		if w.visit(cmpOr(root, literal("true")), v, true) {
			return jsonAnswer(v), nil
		}
	}
	return nil, errImpossible
}

func otherOfEnum(s, n *node) bool {
	all := s.get("enum").list()
	at := slices.IndexFunc(all, func(e *node) bool { return e.String() == n.String() })
	if at < 0 || len(all) < 2 {
		return false
	}
	*n = *all[(at+1)%len(all)].clone()
	return true
}

func otherBoolean(s, n *node) bool {
	if n.kind != 't' && n.kind != 'f' || stated(s) {
		return false
	}
	*n = *literal(strconv.FormatBool(n.kind == 'f'))
	return true
}

func otherString(s, n *node) bool {
	if n.kind != '"' || stated(s) || s.get("format") != nil || s.get("pattern") != nil || s.get("maxLength") != nil {
		return false
	}
	*n = *stringNode(n.text() + " not")
	return true
}

func otherNumber(s, n *node) bool {
	v, err := strconv.ParseInt(n.raw, 10, 64)
	if n.kind != '0' || err != nil || stated(s) || s.get("maximum") != nil || s.get("exclusiveMaximum") != nil || s.get("multipleOf") != nil {
		return false
	}
	*n = *literal(strconv.FormatInt(v+1, 10))
	return true
}

// stated reports whether the schema lists its values.
func stated(s *node) bool { return s.get("enum") != nil || s.get("const") != nil }
