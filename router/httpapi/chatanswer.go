package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// completionView is an answer as OpenAI's clients read it
// (platform.openai.com/docs/api-reference/chat/object). It is made of the record
// alone, so that a repeat gets the same bytes.
type completionView struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"` // the one that answered
	Choices []choiceView `json:"choices"`
	Usage   *usageView   `json:"usage,omitempty"` // left out where the provider counted nothing
}

type choiceView struct {
	Index    int         `json:"index"`
	Message  messageView `json:"message"`
	Logprobs *struct{}   `json:"logprobs"`
	Finish   string      `json:"finish_reason"`
}

type messageView struct {
	Role    string     `json:"role"`
	Content *string    `json:"content"`
	Refusal *string    `json:"refusal"`
	Calls   []callView `json:"tool_calls,omitempty"`
}

type callView struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type usageView struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

// answerChat sends a job's result. A job without one is an error in OpenAI's
// shape: final, or a word to come back with the same key.
func (x *exchange) answerChat(j *jobstore.Job, input json.RawMessage, replayed bool) error {
	x.job = j
	if j.State.Live() {
		return comeBackFor(x.w.Header(), j)
	}
	if replayed {
		x.w.Header().Set("Idempotent-Replayed", "true")
	}
	if j.State != jobstore.JobSucceeded {
		return endedBadly(j)
	}
	v, err := viewCompletion(j, input)
	if err != nil {
		return err
	}
	return x.send(http.StatusOK, v)
}

func viewCompletion(j *jobstore.Job, input json.RawMessage) (*completionView, error) {
	said, err := contracts.ReadChatAnswer(j.Result.Output, input)
	if err != nil {
		return nil, err
	}
	message := messageView{Role: "assistant", Content: said.Content}
	for _, call := range said.Calls {
		c := callView{ID: call.ID, Type: "function"}
		c.Function.Name, c.Function.Arguments = call.Name, call.Arguments
		message.Calls = append(message.Calls, c)
	}
	v := &completionView{ID: "chatcmpl-" + strings.TrimPrefix(j.ID, "job_"), Object: "chat.completion", Created: j.Created.Unix(),
		Model: j.Result.Model, Choices: []choiceView{{Message: message, Finish: finishOf(j.Result, said)}}}
	if u := j.Result.Usage; u.InputTokens+u.OutputTokens > 0 {
		v.Usage = &usageView{u.InputTokens, u.OutputTokens, u.InputTokens + u.OutputTokens}
	}
	return v, nil
}

// finishOf puts a provider's word into one of those that clients switch on.
func finishOf(r *contracts.Result, said contracts.ChatAnswer) string {
	switch {
	case len(said.Calls) > 0:
		return "tool_calls"
	case r.FinishReason == "length":
		return "length"
	}
	return "stop"
}

// comeBackFor is the answer for a job that is still under way when the wait is
// over: 409, which every common SDK sends again by itself, with the same key, and
// which the IETF draft on idempotency keys names for it.
func comeBackFor(h http.Header, j *jobstore.Job) *problem {
	detail := "the job " + j.ID + " is " + string(j.State)
	if j.State == jobstore.JobUnknown {
		detail += ": its provider went silent, and nothing else is started until it is known what became of the call"
	}
	p := newProblem(codeInProgress, detail)
	p.JobID, p.wait = j.ID, lookAgain(j.State)
	h.Set("Location", jobPath(j.ID))
	return p
}
