package configs

import (
	"regexp"
	"strings"
)

// region is what AWS calls one: it becomes part of an address.
var region = regexp.MustCompile(`^[a-z]{2,8}(-[a-z]{1,12})+-[0-9]{1,2}$`)

// checkAWS checks what only AWS has, and fills in the address of the region.
func (d *decoder) checkAWS(at string, p *Provider) {
	given := map[string]bool{"region": p.Region != "", "access_key_id": !p.AccessKeyID.IsZero(),
		"secret_access_key": !p.SecretAccessKey.IsZero(), "session_token": !p.SessionToken.IsZero()}
	if p.Kind != "bedrock" {
		for _, name := range sorted(given) {
			if given[name] {
				d.fault(at, name, "this kind has none", "take it out, or write kind: bedrock")
			}
		}
		return
	}
	d.checkRegion(at, p)
	d.checkAWSKeys(at, p, given)
}

func (d *decoder) checkRegion(at string, p *Provider) {
	switch {
	case p.Region == "":
		d.missing(at, "region", "write the region that the models are called in, such as eu-central-1")
	case !region.MatchString(p.Region):
		d.fault(at, "region", "not the name of a region", "write it as AWS does, such as eu-central-1")
	default:
		if p.BaseURL == "" {
			p.BaseURL = "https://bedrock-runtime." + p.Region + ".amazonaws.com"
		}
		return
	}
	d.silence(child(at, "base_url")) // it follows from the region
}

// checkAWSKeys wants one way to say who calls. An address on this machine may do without.
func (d *decoder) checkAWSKeys(at string, p *Provider, given map[string]bool) {
	const both = `give access_key_id and secret_access_key together, each as "${NAME}" or file:PATH`
	switch {
	case given["access_key_id"] && !given["secret_access_key"]:
		d.missing(at, "secret_access_key", both)
	case given["secret_access_key"] && !given["access_key_id"], given["session_token"] && !given["access_key_id"]:
		d.missing(at, "access_key_id", both)
	case given["access_key_id"] && !p.APIKey.IsZero():
		d.fault(at, "api_key", "stands beside an access key", "keep one of the two: they are two ways to say who calls")
	case !given["access_key_id"] && p.APIKey.IsZero() && strings.HasPrefix(p.BaseURL, "https:"):
		d.missing(at, "api_key", `add api_key: "${NAME}", or access_key_id and secret_access_key`)
	}
}
