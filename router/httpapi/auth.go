package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// admit lets a request pass if its route is public or its API key has the
// route's scope. The challenges are those of RFC 6750 3.
func (a *api) admit(x *exchange) error {
	if x.route.scope == public {
		return nil
	}
	challenge := func(v string) { x.w.Header().Set("WWW-Authenticate", `Bearer realm="inferonce"`+v) }
	key, ok := bearer(x.r.Header.Values("Authorization"))
	if !ok {
		challenge("")
		return newProblem(codeUnauthorized, "send one header: Authorization: Bearer <API key>")
	}
	caller, ok := a.Auth.Lookup(key)
	if !ok {
		challenge(`, error="invalid_token"`)
		return newProblem(codeUnauthorized, "the API key is nobody's")
	}
	x.caller = caller
	if !caller.Has(x.route.scope) {
		challenge(fmt.Sprintf(`, error="insufficient_scope", scope=%q`, x.route.scope))
		p := newProblem(codeForbidden, "this call needs an API key with scope "+x.route.scope)
		p.Scope = x.route.scope
		return p
	}
	return nil
}

// bearer reads the one Authorization header that there may be.
func bearer(values []string) (string, bool) {
	if len(values) != 1 {
		return "", false
	}
	scheme, key, ok := strings.Cut(values[0], " ")
	return key, ok && strings.EqualFold(scheme, "Bearer") && key != ""
}

// checkQuery refuses parameters that the route does not take: a misspelt
// filter would otherwise list everything.
func checkQuery(rt *route, raw string) error {
	if rt.scope == public {
		return nil
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		return newProblem(codeQuery, "the query is malformed")
	}
	var odd []string
	for name, values := range query {
		if !slices.Contains(rt.query, name) || len(values) > 1 {
			odd = append(odd, clip(name))
		}
	}
	if len(odd) == 0 {
		return nil
	}
	slices.Sort(odd)
	return newProblem(codeQuery, fmt.Sprintf("unknown or repeated: %s; this call takes %s", strings.Join(odd, ", "), orNone(rt.query)))
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "no query parameters"
	}
	return strings.Join(names, ", ")
}

// clip bounds a name that the caller chose before it is repeated to them.
func clip(name string) string {
	const most = 64
	if len(name) <= most {
		return strings.ToValidUTF8(name, "�")
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}
