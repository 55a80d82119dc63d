package contracts

import "strings"

// Probes are a contract's words about questions that conformance asks beside
// its cases. A model that can't follow free instructions at all, such as a
// classifier that knows one grammar and nothing else, can't repeat a code; its
// contract says so, with the reason, and every report repeats the reason.
//
//	probes: {rendering: not_applicable, reason: "a classifier under a grammar; it can't repeat text"}
type Probes struct {
	NoRendering bool   // checks of the family REN do not apply
	Reason      string // why; never empty where one does not apply
}

// probes refuses a family that is switched off without a reason: whoever reads
// the report must be able to judge it.
func (r *reader) probes(n *node) Probes {
	if !r.is(n, "probes", kindMap) {
		return Probes{}
	}
	r.known(n, "probes", "rendering", "reason")
	p := Probes{Reason: strings.TrimSpace(r.text(n.field("reason"), "reason"))}
	rendering := n.field("rendering")
	switch word := r.text(rendering, "rendering"); {
	case rendering == nil || rendering.kind != kindString:
	case word == "not_applicable":
		p.NoRendering = true
	case word != "required":
		r.fault(rendering, FileFault, "rendering is neither required nor not_applicable", "write required, or leave probes out")
	}
	if p.NoRendering && p.Reason == "" {
		r.fault(n, FileFault, "probes are declared not applicable without a reason", "add reason: and say why no such model can answer them")
	}
	return p
}
