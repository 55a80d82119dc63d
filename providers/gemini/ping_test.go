package gemini

import (
	"errors"
	"net/http"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestPingRunsNoModelAndTellsAKeyThatIsRefused(t *testing.T) {
	for status, want := range map[int]contracts.Class{http.StatusOK: "", http.StatusUnauthorized: contracts.Auth, http.StatusNotFound: contracts.NotFound} {
		p := newProvider(t, says(status, `{"data":[]}`))
		err := newClient(t, p.URL).Ping(t.Context(), providers.Limits{})
		var f *contracts.Failure
		if errors.As(err, &f); (f == nil) != (want == "") || f != nil && f.Class != want {
			t.Errorf("%d: %v, want class %q", status, err, want)
		}
		if asked := <-p.asked; asked.path != "/v1beta/models" || asked.body != "" || asked.head.Get("X-Goog-Api-Key") != canary || p.calls.Load() != 1 {
			t.Errorf("%d: asked %q with %q, %d calls", status, asked.path, asked.body, p.calls.Load())
		}
	}
}
