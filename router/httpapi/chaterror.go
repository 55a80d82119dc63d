package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// openAIError is an error as OpenAI's clients read it. job_id is ours.
type openAIError struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Code    string  `json:"code"`
		Param   *string `json:"param"`
		JobID   string  `json:"job_id,omitempty"`
	} `json:"error"`
}

// refuseOpenAI sends a problem in OpenAI's shape, under a status that makes no
// client send again what must not be sent again.
func (x *exchange) refuseOpenAI(p *problem) {
	p.Status = openAIStatus(p)
	p.head(x.w.Header())
	var e openAIError
	e.Error.Message, e.Error.Type, e.Error.Code, e.Error.JobID = openAIMessage(p), openAIType(p.Status), openAICode(p), p.JobID
	if param := openAIParam(p); param != "" {
		e.Error.Param = &param
	}
	if err := x.send(p.Status, e); err != nil {
		panic(err) // it is made of plain text
	}
}

// openAIStatus makes 400 of what is final and would be sent again: the common
// SDKs repeat 408, 409, 429 and 5xx, some of them whatever x-should-retry says, and
// other clients 422.
func openAIStatus(p *problem) int {
	again := p.Status == http.StatusConflict || p.Status == http.StatusUnprocessableEntity || p.Status >= 500
	if again && !p.Retryable {
		return http.StatusBadRequest
	}
	return p.Status
}

func openAIType(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusConflict:
		return "conflict_error"
	case status >= 500:
		return "server_error"
	}
	return "invalid_request_error"
}

// openAICode is ours, but for a job that ended in a content filter, for which
// clients look by OpenAI's word.
func openAICode(p *problem) string {
	if p.Code != codeJobFailed || p.Job == nil || len(p.Job.Attempts) == 0 {
		return p.Code
	}
	if f := p.Job.Attempts[len(p.Job.Attempts)-1].Failure; f != nil && f.Class == contracts.ContentFiltered {
		return "content_filter"
	}
	return p.Code
}

// openAIMessage says what is wrong, where, and what to do; violations and
// excluded targets too, since clients show nothing but the message.
func openAIMessage(p *problem) string {
	parts := []string{p.Detail}
	for _, v := range p.Errors[:min(len(p.Errors), 4)] {
		parts = append(parts, dotted(v.Pointer)+" "+v.Message)
	}
	for _, no := range p.Excluded[:min(len(p.Excluded), 4)] {
		parts = append(parts, excludedWords(no))
	}
	return strings.Join(parts, "; ") + ". " + p.Next
}

func excludedWords(no jobstore.Excluded) string { return no.Target + ": " + no.Reason }

func openAIParam(p *problem) string {
	switch {
	case p.Code == codeModelUnknown || p.Code == codeModelNotChat:
		return "model"
	case p.Code == codeUnsupported:
		return p.Reason
	case p.Pointer != nil:
		return dotted(*p.Pointer)
	case len(p.Errors) > 0:
		return dotted(p.Errors[0].Pointer)
	}
	return ""
}

// dotted writes a JSON pointer as OpenAI writes places: messages[1].content.
func dotted(pointer string) string {
	var b strings.Builder
	for i, token := range contracts.PointerTokens(pointer) {
		switch _, err := strconv.Atoi(token); {
		case err == nil:
			b.WriteString("[" + token + "]")
		case i > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}

func orNoModel(known []string) string {
	if len(known) == 0 {
		return "none, since no route serves a chat contract"
	}
	return strings.Join(known, ", ")
}

// retryCount is how often a client of OpenAI's has sent the request before, by
// its own count: above 0 under a key that nobody knows, an earlier try never came.
func retryCount(h http.Header) string {
	n := h.Get("X-Stainless-Retry-Count")
	if v, err := strconv.Atoi(n); err != nil || v < 1 || v > 99 {
		return ""
	}
	return n
}
