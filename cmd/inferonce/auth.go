package main

import (
	"inferonce/configs"
	"inferonce/router/httpapi"
)

// newAuthenticator lets the API know the keys of the configuration.
func newAuthenticator(c *configs.Credentials) httpapi.Authenticator { return authenticator{c} }

type authenticator struct{ credentials *configs.Credentials }

// Lookup implements httpapi.Authenticator.
func (a authenticator) Lookup(bearer string) (httpapi.Caller, bool) {
	who, ok := a.credentials.Lookup(bearer)
	if !ok {
		return httpapi.Caller{}, false
	}
	caller := httpapi.Caller{Owner: who.Owner, KeyID: who.KeyID}
	for _, s := range who.Scopes {
		caller.Scopes = append(caller.Scopes, string(s))
	}
	return caller, true
}
