package openaicompat

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"inferonce/contracts"
	"inferonce/providers"
)

func TestPingRunsNoModelAndTellsAKeyThatIsRefused(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		want   contracts.Class
	}{
		{"a provider that is there", http.StatusOK, ""},
		{"a key that it refuses", http.StatusUnauthorized, contracts.Auth},
		{"a server without a list", http.StatusNotFound, contracts.NotFound},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newProvider(t, says(row.status, `{"error":{"message":"`+canary+`"},"data":[]}`))
			c, err := New(Config{BaseURL: p.URL + "/v1", APIKey: func() string { return canary }})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			err = c.Ping(t.Context(), providers.Limits{})
			var f *contracts.Failure
			if errors.As(err, &f); (f == nil) != (row.want == "") || f != nil && f.Class != row.want {
				t.Errorf("error %v, want class %q", err, row.want)
			}
			if f != nil && strings.Contains(f.Error()+f.Detail, canary) {
				t.Errorf("the key is in %q", f.Detail)
			}
			asked := <-p.asked
			if asked.path != "/v1/models" || asked.body != "" || asked.head.Get("Authorization") != "Bearer "+canary || p.calls.Load() != 1 {
				t.Errorf("asked %q with %q, %d calls", asked.path, asked.body, p.calls.Load())
			}
		})
	}
}
