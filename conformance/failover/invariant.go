package failover

import (
	"fmt"
	"maps"
	"slices"

	"inferonce/contracts"
	"inferonce/providers/sim"
)

// Breaches says where a job was executed more often than it may be, one
// sentence each; none if the rule holds. ran is what the ledger knows of the
// job, in any order; entries of other jobs are passed over, and so are calls
// that executed nothing. races is set where the job's contract races.
//
//   - One attempt is executed at most once, and has a record.
//   - An attempt that was executed may be followed by another execution only if
//     its record says that it failed with effect ended or none, or that it was
//     settled from outside, or if the contract races.
func Breaches(j Job, ran []sim.Execution, races bool) []string {
	var out []string
	times := executions(j.ID, ran)
	numbers := slices.Sorted(maps.Keys(times))
	for i, n := range numbers {
		if times[n] > 1 {
			out = append(out, fmt.Sprintf("attempt %d was executed %d times", n, times[n]))
		}
		a := j.Attempt(n)
		if a.Number == 0 {
			out = append(out, fmt.Sprintf("attempt %d was executed and has no record", n))
		}
		if i+1 < len(numbers) && !races && !mayBeFollowed(a) {
			out = append(out, fmt.Sprintf("attempt %d was executed although attempt %d, executed before it, is %s", numbers[i+1], n, standing(a)))
		}
	}
	return out
}

// executions counts, for each attempt of the job, how often its work was done.
func executions(job string, ran []sim.Execution) map[int]int {
	times := map[int]int{}
	for _, e := range ran {
		if e.Job == job && e.Executed {
			times[e.Attempt]++
		}
	}
	return times
}

func mayBeFollowed(a Attempt) bool {
	if a.Settlement != nil {
		return true
	}
	return a.State == failed && (a.effect() == contracts.Ended || a.effect() == contracts.None)
}

func standing(a Attempt) string {
	switch {
	case a.Number == 0:
		return "not on record"
	case a.State == failed:
		return fmt.Sprintf("failed with effect %q", a.effect())
	}
	return a.State
}
