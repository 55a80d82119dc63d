package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// delivery is how the answer is wanted. It is no part of the intent.
type delivery struct {
	wait    time.Duration // how long to hold the call open; 0: answer at once
	budget  time.Duration // 0: the route's
	applied string        // the preferences that were followed (RFC 7240 3)
}

// maxBudget is the largest budget that makes sense to state.
const maxBudget = 24 * time.Hour

// deliveryOf reads the headers that say how to deliver. Its error is a *problem.
func deliveryOf(h http.Header, maxWait time.Duration) (delivery, error) {
	d := delivery{wait: maxWait}
	if err := d.prefer(h.Values("Prefer"), maxWait); err != nil {
		return d, err
	}
	if hint := clientTimeout(h.Get("X-Stainless-Timeout")); hint > 0 {
		d.wait = min(d.wait, hint)
	}
	values := h.Values("Inferonce-Budget")
	if len(values) == 0 {
		return d, nil
	}
	budget, err := time.ParseDuration(values[0])
	if err != nil || len(values) > 1 || budget <= 0 || budget > maxBudget {
		return d, newProblem(codeBudget, fmt.Sprintf("Inferonce-Budget must be one duration above 0 and up to %s, such as 20s", maxBudget))
	}
	d.budget = budget
	return d, nil
}

// prefer reads Prefer (RFC 7240): wait=SECONDS, respond-async. Of a preference
// stated twice the first counts, unknown ones are ignored, and respond-async
// with a wait means to answer early only after that wait (4.3).
func (d *delivery) prefer(values []string, maxWait time.Duration) error {
	async, waits := false, false
	for preference := range strings.SplitSeq(strings.Join(values, ","), ",") {
		preference, _, _ = strings.Cut(preference, ";")
		name, value, _ := strings.Cut(preference, "=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "respond-async":
			async = true
		case "wait":
			wait, ok := seconds(value, maxWait)
			if !ok {
				return newProblem(codePrefer, "Prefer: wait must be a whole number of seconds, such as wait=10")
			}
			if !waits {
				waits, d.wait = true, wait
			}
		}
	}
	switch {
	case waits:
		d.applied = "wait=" + strconv.Itoa(int(d.wait/time.Second))
	case async:
		d.wait, d.applied = 0, "respond-async"
	}
	return nil
}

// seconds reads delta-seconds, which have no upper bound (RFC 9110 10.2.3);
// what is above most is most.
func seconds(value string, most time.Duration) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
		value = value[1 : len(value)-1]
	}
	if value == "" || strings.ContainsFunc(value, func(r rune) bool { return r < '0' || r > '9' }) {
		return 0, false
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return most, true // digits only, so it is too large
	}
	return min(time.Duration(n)*time.Second, most), true
}

// clientTimeout is how long OpenAI's SDKs wait for an answer, less a tenth so
// that ours arrives before they give up. It is a hint: what is no number of
// seconds is ignored.
func clientTimeout(value string) time.Duration {
	s, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(s) || s <= 0 || s > maxBudget.Seconds() {
		return 0
	}
	return time.Duration(s * 0.9 * float64(time.Second))
}
