package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// stamp is a time as the face writes it: RFC 3339 in UTC with milliseconds,
// null for none.
type stamp time.Time

func (s stamp) MarshalJSON() ([]byte, error) {
	t := time.Time(s)
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.UTC().AppendFormat(nil, `"2006-01-02T15:04:05.000Z"`), nil
}

// jobView is a job as its owner sees it.
type jobView struct {
	Object         string             `json:"object"`
	ID             string             `json:"id"`
	State          jobstore.JobState  `json:"state"`
	Version        int64              `json:"version"`
	Contract       string             `json:"contract"`
	IdempotencyKey string             `json:"idempotency_key"`
	CreatedAt      stamp              `json:"created_at"`
	EndedAt        stamp              `json:"ended_at"`
	Deadline       stamp              `json:"deadline"`
	CompletedBy    *int               `json:"completed_by"`
	Recovered      bool               `json:"recovered"`
	Result         *contracts.Result  `json:"result"`
	Error          *jobstore.JobError `json:"error"`
	Cost           *costView          `json:"cost,omitempty"`
	Attempts       []attemptView      `json:"attempts"`
}

type attemptView struct {
	Number       int                   `json:"number"`
	Target       string                `json:"target"`
	Provider     string                `json:"provider"`
	Model        string                `json:"model"`
	State        jobstore.AttemptState `json:"state"`
	StartedAt    stamp                 `json:"started_at"`
	EndedAt      stamp                 `json:"ended_at"`
	UnknownSince stamp                 `json:"unknown_since,omitzero"`
	Reference    string                `json:"reference,omitempty"` // the provider's id of the call
	Failure      *contracts.Failure    `json:"failure,omitempty"`
	Settlement   *jobstore.Settlement  `json:"settlement,omitempty"`
	Late         *jobstore.Late        `json:"late,omitempty"`
	Cost         *costView             `json:"cost,omitempty"`
}

// costView is money in dollars, as decimal text: certain where the provider
// counted or nothing ran, possible where it can have been as much at most.
type costView struct {
	Certain  string `json:"certain_usd"`
	Possible string `json:"possible_usd"`
}

func viewCost(certain, possible int64) *costView {
	return &costView{contracts.USD(certain), contracts.USD(possible)}
}

func viewJob(j *jobstore.Job) *jobView {
	v := &jobView{Object: "job", ID: j.ID, State: j.State, Version: j.Version, Contract: j.Contract, IdempotencyKey: j.Key,
		CreatedAt: stamp(j.Created), EndedAt: stamp(j.Ended), Deadline: stamp(j.Deadline), Recovered: j.Recovered(),
		Result: j.Result, Error: j.Error, Attempts: make([]attemptView, 0, len(j.Attempts))}
	if j.CompletedBy > 0 {
		v.CompletedBy = &j.CompletedBy
	}
	for i := range j.Attempts {
		v.Attempts = append(v.Attempts, viewAttempt(&j.Attempts[i]))
		if j.Attempts[i].Cost != nil {
			v.Cost = viewCost(j.Cost())
		}
	}
	return v
}

func viewAttempt(a *jobstore.Attempt) attemptView {
	v := attemptView{Number: a.Number, Target: a.Target, Provider: a.Provider, Model: a.Model, State: a.State,
		StartedAt: stamp(a.Started), EndedAt: stamp(a.Ended), UnknownSince: stamp(a.UnknownSince), Reference: a.Reference,
		Failure: a.Failure, Settlement: a.Settlement, Late: a.Late}
	switch c := a.Cost; {
	case c == nil:
	case c.Estimated:
		v.Cost = viewCost(0, c.MicroUSD)
	default:
		v.Cost = viewCost(c.MicroUSD, 0)
	}
	return v
}

// targetOf is who gave the job's result, or who was asked last.
func targetOf(j *jobstore.Job) string {
	a := j.Attempt(j.CompletedBy)
	if a == nil {
		a = j.Last()
	}
	if a == nil {
		return ""
	}
	return a.Target
}

// jobHeaders carries the job's identity where no body is parsed (R9).
func jobHeaders(h http.Header, j *jobstore.Job) {
	h.Set("Inferonce-Job-Id", j.ID)
	h.Set("Inferonce-Attempts", strconv.Itoa(len(j.Attempts)))
	if t := targetOf(j); t != "" {
		h.Set("Inferonce-Target", t)
	}
}

// etag is a version as an entity tag.
func etag(version int64) string { return strconv.Quote(strconv.FormatInt(version, 10)) }

// list is a part of a listing. Next is the cursor of the next part, null at the end.
type list[T any] struct {
	Object string  `json:"object"`
	Data   []T     `json:"data"`
	Next   *string `json:"next"`
}

func newList[T any](data []T, next string) list[T] {
	l := list[T]{Object: "list", Data: data}
	if next != "" {
		l.Next = &next
	}
	return l
}
