package router

import "time"

// reserve is set aside of what is left of a job's time, so that its record can
// still be written.
const reserve = 250 * time.Millisecond

// tryLimits are the limits of one attempt. Each lies within its parent (R16).
type tryLimits struct {
	connect      time.Duration
	firstByte    time.Duration
	answerWithin time.Duration
}

// limitsFor splits what is left of the job's time over the next attempt.
func limitsFor(route *Route, left time.Duration) tryLimits {
	answer := min(route.AnswerWithin, max(left-reserve, 0))
	first := min(route.FirstByte, answer)
	return tryLimits{connect: min(route.Connect, first), firstByte: first, answerWithin: answer}
}

// enough says that an attempt which starts after wait has the time it needs.
func enough(route *Route, left, wait time.Duration) bool {
	return left-wait-reserve >= route.Needs
}

// sendWindow is how long after its record an attempt's request may still leave.
// Later it is not sent, and only later may an operator say that it was not.
func sendWindow(route *Route) time.Duration { return route.Connect + time.Second }
