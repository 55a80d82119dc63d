package gemini

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// envelope is google.rpc.Status as the API sends it.
type envelope struct {
	Error struct {
		Code    jsontext.Value   `json:"code"`
		Status  string           `json:"status"`
		Message string           `json:"message"`
		Details []jsontext.Value `json:"details"`
	} `json:"error"`
}

// detail is one of google.rpc's details: ErrorInfo, RetryInfo or QuotaFailure.
type detail struct {
	Reason     string `json:"reason"`
	RetryDelay string `json:"retryDelay"`
	Violations []struct {
		Quota string `json:"quotaId"`
	} `json:"violations"`
}

// account is what an envelope says, once its details have been read.
type account struct {
	status, message, reason string
	daily                   bool
	delay                   time.Duration
}

// parse reads the API's own account of a failure. In answers to streams, and
// through some gateways, it stands in a list.
func parse(body []byte) (account, bool) {
	var list []envelope
	var e envelope
	if json.Unmarshal(body, &e) != nil {
		if json.Unmarshal(body, &list) != nil || len(list) == 0 {
			return account{}, false
		}
		e = list[0]
	}
	a := account{status: e.Error.Status, message: e.Error.Message}
	for _, raw := range e.Error.Details {
		var d detail
		if json.Unmarshal(raw, &d) != nil {
			continue // of a type that we do not read
		}
		a.add(d)
	}
	return a, true
}

func (a *account) add(d detail) {
	if d.Reason != "" {
		a.reason = d.Reason
	}
	if wait := delay(d.RetryDelay); wait > 0 {
		a.delay = wait
	}
	for _, v := range d.Violations {
		a.daily = a.daily || strings.Contains(strings.ToLower(v.Quota), "perday")
	}
}

const maxWait = 24 * time.Hour

// delay reads a google.protobuf.Duration in JSON: "13s", "13.5s".
func delay(s string) time.Duration {
	if !strings.HasSuffix(s, "s") || strings.Trim(s, "0123456789.s") != "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil && len(s) > 10 { // more seconds than a Duration holds
		return maxWait
	}
	return min(max(d, 0), maxWait)
}
