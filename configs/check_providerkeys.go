package configs

import (
	"slices"
	"strconv"
)

// checkProviderKeys holds the keys of one provider against each other.
func (d *decoder) checkProviderKeys(at string, p Provider) {
	if len(p.Keys) > 0 && !p.APIKey.IsZero() {
		d.fault(at, "api_key", "stands beside keys", "keep one of the two")
	}
	for i, k := range p.Keys {
		one := child(child(at, "keys"), "["+strconv.Itoa(i)+"]")
		same := func(other ProviderKey) bool { return other.Name == k.Name }
		switch {
		case k.Name == "":
			d.missing(one, "name", "name it for logs and metrics, such as spare")
		case !contractName.MatchString(k.Name):
			d.fault(one, "name", "not usable as a name", "use small letters, digits, - and _")
		case slices.ContainsFunc(p.Keys[:i], same):
			d.show(child(one, "name"))
			d.fault(one, "name", "stands twice", "give every key a name of its own")
		}
		if k.APIKey.IsZero() {
			d.missing(one, "api_key", `add api_key: "${NAME}" with the variable that holds it, or file:PATH`)
		}
		d.positive(one, "weight", int64(k.Weight), 1000, true)
		if k.BaseURL != "" {
			d.checkBaseURL(one, Provider{BaseURL: k.BaseURL, APIKey: k.APIKey, AllowHTTP: p.AllowHTTP}, true)
		}
	}
}
