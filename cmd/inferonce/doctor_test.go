package main

import (
	"errors"
	"testing"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

func TestDoctorJudges(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	pass := func(left time.Duration) jobstore.Eligibility {
		return jobstore.Eligibility{State: jobstore.Eligible, Proof: &jobstore.Proof{Expires: now.Add(left)}}
	}
	for _, row := range []struct {
		name string
		got  finding
		want string
	}{
		{"a store that breaks a promise", judgeOpened(&jobstore.RefusedError{Reason: "r", Fix: "f"}), verdictFail},
		{"a store that is away", judgeOpened(jobstore.ErrUnavailable), verdictCouldNot},
		{"a clock two seconds behind", judgeClock(-2 * time.Second), verdictOK},
		{"a clock further behind", judgeClock(-2001 * time.Millisecond), verdictFail},
		{"a fifth of the memory free", judgeMemory(jobstore.Memory{Used: 80, Most: 100}), verdictOK},
		{"less than a fifth", judgeMemory(jobstore.Memory{Used: 81, Most: 100}), verdictFail},
		{"memory without a bound", judgeMemory(jobstore.Memory{Used: 81}), verdictWarn},
		{"an hour in the unknown queue", judgeUnknown(jobstore.Counts{Unknown: 1, OldestUnknown: time.Hour}), verdictOK},
		{"more than that", judgeUnknown(jobstore.Counts{Unknown: 1, OldestUnknown: time.Hour + 1}), verdictWarn},
		{"a pass with two days left", judgeEligibility("x", pass(48*time.Hour), now), verdictOK},
		{"a pass with less", judgeEligibility("x", pass(48*time.Hour-1), now), verdictWarn},
		{"a pass that is over", judgeEligibility("x", pass(0), now), verdictFail},
		{"no pass", judgeEligibility("x", jobstore.Eligibility{}, now), verdictWarn},
		{"a provider that answers", judgePing("x", nil), verdictOK},
		{"a key that is refused", judgePing("x", &contracts.Failure{Class: contracts.Auth}), verdictFail},
		{"no list of models", judgePing("x", &contracts.Failure{Class: contracts.NotFound}), verdictWarn},
		{"an error of no class", judgePing("x", errors.New("e")), verdictCouldNot},
		{"an answer of one token", judgePing("x", finished(&contracts.Failure{Class: contracts.Truncated, Effect: contracts.Ended, Code: "length"})), verdictOK},
		{"an answer cut on the wire", judgePing("x", finished(&contracts.Failure{Class: contracts.Truncated, Effect: contracts.Ended, Code: "cut"})), verdictFail},
	} {
		if row.got.Verdict != row.want {
			t.Errorf("%s: %+v, want %s", row.name, row.got, row.want)
		}
		if row.want != verdictOK && row.got.Fix == "" {
			t.Errorf("%s: it does not say what to do", row.name)
		}
	}
}
