package configs

import (
	"slices"
	"strconv"
	"strings"
)

// checkCanary wants both settings or none: a schedule of nothing, and contracts
// without a schedule, would look switched on and do nothing.
func (d *decoder) checkCanary(c *Config) {
	every, contracts := c.Canary.Every, c.Canary.Contracts
	switch {
	case every == 0 && len(contracts) == 0:
		if _, given := d.values["canary"]; given {
			d.missing("canary", "every", "write how often, such as 1h, or take canary out")
		}
		return
	case every == 0:
		d.missing("canary", "every", "write how often, such as 1h, or take canary out")
	case every < MinCanary:
		d.show(child("canary", "every"))
		d.fault("canary", "every", "too often", "at least 10m: each run costs real calls")
	}
	if len(contracts) == 0 {
		d.missing("canary", "contracts", "list the contracts to run, such as [ticket-triage]")
	}
	d.checkCanaryContracts(c)
}

func (d *decoder) checkCanaryContracts(c *Config) {
	list, served := child("canary", "contracts"), []string{}
	for _, name := range sorted(c.Routes) {
		served = append(served, c.Routes[name].Contract)
	}
	for i, ref := range c.Canary.Contracts {
		index := "[" + strconv.Itoa(i) + "]"
		d.show(child(list, index))
		switch {
		case slices.Contains(c.Canary.Contracts[:i], ref):
			d.fault(list, index, "listed twice", "take it out once")
		case !d.bad["routes"] && !slices.ContainsFunc(served, func(s string) bool { return sameContract(s, ref) }):
			d.fault(list, index, "no route serves this contract", didYouMean(ref, served))
		}
	}
}

// sameContract compares name@version, where one of them may leave the version out.
func sameContract(a, b string) bool {
	nameA, versionA, fullA := strings.Cut(a, "@")
	nameB, versionB, fullB := strings.Cut(b, "@")
	return nameA == nameB && (!fullA || !fullB || versionA == versionB)
}
