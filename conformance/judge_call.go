package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"inferonce/contracts"
)

// isInfra says whether a failed call tells nothing about the model: the way
// there was blocked, or the account was. An error that came inside a success is
// the provider's way of answering and does tell (ENV-02).
func isInfra(f *contracts.Failure) bool {
	switch f.Class {
	case contracts.Connection, contracts.Timeout, contracts.RouterLost, contracts.Internal:
		return true
	case contracts.RateLimited, contracts.QuotaExhausted, contracts.Overloaded, contracts.ProviderError,
		contracts.Auth, contracts.NotFound:
		return !insideSuccess(f)
	}
	return false
}

func insideSuccess(f *contracts.Failure) bool { return f.Status >= 200 && f.Status < 300 }

// causeOf names a failed call by our own words and the status alone.
func causeOf(f *contracts.Failure) string {
	s := string(f.Class)
	if f.Code != "" {
		s += ": " + f.Code
	}
	if f.Status != 0 {
		s += fmt.Sprintf(", status %d", f.Status)
	}
	return s
}

// says makes a miss of a call that failed with one of the classes.
func (s *sight) failedWith(classes ...contracts.Class) bool {
	return s.failure != nil && slices.Contains(classes, s.failure.Class)
}

func (s *sight) missIf(broken bool, message string) miss {
	switch {
	case !broken:
		return miss{}
	case s.failure != nil:
		return miss{message: message + " (" + causeOf(s.failure) + ")"}
	}
	return miss{message: message}
}

func requestTaken(s *sight) miss {
	refused := s.failedWith(contracts.InvalidRequest, contracts.ContextLength) && !insideSuccess(s.failure)
	return s.missIf(refused, "the target refuses the request")
}

// The adapters' words for an answer without content, for one that the server
// refused itself, and for one that ends in an error.
const (
	codeEmpty   = "empty"
	codeRefused = "output_refused"
	codeFinish  = "finish_error"
)

func envelope(s *sight) miss {
	return s.missIf(s.failedWith(contracts.BadResponse) && (s.failure.Code != codeEmpty || s.failure.Status == 204),
		"the response is no envelope with a choice")
}

func noErrorInside(s *sight) miss {
	answered := s.failedWith(contracts.BadResponse, contracts.Truncated, contracts.ContentFiltered, contracts.ContractViolation)
	switch {
	case s.failure != nil && s.failure.Code == codeRefused:
		return miss{message: "the server refuses its own model's answer"}
	case s.failure != nil && s.failure.Code == codeFinish:
		return miss{} // a reason for the end, which has its own check
	}
	return s.missIf(s.failure != nil && insideSuccess(s.failure) && !answered, "the success holds an error")
}

func notFiltered(s *sight) miss {
	return s.missIf(s.failedWith(contracts.ContentFiltered) || s.failure == nil && s.got.FinishReason == "content_filter",
		"the provider refused the case or withheld the answer")
}

func notTruncated(s *sight) miss {
	return s.missIf(s.failedWith(contracts.Truncated) || s.failure == nil && s.got.FinishReason == "length",
		"the answer is cut")
}

func answerField(s *sight) miss {
	if callInText(s) {
		return miss{message: "a call stands in the text and not among the calls"}
	}
	return s.missIf(s.failedWith(contracts.BadResponse) || s.failure == nil && strings.TrimSpace(s.got.Content) == "" && len(s.got.ToolCalls) == 0,
		"the answer field is empty")
}

// finishKnown wants "stop", or calls of the tools that a contract offers: every
// other word that we know has been judged by now. A missing reason hides whether the
// answer was cut.
func finishKnown(s *sight) miss {
	switch {
	case s.failure != nil && s.failure.Code == codeFinish:
		return miss{message: "the finish reason is an error"}
	case s.failure != nil || s.got.FinishReason == "stop" || s.got.FinishReason == "tool_calls" && s.offered():
		return miss{}
	case s.got.FinishReason == "":
		return miss{message: "the answer gives no finish reason"}
	case s.got.FinishReason == "tool_calls":
		return miss{message: "the answer ends in tool calls, and no tool was offered"}
	}
	return miss{message: "the finish reason is unknown"}
}

// offered says that calls were an answer that could come. In a chat STR-10 knows
// which, if any, the request allows.
func (s *sight) offered() bool { return len(s.judge.contract.Tools) > 0 || s.judge.contract.Chat }

func askedModel(s *sight) miss {
	switch {
	case s.failure != nil || sameModel(s.judge.model, s.got.Model) || slices.Contains(s.judge.served, s.got.Model):
		return miss{}
	case s.got.Model == "":
		return miss{message: "the answer does not say which model gave it"}
	}
	return miss{message: "another model answered than the one asked; if it is the same one, list its name as served"}
}

// revision is what providers put behind an alias when they name the model that
// really answered: a date or a short number ("gpt-4o" answers as
// "gpt-4o-2024-08-06", "gemini-1.5-pro" as "gemini-1.5-pro-002").
var revision = regexp.MustCompile(`^-(\d{3,4}|\d{6}|\d{8}|\d{4}-\d{2}-\d{2})$`)

func sameModel(asked, served string) bool {
	rest, ok := strings.CutPrefix(served, strings.TrimSuffix(asked, "-latest"))
	return served == asked || ok && revision.MatchString(rest)
}
