package openairesponses

import (
	"context"
	"net/http"

	"inferonce/contracts"
	"inferonce/providers"
)

// Lookup asks for a response once and changes nothing. It needs the
// provider's id: the API has no list, so without one nothing can be found and
// nothing is claimed; a webhook or an operator must bring the id. A finding
// carries the attempt id that the response was created with, and a response of
// another attempt than the one asked about is a failure. The failures are
// open: they say nothing about the call.
func (c *Client) Lookup(ctx context.Context, call providers.Call) (providers.Finding, error) {
	if !goodID(call.Reference) {
		return providers.Finding{}, noReference()
	}
	key := c.key()
	got, f := c.retrieve(ctx, call.Reference, call.AttemptID, call.Limits, key)
	return conclude(got, f, call, key)
}

// Cancel asks once that a response be stopped. Asking twice is asking once: the
// provider answers with the response as it is.
func (c *Client) Cancel(ctx context.Context, call providers.Call) (providers.Finding, error) {
	if !goodID(call.Reference) {
		return providers.Finding{}, noReference()
	}
	key := c.key()
	got, f := c.ask(ctx, http.MethodPost, c.base+"/"+call.Reference+"/cancel", call.Reference, call.AttemptID, call.Limits, key)
	return conclude(got, f, call, key)
}

// conclude says what an answer about a call means for it.
func conclude(got response, f *contracts.Failure, call providers.Call, key string) (providers.Finding, error) {
	switch {
	case f != nil && f.Code == codeAbsent:
		return providers.Finding{State: providers.FoundAbsent, Reference: call.Reference}, nil
	case f != nil:
		return providers.Finding{}, open(f, f.Code)
	}
	found := got.finding(key)
	if found.AttemptID != "" && call.AttemptID != "" && found.AttemptID != call.AttemptID {
		return providers.Finding{}, &contracts.Failure{Class: contracts.Internal, Effect: contracts.Open, Code: "other_attempt",
			Detail: "the response with this id was created for another attempt"}
	}
	return found, nil
}

func (r response) finding(key string) providers.Finding {
	f := providers.Finding{State: providers.FoundRunning, Reference: r.ID, AttemptID: r.attempt()}
	switch {
	case !r.ended():
	case r.Status == "cancelled":
		f.State = providers.FoundCancelled
	default:
		done, failure := r.completion(key)
		if failure != nil {
			f.State, f.Failure = providers.FoundFailed, failure
			break
		}
		f.State, f.Completion = providers.FoundDone, &done
	}
	return f
}

func noReference() *contracts.Failure {
	return &contracts.Failure{Class: contracts.InvalidRequest, Effect: contracts.Open, Code: "no_reference",
		Detail: "this provider finds a call by its id only, and no id is known; a webhook may still name it"}
}
