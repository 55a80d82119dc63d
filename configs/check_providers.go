package configs

import (
	"net/netip"
	"net/url"
	"strings"
)

func (d *decoder) checkProviders(ps map[string]Provider) {
	if len(ps) == 0 {
		d.missing("", "providers", "name at least one, such as openai: {kind: openai, api_key: \"${OPENAI_API_KEY}\"}")
	}
	known := kinds()
	for _, name := range sorted(ps) {
		at, p := child("providers", name), ps[name]
		k, ok := known[p.Kind]
		switch {
		case p.Kind == "":
			d.missing(at, "kind", "known here: "+strings.Join(sorted(known), ", "))
		case !ok:
			d.oneOf(at, "kind", p.Kind, sorted(known)...)
		}
		d.checkAWS(at, &p)
		if p.BaseURL == "" {
			p.BaseURL = k.baseURL
		}
		p.BaseURL = strings.TrimRight(p.BaseURL, "/")
		d.checkBaseURL(at, p, ok)
		d.checkProviderKeys(at, p)
		d.checkVersion(at, p, k)
		d.checkProxy(at, p)
		d.checkAbilities(at, &p)
		ps[name] = p
	}
}

// checkAbilities reads what the file says of a provider's server, and knows the
// public addresses.
func (d *decoder) checkAbilities(at string, p *Provider) {
	if p.SchemaProfile == "" {
		p.SchemaProfile = publicProfile(p.BaseURL)
	}
	d.oneOf(at, "schema_profile", p.SchemaProfile, SchemaNone, SchemaOpenAIStrict, SchemaAnthropic, SchemaGemini)
	if p.Renders != "" {
		d.oneOf(at, "renders", p.Renders, RendersLlamaCPP, RendersVLLM)
	}
}

// publicProfile is the schema profile of an address that we know.
func publicProfile(baseURL string) string {
	if u, err := url.Parse(baseURL); err == nil && u.Scheme == "https" && u.Host == "api.openai.com" {
		return SchemaOpenAIStrict
	}
	return SchemaNone
}

func (d *decoder) checkBaseURL(at string, p Provider, kindKnown bool) {
	if p.BaseURL == "" {
		if kindKnown {
			d.missing(at, "base_url", "write the address up to and including /v1")
		}
		return
	}
	u, err := url.Parse(p.BaseURL)
	switch {
	case err != nil || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http"):
		d.fault(at, "base_url", "not the address of a provider", "write it up to and including /v1, such as https://api.openai.com/v1")
	case u.User != nil:
		d.fault(at, "base_url", "holds a user or a password", "give the key as api_key")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		d.fault(at, "base_url", "goes on after the path", "take out what follows ? or #")
	case u.Scheme == "http" && !loopback(u.Hostname()) && !p.AllowHTTP:
		d.fault(at, "base_url", "plain http beyond this machine", "use https, or set allow_http: true if the network between is trusted")
	case u.Scheme == "https" && p.APIKey.IsZero() && len(p.Keys) == 0 && p.Kind != "bedrock":
		d.missing(at, "api_key", `add api_key: "${NAME}" with the variable that holds it, or file:PATH`)
	}
}

func (d *decoder) checkVersion(at string, p Provider, k kind) {
	switch {
	case p.APIVersion == "":
	case !k.apiVersion:
		d.fault(at, "api_version", "this kind has none", "take it out, or write kind: azure")
	case strings.HasSuffix(p.BaseURL, "/openai/v1"):
		d.fault(at, "api_version", "the v1 API has none", "take it out, or end base_url before /openai")
	}
}

func (d *decoder) checkProxy(at string, p Provider) {
	if p.Proxy == "" {
		return
	}
	u, err := url.Parse(p.Proxy)
	if err != nil || u.Scheme != "http" || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		d.fault(at, "proxy", "not the address of an http proxy", "write it such as http://proxy.internal:3128, without user and password")
	}
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
