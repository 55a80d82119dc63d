package providers

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"inferonce/contracts"
)

func asks(ids ...string) Message {
	m := Message{Role: "assistant"}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, contracts.ToolCall{ID: id, Name: "tool_" + id, Arguments: "{}"})
	}
	return m
}

func says(role, content string) Message { return Message{Role: role, Content: content} }

func result(id string) Message { return Message{Role: "tool", ToolCallID: id, Content: "r" + id} }

// drawn is a conversation in one line: M and U for the sides.
func drawn(c Conversation) string {
	out := strings.Join(c.System, "+") + "|"
	for _, t := range c.Turns {
		side := "U"
		if t.Model {
			side = "M"
		}
		for _, s := range t.Said {
			side += " " + s.Message.Role + ":" + s.Message.Content + s.ToolName
		}
		out += side + ";"
	}
	return out
}

func TestTurnsOfOneSideStandTogether(t *testing.T) {
	cases := []struct {
		name string
		all  []Message
		want string
	}{
		{"system texts stand apart, in their order", []Message{says("system", "a"), says("system", "b"), says("user", "q")}, "a+b|U user:q;"},
		{"two turns of a user are one", []Message{says("user", "a"), says("user", "b")}, "|U user:a user:b;"},
		{"results and what the user adds are one turn, each result knows its tool",
			[]Message{says("user", "q"), asks("1", "2"), result("2"), result("1"), says("user", "and?")},
			"|U user:q;M assistant:;U tool:r2tool_2 tool:r1tool_1 user:and?;"},
		{"an id that comes back belongs to the turn before", []Message{says("user", "q"), asks("1"), result("1"), asks("1"), result("1")},
			"|U user:q;M assistant:;U tool:r1tool_1;M assistant:;U tool:r1tool_1;"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			c, err := Converse(tc.all)
			if err != nil || drawn(c) != tc.want {
				t.Errorf("got %s, %v\nwant %s", drawn(c), err, tc.want)
			}
		})
	}
}

func TestWhatATwoSidedAPIHasNoPlaceForIsNamed(t *testing.T) {
	q := says("user", "q")
	cases := []struct {
		name string
		all  []Message
		part string
	}{
		{"nothing", nil, "messages"},
		{"system texts alone", []Message{says("system", "s")}, "messages"},
		{"a system text in the middle", []Message{q, says("system", "s")}, "messages[1]"},
		{"an unknown role", []Message{says("developer", "d"), q}, "messages[0].role"},
		{"parts of an assistant", []Message{q, {Role: "assistant", Parts: []Part{{Text: "a"}}}, q}, "messages[1].parts"},
		{"a model that begins", []Message{says("assistant", "a"), q}, "messages[0]"},
		{"a model that ends", []Message{q, says("assistant", "a")}, "messages[1]"},
		{"a call without its result", []Message{q, asks("1")}, "messages[1]"},
		{"one result of two", []Message{q, asks("1", "2"), result("1")}, "messages[2]"},
		{"a result too late", []Message{q, asks("1"), q, result("1")}, "messages[2]"},
		{"a result of nothing", []Message{q, result("1")}, "messages[1].tool_call_id"},
		{"a result twice", []Message{q, asks("1"), result("1"), result("1")}, "messages[3].tool_call_id"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Converse(tc.all)
			var u *Unsupported
			if !errors.As(err, &u) || u.Part != tc.part || u.Reason == "" {
				t.Errorf("got %s, want the part %s", fmt.Sprint(err), tc.part)
			}
		})
	}
}
