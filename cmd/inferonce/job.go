package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// job is what the tables show of a job, as the API words it. The JSON output
// never passes through it.
type job struct {
	ID          string             `json:"id"`
	State       jobstore.JobState  `json:"state"`
	Version     int64              `json:"version"`
	Contract    string             `json:"contract"`
	Key         string             `json:"idempotency_key"`
	Created     time.Time          `json:"created_at"`
	Ended       time.Time          `json:"ended_at"`
	Deadline    time.Time          `json:"deadline"`
	CompletedBy int                `json:"completed_by"`
	Recovered   bool               `json:"recovered"`
	Result      *contracts.Result  `json:"result"`
	Error       *jobstore.JobError `json:"error"`
	Cost        *cost              `json:"cost"`
	Attempts    []attempt          `json:"attempts"`
}

type cost struct {
	Certain  string `json:"certain_usd"`
	Possible string `json:"possible_usd"`
}

type attempt struct {
	Number       int                   `json:"number"`
	Target       string                `json:"target"`
	Provider     string                `json:"provider"`
	Model        string                `json:"model"`
	State        jobstore.AttemptState `json:"state"`
	Started      time.Time             `json:"started_at"`
	Ended        time.Time             `json:"ended_at"`
	UnknownSince time.Time             `json:"unknown_since"`
	Reference    string                `json:"reference"`
	Failure      *contracts.Failure    `json:"failure"`
	Settlement   *jobstore.Settlement  `json:"settlement"`
	Late         *jobstore.Late        `json:"late"`
}

// decode reads an answer of the router for a table.
func decode[T any](body []byte) (T, error) {
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		return v, exitf(exitCouldNotRun, "the answer is not of the shape that this program knows; are router and program of one version? (inferonce version)")
	}
	return v, nil
}

// job prints a job: its JSON as it came, or its fields, attempts and output.
func (p *printer) job(body []byte) error {
	if p.json {
		return p.raw(body)
	}
	j, err := decode[job](body)
	if err != nil {
		return err
	}
	if err := p.fields(j.fields()); err != nil {
		return err
	}
	if len(j.Attempts) == 0 {
		return nil
	}
	fmt.Fprintln(p.out)
	return p.table([]string{"ATTEMPT", "TARGET", "MODEL", "STATE", "STARTED", "ENDED", "WHY"}, j.attemptRows())
}

func (j *job) fields() [][2]string {
	pairs := [][2]string{{"job", j.ID}, {"state", string(j.State)}, {"contract", j.Contract}, {"key", j.Key},
		{"version", fmt.Sprint(j.Version)}, {"created", at(j.Created)}, {"deadline", at(j.Deadline)}, {"ended", at(j.Ended)}}
	if r := j.Result; r != nil {
		by := fmt.Sprintf("%s, attempt %d", r.Target, j.CompletedBy)
		if j.Recovered {
			by += ", after an earlier one did not succeed"
		}
		pairs = append(pairs, [2]string{"by", by}, [2]string{"output", string(r.Output)})
	}
	if c := j.Cost; c != nil {
		pairs = append(pairs, [2]string{"cost", "$" + c.Certain + " certain, up to $" + c.Possible + " more possible"})
	}
	if e := j.Error; e != nil {
		pairs = append(pairs, [2]string{"error", e.Code + ": " + e.Message})
		for _, x := range e.Excluded {
			pairs = append(pairs, [2]string{"", x.Target + ": " + x.Reason})
		}
	}
	return pairs
}

func (j *job) attemptRows() [][]string {
	rows := make([][]string, len(j.Attempts))
	for i := range j.Attempts {
		a := &j.Attempts[i]
		rows[i] = []string{fmt.Sprint(a.Number), a.Target, a.Model, string(a.State), at(a.Started), at(a.Ended), a.why()}
	}
	return rows
}

// why says what made an attempt what it is.
func (a *attempt) why() string {
	var words []string
	if f := a.Failure; f != nil {
		words = append(words, failureWords(f))
	}
	if s := a.Settlement; s != nil {
		words = append(words, fmt.Sprintf("settled as %s by %s: %s", s.As, s.By, s.Reason))
	}
	if a.Late != nil {
		words = append(words, fmt.Sprintf("a late result of %d bytes was discarded", a.Late.Bytes))
	}
	return strings.Join(words, "; ")
}

func failureWords(f *contracts.Failure) string {
	s := string(f.Class)
	if f.Code != "" && f.Code != s {
		s += "/" + f.Code
	}
	s += ", effect " + string(f.Effect)
	if f.Detail != "" {
		s += ": " + f.Detail
	}
	return s
}

// targetOf is who gave the result, or who was asked last.
func (j *job) targetOf() string {
	n := j.CompletedBy
	if n == 0 {
		n = len(j.Attempts)
	}
	if n < 1 || n > len(j.Attempts) {
		return ""
	}
	return j.Attempts[n-1].Target
}

// at is a time as tables show it: UTC, to the second; "" for none.
func at(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}
