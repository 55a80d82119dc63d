package telemetry

import (
	"context"
	"errors"
	"log/slog"

	"inferonce/jobstore"
	"inferonce/router"
)

// write logs o as one line: the event is the message, and what is empty is left out.
func (t *Telemetry) write(level slog.Level, o router.Observation) {
	ctx := context.Background()
	if t.log.Enabled(ctx, level) {
		t.log.LogAttrs(ctx, level, string(o.Event), fields(o)...)
	}
}

// fields are what a line may hold. An attempt goes by its full name, which is
// the one that its provider saw (R9).
func fields(o router.Observation) []slog.Attr {
	var out []slog.Attr
	text := func(key, value string) {
		if value != "" {
			out = append(out, slog.String(key, value))
		}
	}
	text("job", name(o.Job))
	if o.Attempt > 0 {
		text("attempt", jobstore.AttemptID(name(o.Job), o.Attempt))
	}
	text("target", name(o.Target))
	text("contract", name(o.Contract))
	text("owner", person(o.Owner))
	text("class", word(string(o.Class)))
	text("effect", word(string(o.Effect)))
	text("code", word(o.Code))
	text("state", word(o.State))
	text("by", person(o.By))
	if o.Elapsed != 0 {
		out = append(out, slog.Duration("elapsed", o.Elapsed))
	}
	if o.Recovered {
		out = append(out, slog.Bool("recovered", true))
	}
	if o.FromUnknown {
		out = append(out, slog.Bool("from_unknown", true))
	}
	if o.Err != nil {
		text("err", errorWord(o.Err))
	}
	return out
}

// errorWords name the errors that a move can be refused with, the more precise
// first: what is indeterminate is unavailable too.
var errorWords = []struct {
	err  error
	word string
}{
	{jobstore.ErrRolledBack, "rolled_back"},
	{jobstore.ErrNotReplicated, "not_replicated"},
	{jobstore.ErrIndeterminate, "indeterminate"},
	{jobstore.ErrUnavailable, "unavailable"},
	{jobstore.ErrNotFound, "not_found"},
	{jobstore.ErrEnded, "ended"},
	{jobstore.ErrStale, "stale"},
	{jobstore.ErrBlocked, "blocked"},
	{jobstore.ErrHeld, "held"},
	{jobstore.ErrQuarantined, "quarantined"},
	{jobstore.ErrLimit, "limit"},
	{jobstore.ErrLost, "lost"},
	{jobstore.ErrBusy, "busy"},
	{context.DeadlineExceeded, "deadline"},
	{context.Canceled, "cancelled"},
}

// errorWord is all that is logged of an error: its text may hold an address, a
// credential, or what somebody else's program said.
func errorWord(err error) string {
	for _, known := range errorWords {
		if errors.Is(err, known.err) {
			return known.word
		}
	}
	return other
}
