package conformance

import "slices"

// The ids that rules name.
const (
	idTaken   = "PAR-01"
	idRight   = "SEM-01"
	idFilter  = "ENV-08"
	idNothing = "SEM-05"

	idGrounded = "SEM-02"
	idAgree    = "SEM-03"
	idFits     = "SEM-04"
)

// Catalog returns the checks of this suite, in the order in which it comes to
// them: the contract alone, errors, parameters, rendering, the answers to cases,
// and what shows only in all of them together.
func Catalog() []Check {
	return slices.Concat(lintChecks(), errorChecks(), parameterChecks(), renderChecks(), answerChecks(), streamChecks(), steadyChecks())
}

// answerChecks are in the order in which a run is held against them: was the
// request taken, is there an answer, is it well formed, is it right.
func answerChecks() []Check {
	form := []Check{
		{ID: idTaken, Class: Hard, Proves: "R24", Says: "the target takes the request as live traffic sends it", run: requestTaken},
		{ID: "ENV-01", Class: Hard, Proves: "R24", Says: "the response is one parsable envelope with a choice", run: envelope},
		{ID: "ENV-02", Class: Hard, Proves: "R24", Says: "a success holds no error", run: noErrorInside},
		{ID: idFilter, Class: Capability, Proves: "R24", Says: "no case is refused or withheld by a content filter", run: notFiltered},
		{ID: "ENV-07", Class: Hard, Proves: "R24", Says: "the answer is not cut", run: notTruncated},
		{ID: "ENV-04", Class: Hard, Proves: "R24", Says: "the answer stands in the answer field", run: answerField},
		{ID: "ENV-03", Class: Hard, Proves: "R24", Says: "the finish reason is known and fits the answer", run: finishKnown},
		{ID: "ENV-06", Class: Hard, Proves: "R24", Says: "the model that was asked answered", run: askedModel},
		{ID: "STR-01", Class: Hard, Proves: "R24", Says: "the answer is exactly one JSON value", form: inText, run: oneValue},
		{ID: "STR-05", Class: Hard, Proves: "R24", Says: "numbers are of a size that software can hold", form: inText, run: numbersSane},
		{ID: "STR-02", Class: Hard, Proves: "R24", Says: "no member stands twice in an object", form: inText, run: noDuplicates},
		{ID: "STR-08", Class: Hard, Proves: "R24", Says: "strings hold no broken text, tags or control tokens", run: stringsClean},
		{ID: "STR-03", Class: Hard, Proves: "R24", Says: "no top-level member is invented, even where the schema is open", form: inText, run: nothingInvented},
		{ID: "STR-06", Class: Hard, Proves: "R24", Says: "null, missing and empty are kept apart", form: inText, run: emptyDistinct},
		{ID: "STR-07", Class: Hard, Proves: "R24", Says: "listed values are used byte for byte", form: inText, run: enumsExact},
		{ID: "STR-04", Class: Hard, Proves: "R24", Says: "the output schema holds, formats included", form: inText, run: schemaHolds},
		{ID: "STR-10", Class: Hard, Proves: "R24", Says: "the answer keeps what its request asks of it: the schema, the tools, the choice among them", form: inChat, run: requestKept},
		{ID: "STR-09", Class: Statistical, Proves: "R24", Says: "the answer is not padded with white space", form: inText, run: notPadded},
	}
	meaning := []Check{
		{ID: idNothing, Class: Hard, Proves: "R24", Says: "where there is no answer, none is invented", form: inText, run: rightAnswer, applies: negative},
	}
	all := []Check{
		{ID: idGrounded, Class: Statistical, Proves: "R24", Says: "what is extracted stands in the input",
			run: keepsAssertions(idGrounded, "a value does not stand in the input")},
		{ID: idAgree, Class: Statistical, Proves: "R24", Says: "the fields of an answer agree",
			run: keepsAssertions(idAgree, "fields of the answer do not agree")},
		{ID: idFits, Class: Statistical, Proves: "R24", Says: "the answer fits the input",
			run: keepsAssertions(idFits, "the answer does not fit the input")},
		{ID: idRight, Class: Statistical, Proves: "R24", Says: "the answer is the right one", run: rightAnswer},
		{ID: "ENV-05", Class: Statistical, Proves: "R24", Says: "the counts of tokens are true", set: usageTrue, least: minUsage},
		{ID: "SEM-06", Class: Statistical, Proves: "R24", Says: "edits that mean nothing change nothing", probe: irrelevant, after: true},
		{ID: "SEM-07", Class: Hard, Proves: "R24", Says: "cases that differ in the deciding fact get different answers", set: pairsDiffer},
		{ID: "SEM-08", Class: Hard, Proves: "R24", Says: "the answers are not a constant", set: notConstant},
	}
	return slices.Concat(form, toolForm(), meaning, toolMeaning(), all)
}
