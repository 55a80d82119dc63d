package configs

import (
	"regexp"
	"slices"
	"strconv"
	"time"
)

func (d *decoder) checkTargets(c *Config) {
	if len(c.Targets) == 0 {
		d.missing("", "targets", "name at least one, such as mini: {provider: openai, model: MODEL}")
	}
	for _, name := range sorted(c.Targets) {
		at, t := child("targets", name), c.Targets[name]
		d.refers(at, "provider", t.Provider, "providers", sorted(c.Providers))
		if t.Model == "" {
			d.missing(at, "model", "write the provider's name of the model")
		}
		d.positive(at, "max_concurrency", int64(t.MaxConcurrency), 1<<20, true)
		d.positive(child(at, "breaker"), "failures", int64(t.Breaker.Failures), 1000, true)
		if b := child(at, "breaker"); t.Breaker.OpenFor <= 0 && d.given(b, "open_for") || t.Breaker.OpenFor > time.Hour {
			d.show(child(b, "open_for"))
			d.fault(b, "open_for", "out of range", "give a time up to an hour, such as 30s")
		}
		d.checkPrice(at, t.Price)
	}
}

// refers reports a name that isn't one of those defined in the section; it is
// quiet where the section itself is in trouble.
func (d *decoder) refers(parent, name, got, section string, defined []string) {
	switch {
	case d.bad[section]:
	case got == "":
		d.missing(parent, name, didYouMean("", defined))
	case !slices.Contains(defined, got):
		d.show(child(parent, name))
		d.fault(parent, name, "not one of the "+section, didYouMean(got, defined))
	}
}

// contractName is name or name@version.
var contractName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}(@[1-9][0-9]{0,8})?$`)

func (d *decoder) checkRoutes(c *Config) {
	if len(c.Routes) == 0 {
		d.missing("", "routes", "name at least one, such as ticket-triage: {contract: ticket-triage, primary: TARGET}")
	}
	targets := sorted(c.Targets)
	for _, name := range sorted(c.Routes) {
		at, r := child("routes", name), c.Routes[name]
		switch {
		case r.Contract == "":
			d.missing(at, "contract", "write the contract's name, or name@version")
		case !contractName.MatchString(r.Contract):
			d.show(child(at, "contract"))
			d.fault(at, "contract", "not the name of a contract", "write name or name@version, such as ticket-triage@1")
		}
		d.refers(at, "primary", r.Primary, "targets", targets)
		d.checkFallbacks(at, r, targets)
		d.checkLimits(at, r)
		d.checkCap(at, r, c.Targets)
	}
}

func (d *decoder) checkFallbacks(at string, r Route, targets []string) {
	list := child(at, "fallbacks")
	for i, name := range r.Fallbacks {
		index := "[" + strconv.Itoa(i) + "]"
		d.show(child(list, index))
		switch {
		case name == r.Primary && name != "":
			d.fault(list, index, "the primary cannot be its own fallback", "take it out of the list")
		case slices.Contains(r.Fallbacks[:i], name):
			d.fault(list, index, "listed twice", "take it out once; the order of the list is the order of the tries")
		default:
			d.refers(list, index, name, "targets", targets)
		}
	}
}
