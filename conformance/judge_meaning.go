package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"

	"inferonce/contracts"
)

// The bounds of insignificant white space inside an answer: pretty printing
// stays far below, a model that has lost its way does not.
const (
	maxPadShare = 0.5
	maxPadBytes = 2 << 10
)

func notPadded(s *sight) miss {
	var compact bytes.Buffer
	if s.failure != nil || json.Compact(&compact, []byte(s.got.Content)) != nil {
		return miss{}
	}
	pad := len(s.got.Content) - compact.Len()
	if pad <= maxPadBytes && float64(pad) <= maxPadShare*float64(len(s.got.Content)) {
		return miss{}
	}
	return miss{message: fmt.Sprintf("%d of %d bytes are white space", pad, len(s.got.Content))}
}

// rightAnswer holds the answer against the contract's assertions and against
// what the case knows of the right one.
func rightAnswer(s *sight) miss {
	if f := s.check(); f != nil && f.Code == contracts.CodeAssertion {
		return placesMiss(f.Violations, "an assertion of the contract does not hold")
	}
	if s.output == nil {
		return miss{}
	}
	return placesMiss(s.judge.contract.CheckCase(s.kase, s.output), "the answer is not the right one")
}
