package router

import (
	"testing"

	"inferonce/contracts"
)

// What the adapters' catalogue of broken answers comes to: for each pair of class
// and effect that a row there has, the next step with a contract whose repeats
// are harmless and with one that has external effects.
func TestTheNextStepOfEveryPairInTheCatalogue(t *testing.T) {
	for _, row := range []struct {
		rows           string
		class          contracts.Class
		effect         contracts.Effect
		none, external verdict
	}{
		{"R01 a timeout inside a success, R19 a page with 502, R29, R32", contracts.Timeout, contracts.Open, mustHold, mustHold},
		{"R01 a rate limit inside a success, R17", contracts.RateLimited, contracts.None, tryAgain, tryAgain},
		{"R02, R03, R12 over the cap, R14, R19 a page with 200, R20 brotli, R22, R25, R27, R37", contracts.BadResponse, contracts.Ended, tryAgain, endJob},
		{"R04, R20 cut, R26", contracts.Truncated, contracts.Ended, tryAgain, endJob},
		{"R16 500, an error inside a choice", contracts.ProviderError, contracts.Ended, tryAgain, endJob},
		{"R16 400, a part that a server can't take", contracts.InvalidRequest, contracts.None, endJob, endJob},
		{"R16 503", contracts.Overloaded, contracts.None, tryAgain, tryAgain},
		{"an answer broken off for want of resources", contracts.Overloaded, contracts.Ended, tryAgain, endJob},
		{"R23, R36", contracts.ContractViolation, contracts.Ended, leaveTarget, endJob},
		{"R31 before the dial", contracts.Connection, contracts.None, tryAgain, tryAgain},
		{"R31 after half or all of the body, R39 over HTTP/2 and a kept connection", contracts.Connection, contracts.Open, mustHold, mustHold},
		{"R39 a redirect", contracts.NotFound, contracts.None, leaveTarget, leaveTarget},
		{"an unlisted status", contracts.ProviderError, contracts.Open, mustHold, mustHold},
	} {
		f := &contracts.Failure{Class: row.class, Effect: row.effect}
		if got := decide(f, contracts.EffectsNone); got != row.none {
			t.Errorf("%s: %s/%s without effects: got %d, want %d", row.rows, row.class, row.effect, got, row.none)
		}
		if got := decide(f, contracts.EffectsExternal); got != row.external {
			t.Errorf("%s: %s/%s with external effects: got %d, want %d", row.rows, row.class, row.effect, got, row.external)
		}
	}
}
