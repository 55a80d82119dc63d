package failover

import (
	"encoding/json"
	"net/http"
	"time"

	"inferonce/contracts"
)

// The states that stories speak of.
const (
	queued    = "queued"
	running   = "running"
	unknown   = "unknown"
	succeeded = "succeeded"
	failed    = "failed"
	cancelled = "cancelled"
	discarded = "discarded"
)

// Job is a job as the router's face shows it.
type Job struct {
	ID          string            `json:"id"`
	State       string            `json:"state"`
	Version     int64             `json:"version"`
	Contract    string            `json:"contract"`
	CompletedBy int               `json:"completed_by"` // 0 for nobody
	Recovered   bool              `json:"recovered"`
	Result      *contracts.Result `json:"result"`
	Error       *struct {
		Code string `json:"code"`
	} `json:"error"`
	Attempts []Attempt `json:"attempts"`
}

// Live says that the job has not ended.
func (j *Job) Live() bool { return j.State == queued || j.State == running || j.State == unknown }

// Attempt finds an attempt by its number; the zero Attempt if there is none.
func (j *Job) Attempt(n int) Attempt {
	for _, a := range j.Attempts {
		if a.Number == n {
			return a
		}
	}
	return Attempt{}
}

// Attempt is one try at a job.
type Attempt struct {
	Number    int       `json:"number"`
	Target    string    `json:"target"`
	State     string    `json:"state"`
	StartedAt time.Time `json:"started_at"`
	EndedAt   time.Time `json:"ended_at"`
	// UnknownSince is when the attempt turned unknown, if it ever did.
	UnknownSince time.Time          `json:"unknown_since"`
	Failure      *contracts.Failure `json:"failure"`
	Settlement   *Settlement        `json:"settlement"`
	// Late is the note kept of a result that did not count.
	Late json.RawMessage `json:"late,omitempty"`
}

func (a Attempt) late() bool { return len(a.Late) > 0 && string(a.Late) != "null" }

func (a Attempt) class() contracts.Class {
	if a.Failure == nil {
		return ""
	}
	return a.Failure.Class
}

func (a Attempt) effect() contracts.Effect {
	if a.Failure == nil {
		return ""
	}
	return a.Failure.Effect
}

// Settlement is an outsider's word on an attempt.
type Settlement struct {
	As     string `json:"as"`
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// Problem is an answer that is not what was asked for (RFC 9457).
type Problem struct {
	Code     string                `json:"code"`
	JobID    string                `json:"job_id"`
	Errors   []contracts.Violation `json:"errors"`
	Known    []string              `json:"known"`
	Excluded []struct {
		Target string `json:"target"`
		Reason string `json:"reason"`
	} `json:"excluded"`
	Job *Job `json:"job"`
}

// Standing is whether a target may take over for a contract, and why not.
type Standing struct {
	Target   string `json:"target"`
	Contract string `json:"contract"`
	Eligible bool   `json:"eligible"`
	Reason   string `json:"reason"`
	Record   *struct {
		Version int64 `json:"version"`
	} `json:"record"`
}

func (s Standing) version() int64 {
	if s.Record == nil {
		return 0
	}
	return s.Record.Version
}

// Answer is what came back for one request.
type Answer struct {
	Status int // 0 if no answer came
	Header http.Header
	Body   []byte
	Err    error // why no answer came
	// Job is the body, or the job inside a problem; nil if there is none.
	Job     *Job
	Problem *Problem
}

// read fills in what the body holds.
func (a *Answer) read() {
	var head struct {
		Object string `json:"object"`
		Code   string `json:"code"`
	}
	if json.Unmarshal(a.Body, &head) != nil {
		return
	}
	if head.Object == "job" {
		j := new(Job)
		if json.Unmarshal(a.Body, j) == nil {
			a.Job = j
		}
		return
	}
	p := new(Problem)
	if head.Code != "" && json.Unmarshal(a.Body, p) == nil {
		a.Problem, a.Job = p, p.Job
	}
}

// jobID is the job that the answer is about, "" if it names none.
func (a *Answer) jobID() string {
	switch {
	case a.Job != nil:
		return a.Job.ID
	case a.Problem != nil:
		return a.Problem.JobID
	}
	return ""
}

// code is the problem's, "" if the answer is none.
func (a *Answer) code() string {
	if a.Problem == nil {
		return ""
	}
	return a.Problem.Code
}
