package conformance

// minUsage is the share of answers whose counts have to be true.
const minUsage = 0.99

// usageTrue looks at the counts beside each answer: both there, both positive,
// since a prompt and an answer were there.
func usageTrue(cases []caseResult) setResult {
	var r setResult
	for _, c := range cases {
		for _, run := range c.runs {
			if run.content == "" && run.Output == nil {
				continue
			}
			held := 1
			if u := run.usage; !u.Reported || u.InputTokens <= 0 || u.OutputTokens <= 0 {
				held = -1
			}
			r.add(held, "case "+c.ID+": an answer comes without true counts of tokens")
		}
	}
	return r
}
