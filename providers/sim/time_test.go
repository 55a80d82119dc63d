package sim

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Time is tested in a bubble, where a wait takes as long as it says and no
// longer; a connection would not fit into it.
func TestWaitsLastAsLongAsOrdered(t *testing.T) {
	for _, tt := range []struct {
		name     string
		latency  time.Duration
		fault    Fault
		takes    time.Duration
		answered bool
		executed bool
	}{
		{"a delay", 0, Fault{Delay: Duration(20 * time.Second)}, 20 * time.Second, true, true},
		{"late", 0, Fault{Late: Duration(time.Minute)}, time.Minute, true, true},
		{"latency alone", 50 * time.Millisecond, Fault{}, 50 * time.Millisecond, true, true},
		{"latency before a delay", time.Second, Fault{Delay: Duration(2 * time.Second)}, 3 * time.Second, true, true},
		{"a gate that nobody opens", 0, Fault{Until: "g"}, MaxWait, false, false},
		{"a late answer behind a gate that nobody opens", 0, Fault{Late: AtGate, Until: "g"}, MaxWait, false, true},
		{"a hang whose caller stays", 0, Fault{Hang: true}, MaxWait, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := New(Options{})
				if err := errors.Join(s.SetFaults("a", tt.fault), s.SetSettings("a", Settings{Latency: Duration(tt.latency)})); err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				rec, answered := serve(s, triage("x"))
				if took := time.Since(begun); took != tt.takes || answered != tt.answered {
					t.Errorf("answered %v after %s, want %s", answered, took, tt.takes)
				}
				e := s.Ledger(Query{})[0]
				if e.Executed != tt.executed || e.Ended == nil || e.Ended.Sub(e.Started) != tt.takes {
					t.Errorf("%d, ledger %+v", rec.Code, e)
				}
			})
		})
	}
}

func TestWaitingForACallThatNeverComesIsBounded(t *testing.T) {
	for _, path := range []string{"/sim/gates/g?wait=1", "/sim/ledger?await=started"} {
		synctest.Test(t, func(t *testing.T) {
			begun, rec := time.Now(), httptest.NewRecorder()
			New(Options{}).ServeHTTP(rec, httptest.NewRequest("GET", path, nil))
			if rec.Code != http.StatusGatewayTimeout || time.Since(begun) != 30*time.Second {
				t.Errorf("%s: %d after %s", path, rec.Code, time.Since(begun))
			}
		})
	}
}

// serve makes a call without a connection; answered is false where the
// handler wants its connection closed.
func serve(s *Server, body string) (rec *httptest.ResponseRecorder, answered bool) {
	rec = httptest.NewRecorder()
	defer func() { answered = recover() != http.ErrAbortHandler }()
	s.ServeHTTP(rec, httptest.NewRequest("POST", "/sim/a/v1/chat/completions", strings.NewReader(body)))
	return rec, true
}
