package failover

type brokenRouter struct {
	flaw  flaw
	fails []string // patterns of story ids
}

var broken = []brokenRouter{
	{"runs again on a double click", []string{"double-click/*", "two-routers/double-click"}},
	{"returns the old job for another input", []string{"intent/*"}},
	{"compares bodies byte by byte", []string{"intent/same-meaning"}},
	{"ends the job with its caller", []string{"double-click/caller-gone"}},
	{"tries again after a timeout", []string{"unknown/timeout-blocks", "unknown/late-answer", "unknown/settle*", "unknown/cancelled",
		"unknown/html-502", "unknown/reset", "order/*", "kill/before-the-answer", "two-routers/settled-elsewhere"}},
	{"takes a lost answer for a failed one", []string{"unknown/html-502", "unknown/reset"}},
	{"lets a late result win", []string{"unknown/settled-executed", "unknown/cancelled", "order/*"}},
	{"takes any settlement", []string{"unknown/settlement-refused"}},
	{"never falls over", []string{"fallback/*", "external/refusal-falls-over", "eligibility/ineligible", "unknown/settled-not-executed", "order/reverse", "kill/before-the-call"}},
	{"sends a refused call again by itself", []string{"fallback/500", "fallback/503", "fallback/529", "unknown/html-502"}},
	{"hides that it recovered", []string{"fallback/*", "external/refusal-falls-over", "unknown/settled-not-executed"}},
	{"does not check answers", []string{"fallback/wrong-schema", "fallback/extra-key", "fallback/number-bomb", "external/no-second-run"}},
	{"ignores Retry-After", []string{"fallback/429-then-success", "kill/before-the-call"}},
	{"falls over to anybody", []string{"eligibility/ineligible"}},
	{"counts every switch", []string{"eligibility/switches"}},
	{"runs external effects twice", []string{"external/no-second-run"}},
	{"lets a refused request take the key", []string{"request/invalid-input", "request/bad-bodies"}},
	{"makes up a missing key", []string{"request/bad-keys"}},
	{"tells foreign ids apart", []string{"request/strangers", "request/other-owner"}},
	{"lets owners share keys", []string{"request/other-owner"}},
	{"works without its store", []string{"store/gone"}},
	{"calls again when the store is away", []string{"store/gone-meanwhile"}},
	{"runs ended jobs again later", []string{"afterwards/*", "eligibility/ineligible"}},
	{"forgets jobs when killed", []string{"kill/*"}},
}
