package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"inferonce/contracts"
	"inferonce/jobstore"
	"inferonce/router"
)

// The bounds of what a caller may say beside the input. Metadata has those of
// the OpenAI API, which clients know already.
const (
	maxName          = 256
	maxMetadata      = 16
	maxMetadataName  = 64
	maxMetadataValue = 512
)

// infer is POST /v1/infer: one intent, one job. It answers from the record, so
// a repeat gets what the first call got, or would have got.
func (a *api) infer(x *exchange) error {
	req, how, err := a.readIntent(x)
	if err != nil {
		return err
	}
	s, err := a.Router.Submit(x.r.Context(), req)
	if err != nil {
		return err
	}
	if how.applied != "" {
		x.w.Header().Set("Preference-Applied", how.applied)
	}
	job, err := a.await(x.r.Context(), s, how)
	if err != nil {
		return accepted(x, s.Job, err)
	}
	return x.answerJob(&job, s.Replayed)
}

// readIntent checks the request in the documented order. Nothing is stored yet.
func (a *api) readIntent(x *exchange) (router.Request, delivery, error) {
	req := router.Request{Owner: x.caller.Owner}
	var err error
	// Without the header the contract may derive a key from the input (R7).
	if keys := x.r.Header.Values("Idempotency-Key"); len(keys) > 0 {
		if req.Key, err = contracts.CheckIdempotencyKey(keys); err != nil {
			return req, delivery{}, err
		}
	}
	m, canonical, err := a.object(x, "contract", "input", "metadata", "callback_url")
	if err != nil {
		return req, delivery{}, err
	}
	if err := checkIntent(m); err != nil {
		return req, delivery{}, err
	}
	how, err := deliveryOf(x.r.Header, a.MaxWait)
	if err != nil {
		return req, delivery{}, err
	}
	req.Contract, err = m.text("contract", maxName)
	req.Input, req.Intent, req.Budget = m["input"], canonical, how.budget
	req.Fingerprint = contracts.Fingerprint(x.route.method, x.route.path, canonical)
	return req, how, err
}

// checkIntent refuses a body that is no intent, naming the member.
func checkIntent(m members) error {
	if _, ok := m["callback_url"]; ok {
		p := newProblem(codeCallbacks, "this router delivers no callbacks yet")
		at := pointer("callback_url")
		p.Pointer = &at
		return p
	}
	name, err := m.text("contract", maxName)
	if err := cmp.Or(m.require("contract"), err, m.require("input")); err != nil {
		return err
	}
	if name == "" {
		return bodyProblem(reasonValue, pointer("contract"), `"contract" must be a name, or name@version`)
	}
	return checkMetadata(m["metadata"])
}

func checkMetadata(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil || all == nil {
		return bodyProblem(reasonType, pointer("metadata"), `"metadata" must be an object of strings`)
	}
	if len(all) > maxMetadata {
		return bodyProblem(reasonTooLong, pointer("metadata"), fmt.Sprintf(`"metadata" may have %d members`, maxMetadata))
	}
	for _, name := range sortedNames(all) {
		if len(name) > maxMetadataName {
			return bodyProblem(reasonTooLong, pointer("metadata", name), fmt.Sprintf("a name in \"metadata\" may have %d bytes", maxMetadataName))
		}
		if _, err := readText(all[name], maxMetadataValue, "metadata", name); err != nil {
			return err
		}
	}
	return nil
}

func sortedNames(m map[string]json.RawMessage) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

var errWaitOver = errors.New("the caller's wait is over")

// await holds the call open for the job's outcome, as long as the caller wants.
// The job goes on whatever becomes of the caller.
func (a *api) await(ctx context.Context, s router.Submitted, how delivery) (jobstore.Job, error) {
	if how.wait == 0 || !s.Job.State.Live() {
		return s.Job, nil
	}
	ctx, stop := context.WithTimeoutCause(ctx, how.wait, errWaitOver)
	defer stop()
	return a.Router.Wait(ctx, s)
}

// accepted is the problem of a job that is safe although its state could not
// be read: the answer names it.
func accepted(x *exchange, j jobstore.Job, err error) error {
	x.job = &j
	x.w.Header().Set("Location", jobPath(j.ID))
	p := problemOf(err)
	if p.Code == codeStore {
		p.Detail = "the job is accepted, but its state can't be read now"
	}
	p.JobID = j.ID
	return p
}
