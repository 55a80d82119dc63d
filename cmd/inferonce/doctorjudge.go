package main

import (
	"errors"
	"fmt"
	"time"

	"inferonce/contracts"
	"inferonce/jobstore"
)

// finding is what doctor says of one thing.
type finding struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
	Detail  string `json:"detail"`
	Fix     string `json:"fix,omitempty"`
}

// The verdicts.
const (
	verdictOK       = "ok"
	verdictWarn     = "warn"
	verdictFail     = "fail"
	verdictCouldNot = "could_not" // nothing is known
)

func ok(name, detail string) finding { return finding{name, verdictOK, detail, ""} }

func couldNot(name, detail, fix string) finding { return finding{name, verdictCouldNot, detail, fix} }

// What doctor takes for too much.
const (
	mostSkew    = 2 * time.Second
	leastFree   = 20 // percent
	expiresSoon = 48 * time.Hour
	oldUnknown  = time.Hour
)

func judgeOpened(err error) finding {
	if e, refused := errors.AsType[*jobstore.RefusedError](err); refused {
		return finding{"store", verdictFail, e.Reason, e.Fix}
	}
	if err != nil {
		return couldNot("store", "it does not answer", "check address, credentials and TLS in store.redis, and that Redis runs")
	}
	return ok("store", "version, role, eviction, persistence and shards fit the durability")
}

func judgeClock(skew time.Duration) finding {
	if skew.Abs() > mostSkew {
		return finding{"store clock", verdictFail, fmt.Sprintf("it is %s apart from this machine's", skew.Abs().Round(time.Millisecond)), "keep both on NTP"}
	}
	return ok("store clock", fmt.Sprintf("within %s of this machine's", mostSkew))
}

func judgeMemory(m jobstore.Memory) finding {
	switch {
	case m.Most <= 0:
		return finding{"store memory", verdictWarn, "maxmemory is not set: Redis grows until the machine ends it", "CONFIG SET maxmemory, with maxmemory-policy noeviction"}
	case 100*float64(m.Most-m.Used) < leastFree*float64(m.Most):
		return finding{"store memory", verdictFail, fmt.Sprintf("less than %d %% of maxmemory is free", leastFree), "raise maxmemory, or shorten store.retention"}
	}
	return ok("store memory", fmt.Sprintf("at least %d %% of maxmemory is free", leastFree))
}

func judgeUnknown(c jobstore.Counts) finding {
	if c.Unknown > 0 && c.OldestUnknown > oldUnknown {
		return finding{"unknown queue", verdictWarn, fmt.Sprintf("%s, the oldest for %s", count(int(c.Unknown), "job"), c.OldestUnknown.Round(time.Second)), "inferonce unknown list, then resolve"}
	}
	return ok("unknown queue", count(int(c.Unknown), "job"))
}

func judgeEligibility(name string, e jobstore.Eligibility, now time.Time) finding {
	const fix = "inferonce conformance run for the target and the contract"
	switch {
	case e.State != jobstore.Eligible || e.Proof == nil:
		return finding{name, verdictWarn, "it may not take over", "inferonce eligibility list tells why; " + fix}
	case !now.Before(e.Proof.Expires):
		return finding{name, verdictFail, "its pass has expired", fix}
	case e.Proof.Expires.Sub(now) < expiresSoon:
		return finding{name, verdictWarn, "its pass expires at " + at(e.Proof.Expires), fix}
	}
	return ok(name, "its pass is valid until "+at(e.Proof.Expires))
}

// judgePing reads what a provider answered to the cheapest call. Its own text is not shown.
func judgePing(name string, err error) finding {
	f, known := errors.AsType[*contracts.Failure](err)
	switch {
	case err == nil:
		return ok(name, "it answers and takes the key")
	case !known:
		return couldNot(name, "the call could not be made", "check base_url")
	case f.Class == contracts.Auth:
		return finding{name, verdictFail, "it refuses the key", "correct api_key, or ask the provider for another"}
	case f.Class == contracts.NotFound:
		return finding{name, verdictWarn, "it answers, but does not list its models: the key is not proved", "doctor --live makes one small paid call"}
	case f.Class == contracts.Connection && f.Effect == contracts.None:
		return finding{name, verdictFail, "no connection: " + f.Code, "check base_url, DNS, the route to it and its certificate"}
	}
	return finding{name, verdictFail, "it answered with " + string(f.Class) + "/" + f.Code, "try again; if it stays, see the provider's status page"}
}

// doctorExit is the code of a whole examination.
func doctorExit(all []finding) error {
	var bad, unseen int
	for _, f := range all {
		switch f.Verdict {
		case verdictFail:
			bad++
		case verdictCouldNot:
			unseen++
		}
	}
	switch {
	case bad > 0:
		return exitf(exitChecksFailed, "%s failed; each says what to do", count(bad, "check"))
	case unseen > 0:
		return exitf(exitCouldNotRun, "%s could not be made; each says what to do", count(unseen, "check"))
	}
	return nil
}

// finished takes an answer that is empty or was cut at its one token for what it
// is here: the provider answered.
func finished(err error) error {
	f, known := errors.AsType[*contracts.Failure](err)
	if known && f.Effect == contracts.Ended && (f.Class == contracts.Truncated && f.Code != "cut" || f.Class == contracts.BadResponse && f.Code == "empty") {
		return nil
	}
	return err
}
