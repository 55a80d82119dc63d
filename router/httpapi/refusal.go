package httpapi

import (
	"errors"
	"fmt"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/router"
)

// keyExample is what a caller without a key needs to see. The host is left to
// the caller: a Host header is anybody's text.
const keyExample = `no Idempotency-Key header, and the contract derives none from the input. For example: ` +
	`curl "$INFERONCE_URL/v1/infer" -H "Authorization: Bearer $INFERONCE_KEY" -H "Content-Type: application/json" ` +
	`-H "Idempotency-Key: order-8841" -d '{"contract":"ticket-triage","input":{"text":"My card has not arrived."}}'`

// problemOf is the problem that an error of a gate, the router or the store
// means to the caller. What it does not know is internal. The text of an error
// is used only where it is ours from end to end.
func problemOf(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	if p := typedProblem(err); p != nil {
		return p
	}
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			p := newProblem(s.code, s.detail)
			p.wait = s.wait
			return p
		}
	}
	return newProblem(codeInternal, "an error that should not happen")
}

// sentinels are looked up in order: what is indeterminate is unavailable too.
var sentinels = []struct {
	err    error
	code   string
	detail string
	wait   time.Duration
}{
	{router.ErrKeyRequired, codeKeyRequired, keyExample, 0},
	{router.ErrBusy, codeBusy, "as many jobs are under way as this router may have", time.Second},
	{router.ErrDraining, codeDraining, "this router takes no new work", time.Second},
	{router.ErrNoReason, codeReason, "every settlement and every change of eligibility is recorded with its reason", 0},
	{jobstore.ErrNotFound, codeJobNotFound, "you have no job with this id", 0},
	{jobstore.ErrEnded, codeJobEnded, "another outcome stands already", 0},
	{jobstore.ErrLost, codeJobEnded, "another outcome stands already", 0},
	{jobstore.ErrBusy, codeUnderWay, "the job has an attempt under way", time.Second},
	{jobstore.ErrBlocked, codeUnderWay, "an earlier attempt is still open", time.Second},
	{jobstore.ErrHeld, codeUnderWay, "a router is at work on the job", time.Second},
	{jobstore.ErrCursor, codeCursor, "no listing gave out this cursor", 0},
	{jobstore.ErrRolledBack, codeRollback, "the store has lost records that it had acknowledged; nothing is sent until an operator lets it go on", 30 * time.Second},
	{jobstore.ErrNotReplicated, codeReplica, "the job is stored, but no replica has confirmed it; nothing was sent", 2 * time.Second},
	{jobstore.ErrIndeterminate, codeStore, "the store did not say whether it was done; the same request, sent again, tells", 2 * time.Second},
	{jobstore.ErrUnavailable, codeStore, "the store does not answer; nothing was sent to a provider", 2 * time.Second},
}

func typedProblem(err error) *problem {
	if e, ok := errors.AsType[*contracts.UnknownContractError](err); ok {
		return unknownName(codeContractUnknown, "no contract is called "+clip(e.Ref), e.Known)
	}
	if e, ok := errors.AsType[*router.NoRouteError](err); ok {
		return unknownName(codeNoRoute, "no route serves "+clip(e.Contract), e.Known)
	}
	if e, ok := errors.AsType[*router.TargetError](err); ok {
		return unknownName(codeTargetUnknown, "no target is called "+clip(e.Target), e.Known)
	}
	if e, ok := errors.AsType[*router.InputError](err); ok {
		return violations(codeInputInvalid, fmt.Sprintf("the input breaks contract %s", e.Contract), e.Violations)
	}
	if e, ok := errors.AsType[*router.OutputError](err); ok {
		return violations(codeOutputInvalid, "the given output breaks the job's contract", e.Failure.Violations)
	}
	if e, ok := errors.AsType[*router.OverrideError](err); ok {
		return bodyProblem(reasonValue, pointer("override_until"), e.Message)
	}
	if e, ok := errors.AsType[*contracts.KeyError](err); ok {
		return newProblem(e.Code, "Idempotency-Key: "+e.Message)
	}
	return moveProblem(err)
}

// moveProblem is about what the record's present state does not let happen.
func moveProblem(err error) *problem {
	if e, ok := errors.AsType[*jobstore.KeyReusedError](err); ok {
		p := newProblem(codeKeyReused, "the key was used before, with another body or on another call")
		p.JobID = e.JobID
		return p
	}
	if e, ok := errors.AsType[*jobstore.ConflictError](err); ok {
		p := newProblem(codeConflict, fmt.Sprintf("the current version is %d", e.Version))
		p.Version = &e.Version
		return p
	}
	if e, ok := errors.AsType[*jobstore.NotUnknownError](err); ok {
		p := newProblem(codeNotUnknown, "the attempt is "+string(e.State))
		p.Reason = string(e.State)
		return p
	}
	if e, ok := errors.AsType[*jobstore.TooSoonError](err); ok {
		p := newProblem(codeTooSoon, "nobody can say yet that the attempt was not executed")
		p.wait = e.Wait
		return p
	}
	if e, ok := errors.AsType[*router.NotProvedError](err); ok {
		return newProblem(codeNotProved, e.Reason)
	}
	if e, ok := errors.AsType[*router.ReportError](err); ok {
		p := newProblem(codeReportRefused, e.Message)
		p.Reason = e.Code
		return p
	}
	return nil
}

func unknownName(code, detail string, known []string) *problem {
	p := newProblem(code, detail)
	p.Known = known
	return p
}

func violations(code, detail string, v []contracts.Violation) *problem {
	p := newProblem(code, detail)
	p.Errors = v
	return p
}
