package transport

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest wait reported; a longer one is cut to it.
const maxWait = 24 * time.Hour

// number is the only form of a number that is taken: no sign, exponent, NaN or
// infinity, so that none of them can be read as a year or as "at once".
var number = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// RetryAfter is the wait that a provider asks for in its headers, 0 if it asks
// for none, at most 24 h. Of several forms the finest counts: retry-after-ms
// (milliseconds), then Retry-After (RFC 9110 10.2.3: seconds, here also with a
// fraction, or a date, taken against the response's own Date), then the
// x-ratelimit-reset durations of OpenAI, of which the longer, then Anthropic's
// anthropic-ratelimit-…-reset moments (RFC 3339), of which the latest. A form
// that can not be read, and a wait of 0, count as absent.
func RetryAfter(h http.Header) time.Duration {
	for _, d := range []time.Duration{
		scaled(h.Get("Retry-After-Ms"), time.Millisecond),
		scaled(h.Get("Retry-After"), time.Second),
		until(h.Get("Retry-After"), h.Get("Date")),
		max(duration(h.Get("X-Ratelimit-Reset-Requests")), duration(h.Get("X-Ratelimit-Reset-Tokens"))),
		latest(h),
	} {
		if d > 0 {
			return min(d, maxWait)
		}
	}
	return 0
}

// scaled reads a plain number of units. It saturates before it converts, since
// a float too large for a Duration becomes a negative one.
func scaled(s string, unit time.Duration) time.Duration {
	s = strings.TrimSpace(s)
	if !number.MatchString(s) {
		return 0
	}
	f, _ := strconv.ParseFloat(s, 64) // out of range gives +Inf, which saturates
	if f >= float64(maxWait/unit) {
		return maxWait
	}
	return time.Duration(f * float64(unit))
}

func until(at, date string) time.Duration {
	t, err := http.ParseTime(strings.TrimSpace(at))
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(date)
	if err != nil {
		return 0
	}
	return t.Sub(now)
}

// latest reads the moments at which Anthropic's limits are full again
// (platform.claude.com/docs/en/api/rate-limits), against the response's Date.
func latest(h http.Header) (wait time.Duration) {
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	for _, limit := range []string{"Requests", "Tokens", "Input-Tokens", "Output-Tokens"} {
		at, err := time.Parse(time.RFC3339, strings.TrimSpace(h.Get("Anthropic-Ratelimit-"+limit+"-Reset")))
		if err == nil {
			wait = max(wait, at.Sub(now)) // Sub saturates
		}
	}
	return wait
}

var durations = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(h|ms|m|s|us|µs|ns))+$`)

// duration reads "6m0s", "12ms", and a bare number as seconds. One that is
// well formed and yet too large for a Duration saturates.
func duration(s string) time.Duration {
	s = strings.TrimSpace(s)
	if d := scaled(s, time.Second); d > 0 {
		return d
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil && durations.MatchString(s):
		return maxWait
	case err != nil || d < 0:
		return 0
	}
	return d
}
