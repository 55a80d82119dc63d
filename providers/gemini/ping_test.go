package gemini

import (
	"errors"
	"net/http"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/adaptertest"
)

func TestPingRunsNoModelAndTellsAKeyThatIsRefused(t *testing.T) {
	for status, want := range map[int]contracts.Class{http.StatusOK: "", http.StatusUnauthorized: contracts.Auth, http.StatusNotFound: contracts.NotFound} {
		p := adaptertest.NewServer(t, adaptertest.Says(status, `{"data":[]}`))
		err := newClient(t, p.URL).Ping(t.Context(), providers.Limits{})
		var f *contracts.Failure
		if errors.As(err, &f); (f == nil) != (want == "") || f != nil && f.Class != want {
			t.Errorf("%d: %v, want class %q", status, err, want)
		}
		if asked := <-p.Asked; asked.Path != "/v1beta/models" || asked.Body != "" || asked.Head.Get("X-Goog-Api-Key") != canary || p.Calls.Load() != 1 {
			t.Errorf("%d: asked %q with %q, %d calls", status, asked.Path, asked.Body, p.Calls.Load())
		}
	}
}
