package transport

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	const now = "Mon, 02 Mar 2026 10:00:00 GMT"
	type h = map[string]string
	cases := []struct {
		name string
		head h
		want time.Duration
	}{
		{"nothing stated", h{}, 0},
		{"seconds", h{"Retry-After": "2"}, 2 * time.Second},
		{"seconds with a fraction", h{"Retry-After": "1.5"}, 1500 * time.Millisecond},
		{"seconds between spaces", h{"Retry-After": " 2 "}, 2 * time.Second},
		{"milliseconds", h{"Retry-After-Ms": "250"}, 250 * time.Millisecond},
		{"the finest unit counts", h{"Retry-After-Ms": "250", "Retry-After": "7"}, 250 * time.Millisecond},
		{"unreadable milliseconds leave the seconds", h{"Retry-After-Ms": "soon", "Retry-After": "7"}, 7 * time.Second},
		{"zero milliseconds leave the seconds", h{"Retry-After-Ms": "0", "Retry-After": "7"}, 7 * time.Second},
		{"a date counts from the response's own date", h{"Retry-After": "Mon, 02 Mar 2026 10:00:30 GMT", "Date": now}, 30 * time.Second},
		{"a date in the form of RFC 850", h{"Retry-After": "Monday, 02-Mar-26 10:00:30 GMT", "Date": now}, 30 * time.Second},
		{"a date in the past", h{"Retry-After": "Mon, 02 Mar 2026 09:00:00 GMT", "Date": now}, 0},
		{"a date without a date to count from", h{"Retry-After": "Mon, 02 Mar 2026 10:00:30 GMT"}, 0},
		{"a date that is none", h{"Retry-After": "2026-03-02T10:00:30Z", "Date": now}, 0},
		{"zero", h{"Retry-After": "0"}, 0},
		{"a negative number is no year", h{"Retry-After": "-3", "Date": now}, 0},
		{"a sign is no year", h{"Retry-After": "+3", "Date": now}, 0},
		{"not a number", h{"Retry-After": "NaN"}, 0},
		{"infinity", h{"Retry-After": "Infinity"}, 0},
		{"infinity, short", h{"Retry-After-Ms": "inf"}, 0},
		{"an exponent", h{"Retry-After": "1e9"}, 0},
		{"a hexadecimal number", h{"Retry-After": "0x10"}, 0},
		{"words", h{"Retry-After": "in a moment"}, 0},
		{"a day is the longest wait", h{"Retry-After": "86400"}, 24 * time.Hour},
		{"more than a day is cut", h{"Retry-After": "86401"}, 24 * time.Hour},
		{"what overflows a duration is cut", h{"Retry-After": "9223372037"}, 24 * time.Hour},
		{"what overflows everything is cut", h{"Retry-After": strings.Repeat("9", 400)}, 24 * time.Hour},
		{"milliseconds that overflow are cut", h{"Retry-After-Ms": "99999999999999999999"}, 24 * time.Hour},
		{"a date years ahead is cut", h{"Retry-After": "Tue, 02 Mar 2100 10:00:00 GMT", "Date": now}, 24 * time.Hour},
		{"OpenAI's reset in milliseconds", h{"X-Ratelimit-Reset-Requests": "12ms"}, 12 * time.Millisecond},
		{"OpenAI's reset in minutes", h{"X-Ratelimit-Reset-Tokens": "6m0s"}, 6 * time.Minute},
		{"the longer of two resets", h{"X-Ratelimit-Reset-Requests": "1s", "X-Ratelimit-Reset-Tokens": "6m0s"}, 6 * time.Minute},
		{"a reset as a bare number is in seconds", h{"X-Ratelimit-Reset-Requests": "3"}, 3 * time.Second},
		{"a negative reset", h{"X-Ratelimit-Reset-Requests": "-1s"}, 0},
		{"a reset that overflows a duration is cut", h{"X-Ratelimit-Reset-Tokens": "99999999999h"}, 24 * time.Hour},
		{"a reset of NaN", h{"X-Ratelimit-Reset-Tokens": "NaN"}, 0},
		{"a reset of infinity", h{"X-Ratelimit-Reset-Requests": "inf"}, 0},
		{"Groq's reset with a fraction", h{"X-Ratelimit-Reset-Requests": "2m59.56s"}, 2*time.Minute + 59560*time.Millisecond},
		{"Azure's 0 is no wait", h{"Retry-After": "0", "Retry-After-Ms": "0"}, 0},
		{"Azure's -1 is no wait", h{"Retry-After": "-1", "Retry-After-Ms": "-1"}, 0},
		{"seconds are not taken for milliseconds", h{"Retry-After": "30"}, 30 * time.Second},
		{"the year of a date is not taken for seconds", h{"Retry-After": "Mon, 02 Mar 2026 10:00:01 GMT", "Date": now}, time.Second},
		{"negative milliseconds leave the seconds", h{"Retry-After-Ms": "-250", "Retry-After": "7"}, 7 * time.Second},
		{"Anthropic's reset is a moment", h{"Anthropic-Ratelimit-Requests-Reset": "2026-03-02T10:00:20Z", "Date": now}, 20 * time.Second},
		{"the latest of Anthropic's resets", h{"Anthropic-Ratelimit-Input-Tokens-Reset": "2026-03-02T11:00:40+01:00", "Anthropic-Ratelimit-Tokens-Reset": "2026-03-02T10:00:20Z", "Date": now}, 40 * time.Second},
		{"Anthropic's reset in the past", h{"Anthropic-Ratelimit-Tokens-Reset": "2026-03-02T09:00:00Z", "Date": now}, 0},
		{"Anthropic's reset without a date to count from", h{"Anthropic-Ratelimit-Tokens-Reset": "2026-03-02T10:00:20Z"}, 0},
		{"Anthropic's reset a thousand years ahead is cut", h{"Anthropic-Ratelimit-Tokens-Reset": "3026-03-02T10:00:20Z", "Date": now}, 24 * time.Hour},
		{"a stated wait goes before Anthropic's reset", h{"Retry-After": "2", "Anthropic-Ratelimit-Tokens-Reset": "2026-03-02T10:00:20Z", "Date": now}, 2 * time.Second},
		{"a stated wait goes before a reset", h{"Retry-After": "2", "X-Ratelimit-Reset-Requests": "9s"}, 2 * time.Second},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			head := http.Header{}
			for k, v := range tc.head {
				head.Set(k, v)
			}
			if got := RetryAfter(head); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("2", "250", "Mon, 02 Mar 2026 10:00:00 GMT", "6m0s")
	f.Add("-3", "NaN", "", "1e300h")
	f.Add("Mon, 02 Mar 2026 10:00:00 GMT", "", "Mon, 02 Mar 1026 10:00:00 GMT", "")
	f.Fuzz(func(t *testing.T, after, ms, date, reset string) {
		d := RetryAfter(http.Header{"Anthropic-Ratelimit-Tokens-Reset": {reset}, "Retry-After": {after}, "Retry-After-Ms": {ms}, "Date": {date}, "X-Ratelimit-Reset-Tokens": {reset}})
		if d < 0 || d > 24*time.Hour {
			t.Errorf("a wait of %s", d)
		}
	})
}
