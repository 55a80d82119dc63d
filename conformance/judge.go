package conformance

import (
	"encoding/json"
	"errors"
	"slices"

	"inferonce/contracts"
)

// Judge decides what one answer is worth, for one contract and one model. It
// never changes and is safe for concurrent use.
type Judge struct {
	contract *contracts.Contract
	model    string
	served   []string
	shape    shape
	checks   []Check
	calls    CallProfile
}

// NewJudge makes a Judge of answers to contract by the model of that name.
// served are further names under which the model may say that it answered.
func NewJudge(contract *contracts.Contract, model string, served ...string) *Judge {
	return &Judge{contract: contract, model: model, served: served,
		shape: newShape(contract.OutputSchema()), checks: checksFor(contract)}
}

// With returns a Judge that goes by what a provider's profile says of its calls.
func (j *Judge) With(p CallProfile) *Judge {
	other := *j
	other.calls = p
	return &other
}

// Ruling is what came of one run.
type Ruling struct {
	// Check is the id of the first check that failed; "" if none did.
	Check string
	// Infra says that the outcome tells nothing about the model. Check is then "".
	Infra bool
	// Message says why, in words that hold nothing of the answer.
	Message string
	// Failure is nil exactly if all checks hold.
	Failure *contracts.Failure
	// Output is the answer's value if it has the contract's form, right or wrong.
	Output json.RawMessage
}

// Passed says that every check holds.
func (r Ruling) Passed() bool { return r.Failure == nil }

// Classify holds what a provider's call returned against the checks, in their
// order. It is a pure function. The case of a live request has an input and
// nothing else: then an answer that has the contract's form and keeps its
// assertions is right. An err that is no *contracts.Failure is a fault of ours.
func (j *Judge) Classify(k contracts.Case, got contracts.Completion, err error) Ruling {
	failure := asFailure(err)
	if failure != nil && isInfra(failure) {
		return Ruling{Infra: true, Message: causeOf(failure), Failure: failure}
	}
	s := &sight{judge: j, kase: k, got: got, failure: failure}
	for _, c := range j.checks {
		if c.run == nil || c.applies != nil && !c.applies(k) {
			continue
		}
		if m := c.run(s); m.message != "" {
			return s.against(c.ID, m)
		}
	}
	if failure != nil { // no check knows it, and nothing that failed may pass
		return Ruling{Check: "ENV-01", Message: causeOf(failure), Failure: failure}
	}
	return Ruling{Output: s.output}
}

// against is the ruling for a failed check. Only an answer that was held
// against its meaning has an output: anything else is no answer at all.
func (s *sight) against(id string, m miss) Ruling {
	r := Ruling{Check: id, Message: m.message, Failure: s.because(m)}
	if judged(id) {
		r.Output = s.output
	}
	return r
}

// judged says whether a run that failed this check, or none, got as far as its
// meaning. A case that a filter refused has no right answer.
func judged(id string) bool {
	return slices.Contains([]string{"", idRight, idNothing, idFilter, idGrounded, idAgree, idFits, idArguments, idNoCall}, id)
}

func asFailure(err error) *contracts.Failure {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*contracts.Failure](err); ok {
		return f
	}
	return &contracts.Failure{Class: contracts.Internal, Effect: contracts.Open, Code: "no_failure"}
}

// sight is one answer while it is looked at, and what earlier checks found out
// for later ones.
type sight struct {
	judge   *Judge
	kase    contracts.Case
	got     contracts.Completion
	failure *contracts.Failure // of the call; nil if it gave an answer

	read   bool
	bad    *contracts.Failure // from Judge
	output json.RawMessage    // the answer's value, once its form holds
	value  any                // decoded; nil where the text is no JSON
}

// because is the failure to record: the call's own, else the contract's, else
// one made of the miss.
func (s *sight) because(m miss) *contracts.Failure {
	if s.failure != nil {
		return s.failure
	}
	f := &contracts.Failure{Class: contracts.ContractViolation, Effect: contracts.Ended, Violations: m.places}
	if s.bad != nil {
		f.Class, f.Code = s.bad.Class, s.bad.Code
	}
	return f
}

// check reads the answer once and returns the contract's objection, nil if it
// has none.
func (s *sight) check() *contracts.Failure {
	if s.read {
		return s.bad
	}
	s.read = true
	output, bad := s.judge.contract.Judge(s.got, s.kase.Input)
	s.output, s.bad = output, bad
	if bad != nil && bad.Class == contracts.BadResponse {
		return bad
	}
	s.decode()
	return bad
}

// decode makes the value of an answer that Judge could read. An answer that
// breaks only an assertion has the contract's form all the same.
func (s *sight) decode() {
	raw, _ := s.judge.contract.Read(s.got, s.kase.Input)
	if json.Unmarshal(raw, &s.value) == nil && s.bad != nil && s.bad.Code == contracts.CodeAssertion {
		s.output = raw
	}
}
