package conformance

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"inferonce/contracts"
)

// redacted stands where a secret stood.
const redacted = "[redacted]"

// shortestSecret that is looked for, in bytes: a shorter text stands in too
// many places by chance.
const shortestSecret = 4

// Redactor takes secrets out of texts: the ones it was told, as they are,
// escaped for a URL and in base64, and whatever has the shape of a key.
type Redactor struct{ known *strings.Replacer }

// shapes of secrets that nobody told us: what a header, a URL or a well-known
// issuer of keys looks like, and what is put in its place.
var shapes = []struct {
	is *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`(?i)\b(bearer\s+)[A-Za-z0-9._~+/=-]{16,}`), "${1}" + redacted},
	{regexp.MustCompile(`(?i)\b(basic\s+)[A-Za-z0-9+/]{8,}={1,2}`), "${1}" + redacted},
	{regexp.MustCompile(`(?i)\b((?:x-api-key|api-key|x-goog-api-key)["']?\s*[:=]\s*["']?)[^\s"',;\[]{6,}`), "${1}" + redacted},
	{regexp.MustCompile(`(?i)([?&](?:api[-_]?key|key|token|access_token|sig|signature)=)[^&\s"'#]+`), "${1}" + redacted},
	{regexp.MustCompile(`://[^/\s@:"']+:[^/\s@"']+@`), "://" + redacted + "@"},
	{regexp.MustCompile(`\b(?:sk|pk|rk|gsk|xai|hf|ghp|gho|glpat|xoxb|xoxp|AIza|AKIA|eyJ)[-_]?[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+)*`), redacted},
}

// NewRedactor makes a Redactor that knows these secrets. An empty or very short
// one is passed over.
func NewRedactor(secrets ...string) *Redactor {
	var all []string
	for _, s := range secrets {
		if len(s) >= shortestSecret {
			all = append(all, s, url.QueryEscape(s), url.PathEscape(s), base64.StdEncoding.EncodeToString([]byte(s)))
		}
	}
	// The replacer tries its pairs in order, so the longest comes first.
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, s := range slices.Compact(all) {
		pairs = append(pairs, s, redacted)
	}
	return &Redactor{strings.NewReplacer(pairs...)}
}

// Text returns s without secrets. Doing it twice changes nothing more.
func (r *Redactor) Text(s string) string {
	s = r.known.Replace(s)
	for _, shape := range shapes {
		s = shape.is.ReplaceAllString(s, shape.to)
	}
	return s
}

func (r *Redactor) in(texts ...*string) {
	for _, t := range texts {
		*t = r.Text(*t)
	}
}

// report redacts every text of a report that a provider or model may have
// chosen. What identifies the report is ours.
func (r *Redactor) report(rep *contracts.Report) {
	r.in(&rep.Stopped)
	r.list(rep.Model.Served)
	r.list(rep.Model.SystemFingerprints)
	r.list(rep.Reasons)
	for i := range rep.Checks {
		r.in(&rep.Checks[i].Detail)
	}
	for i := range rep.Cases {
		c := &rep.Cases[i]
		r.in(&c.Expected, &c.Reproduce)
		for j := range c.Runs {
			r.in(&c.Runs[j].Message, &c.Runs[j].Content)
			r.failure(c.Runs[j].Failure)
		}
	}
}

func (r *Redactor) list(texts []string) {
	for i := range texts {
		r.in(&texts[i])
	}
}

func (r *Redactor) failure(f *contracts.Failure) {
	if f == nil {
		return
	}
	r.in(&f.Code, &f.Detail)
	f.Violations = slices.Clone(f.Violations)
	for i := range f.Violations {
		v := &f.Violations[i]
		r.in(&v.Pointer, &v.Rule, &v.Message)
	}
}
