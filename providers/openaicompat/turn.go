package openaicompat

import (
	openai "github.com/sashabaranov/go-openai"

	"inferonce/providers"
)

// toTurn says a turn in go-openai's words. The calls of an assistant's turn go
// back as they came, and a result under the id of its call.
func toTurn(m providers.Message) openai.ChatCompletionMessage {
	out := openai.ChatCompletionMessage{Role: m.Role, Content: m.Content, ToolCallID: m.ToolCallID}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, openai.ToolCall{ID: c.ID, Type: openai.ToolTypeFunction,
			Function: openai.FunctionCall{Name: c.Name, Arguments: c.Arguments}})
	}
	return out
}

func toSeed(seed *int64) *int {
	if seed == nil {
		return nil
	}
	n := int(*seed)
	return &n
}
