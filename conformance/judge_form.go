package conformance

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"inferonce/contracts"
)

// objection is the contract's, as a miss, if fits says that it belongs to the
// check that asks.
func (s *sight) objection(fits func(f *contracts.Failure) bool) miss {
	f := s.check()
	if s.failure != nil || f == nil || f.Class != contracts.BadResponse || !fits(f) {
		return miss{}
	}
	return miss{message: f.Detail}
}

// requestKept holds a chat's answer against the request: all that the contract
// objects to but for its own assertions, which are about meaning.
func requestKept(s *sight) miss {
	f := s.check()
	if s.failure != nil || f == nil || f.Code == contracts.CodeAssertion {
		return miss{}
	}
	if len(f.Violations) > 0 {
		return placesMiss(f.Violations, "the request's own schema, or its tools, do not hold")
	}
	return miss{message: f.Detail}
}

func hasCode(codes ...string) func(*contracts.Failure) bool {
	return func(f *contracts.Failure) bool { return slices.Contains(codes, f.Code) }
}

func numbersSane(s *sight) miss  { return s.objection(hasCode(contracts.ReasonNumber)) }
func noDuplicates(s *sight) miss { return s.objection(hasCode(contracts.ReasonDuplicateKey)) }

// oneValue takes every objection to the text that no later check owns. Bytes
// that are no UTF-8 break the text; half of a surrogate pair breaks a string.
func oneValue(s *sight) miss {
	return s.objection(func(f *contracts.Failure) bool {
		later := hasCode(contracts.ReasonNumber, contracts.ReasonDuplicateKey, contracts.ReasonDepth)(f)
		return !later && (f.Code != contracts.ReasonUTF8 || !utf8.ValidString(s.got.Content))
	})
}

func stringsClean(s *sight) miss {
	if m := s.objection(hasCode(contracts.ReasonUTF8)); m.message != "" {
		return m
	}
	where, what := dirt(s.value, newGround(s.kase.Input))
	if what == "" {
		return miss{}
	}
	return miss{"a string holds " + what, []contracts.Violation{{Pointer: where, Rule: "text", Message: "holds " + what}}}
}

// nothingInvented looks at the top level alone, and at open schemas too: a key
// that the author did not name is a key that no reader expects.
func nothingInvented(s *sight) miss {
	object, ok := s.value.(map[string]any)
	if !ok {
		return miss{}
	}
	var places []contracts.Violation
	echo := ""
	for _, key := range sortedKeys(object) {
		if s.judge.shape.declares(key) {
			continue
		}
		places = append(places, contracts.Violation{Pointer: contracts.PointerTo("", key), Rule: "additionalProperties", Message: "is not declared in the schema"})
		if slices.Contains([]string{"$schema", "properties", "type", "required"}, key) {
			echo = "; it repeats the schema's own word " + key
		}
	}
	if len(places) == 0 {
		return miss{}
	}
	return miss{fmt.Sprintf("%d top-level members are not declared%s", len(places), echo), places[:min(len(places), 8)]}
}

// broken returns the contract's schema violations that fit.
func (s *sight) broken(fits func(contracts.Violation) bool) []contracts.Violation {
	f := s.check()
	if f == nil || f.Code != contracts.CodeSchema {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.Violations), func(v contracts.Violation) bool { return !fits(v) })
}

// emptyDistinct owns null where null is not allowed, a member that is missing,
// and text or lists that are empty where something was wanted.
func emptyDistinct(s *sight) miss {
	places := s.broken(func(v contracts.Violation) bool {
		at, ok := at(s.value, v.Pointer)
		return v.Rule == "required" || ok && (at == nil || at == "" && v.Rule == "minLength")
	})
	return placesMiss(places, "null, missing or empty stands where a value was wanted")
}

// enumsExact names the nearest listed value: case and a neighbour field's
// words are the usual slips.
func enumsExact(s *sight) miss {
	places := s.broken(func(v contracts.Violation) bool {
		_, isText := textAt(s.value, v.Pointer)
		return isText && (v.Rule == "enum" || v.Rule == "const")
	})
	message := "a value is not one of those listed"
	if len(places) > 0 {
		got, _ := textAt(s.value, places[0].Pointer)
		if near := nearest(got, s.judge.shape.listed(places[0].Pointer)); near != "" {
			message += fmt.Sprintf("; the nearest is %q", near)
		}
	}
	return placesMiss(places, message)
}

// schemaHolds takes what is left, and text that nests too deep to be validated.
func schemaHolds(s *sight) miss {
	if m := s.objection(hasCode(contracts.ReasonDepth)); m.message != "" {
		return m
	}
	return placesMiss(s.broken(func(contracts.Violation) bool { return true }), "the output schema does not hold")
}

func placesMiss(places []contracts.Violation, message string) miss {
	if len(places) == 0 {
		return miss{}
	}
	return miss{message + " at " + pointers(places), places}
}

// pointers lists the first places; "" is the whole answer.
func pointers(places []contracts.Violation) string {
	var all []string
	for _, v := range places[:min(len(places), 3)] {
		all = append(all, fmt.Sprintf("%q", v.Pointer))
	}
	return strings.Join(all, ", ")
}
