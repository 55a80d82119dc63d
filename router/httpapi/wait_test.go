package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inferonce/jobstore"
)

// patient is a router whose job never ends: a wait lasts as long as it may.
func patient(f *fake) {
	f.wait = func(ctx context.Context, _ string) (jobstore.Job, error) {
		<-ctx.Done()
		return aJob(jobstore.JobRunning), nil
	}
}

func TestHowLongACallIsHeldOpen(t *testing.T) {
	for _, row := range []struct {
		name      string
		prefer    []string
		stainless string
		want      time.Duration
		applied   string
	}{
		{name: "without a preference, as long as the router allows", want: time.Minute},
		{name: "as long as the caller says", prefer: []string{"wait=7"}, want: 7 * time.Second, applied: "wait=7"},
		{name: "a quoted number is a number", prefer: []string{`Wait = "7"`}, want: 7 * time.Second, applied: "wait=7"},
		{name: "never longer than the router allows", prefer: []string{"wait=3600"}, want: time.Minute, applied: "wait=60"},
		{name: "not longer for a number beyond all bounds", prefer: []string{"wait=99999999999999999999"}, want: time.Minute, applied: "wait=60"},
		{name: "not at all with respond-async", prefer: []string{"respond-async"}, applied: "respond-async"},
		{name: "not at all with wait=0", prefer: []string{"wait=0"}, applied: "wait=0"},
		{name: "respond-async after the wait, where both are said", prefer: []string{"respond-async, wait=7"}, want: 7 * time.Second, applied: "wait=7"},
		{name: "in two headers too", prefer: []string{"wait=7", "respond-async"}, want: 7 * time.Second, applied: "wait=7"},
		{name: "the first of two waits counts", prefer: []string{"wait=7, wait=9"}, want: 7 * time.Second, applied: "wait=7"},
		{name: "other preferences are ignored", prefer: []string{"handling=lenient; x=y, wait=7; z"}, want: 7 * time.Second, applied: "wait=7"},
		{name: "shorter than the client's own limit", stainless: "10", want: 9 * time.Second},
		{name: "a limit with a fraction", stainless: "10.0", want: 9 * time.Second},
		{name: "a client's limit beyond ours changes nothing", stainless: "600", want: time.Minute},
		{name: "the shorter of preference and limit", prefer: []string{"wait=30"}, stainless: "10", want: 9 * time.Second, applied: "wait=30"},
		{name: "a limit that is no number is ignored", stainless: "NaN", want: time.Minute},
		{name: "an infinite limit is ignored", stainless: "+Inf", want: time.Minute},
		{name: "a negative limit is ignored", stainless: "-1", want: time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				patient(f)
				begun := time.Now()
				w := serve(f, inferAsk().with("Prefer", row.prefer...).with("X-Stainless-Timeout", row.stainless))
				if took := time.Since(begun); w.Code != 202 || took != row.want {
					t.Errorf("%d after %s, want 202 after %s", w.Code, took, row.want)
				}
				if got := w.Header().Get("Preference-Applied"); got != row.applied {
					t.Errorf("Preference-Applied %q, want %q", got, row.applied)
				}
			})
		})
	}
}

// serve answers a request without a network.
func serve(f *fake, a ask) *httptest.ResponseRecorder {
	return serveContext(context.Background(), f, a, slog.New(slog.DiscardHandler))
}

func serveContext(ctx context.Context, f *fake, a ask, log *slog.Logger) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, a.method, a.path, strings.NewReader(a.body))
	r.Header = a.header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Authorization", "Bearer "+a.key)
	w := httptest.NewRecorder()
	New(Options{Router: f, Auth: testKeys, Log: log}).ServeHTTP(w, r)
	return w
}

func TestACallerWhoLeavesEndsTheWaitAndIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, out := newFake(), &lockedBuffer{}
		patient(f)
		ctx, leave := context.WithTimeout(t.Context(), 5*time.Second)
		defer leave()
		begun := time.Now()
		serveContext(ctx, f, inferAsk(), slog.New(slog.NewJSONHandler(out, nil)))
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("held for %s after the caller left", took)
		}
		if !strings.Contains(out.String(), `"gone":true`) {
			t.Error(out.String())
		}
	})
}

// connection is a ResponseWriter that notes the deadlines set on it.
type connection struct {
	*httptest.ResponseRecorder
	read, write []time.Time
}

func (c *connection) SetReadDeadline(t time.Time) error  { c.read = append(c.read, t); return nil }
func (c *connection) SetWriteDeadline(t time.Time) error { c.write = append(c.write, t); return nil }

// A body and an answer have deadlines; the wait between them has none.
func TestDeadlinesOfAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		patient(f)
		a := inferAsk()
		r := httptest.NewRequest(a.method, a.path, strings.NewReader(a.body))
		r.Header = a.with("Authorization", "Bearer "+a.key).header
		c := &connection{ResponseRecorder: httptest.NewRecorder()}
		begun := time.Now()
		New(Options{Router: f, Auth: testKeys, Log: slog.New(slog.DiscardHandler)}).ServeHTTP(c, r)
		if len(c.read) != 2 || !c.read[0].Equal(begun.Add(30*time.Second)) || !c.read[1].IsZero() {
			t.Errorf("read deadlines %v", c.read)
		}
		if len(c.write) != 1 || !c.write[0].Equal(begun.Add(time.Minute+30*time.Second)) {
			t.Errorf("write deadlines %v", c.write)
		}
	})
}

func TestAProbeIsAnsweredThoughTheStoreHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.hangs = true
		begun := time.Now()
		w := serve(f, ask{method: "GET", path: "/readyz"})
		if took := time.Since(begun); w.Code != 503 || took != readyTime {
			t.Errorf("%d after %s", w.Code, took)
		}
	})
}

func TestMalformedDeliveryIsRefused(t *testing.T) {
	for _, row := range []struct{ header, value, code string }{
		{"Prefer", "wait", codePrefer},
		{"Prefer", "wait=", codePrefer},
		{"Prefer", "wait=-1", codePrefer},
		{"Prefer", "wait=1.5", codePrefer},
		{"Prefer", "wait=10s", codePrefer},
		{"Prefer", "wait=5, wait=x", codePrefer},
		{"Inferonce-Budget", "", codeBudget},
		{"Inferonce-Budget", "20", codeBudget},
		{"Inferonce-Budget", "0s", codeBudget},
		{"Inferonce-Budget", "-5s", codeBudget},
		{"Inferonce-Budget", "25h", codeBudget},
		{"Inferonce-Budget", "soon", codeBudget},
	} {
		f := newFake()
		w := serve(f, inferAsk().with(row.header, row.value))
		if w.Code != 400 || !strings.Contains(w.Body.String(), `"code":"`+row.code+`"`) || len(f.submissions()) > 0 {
			t.Errorf("%s: %s is answered with %d %s", row.header, row.value, w.Code, w.Body)
		}
	}
	if w := serve(newFake(), inferAsk().with("Inferonce-Budget", "1s", "2s")); w.Code != 400 {
		t.Errorf("two budgets are answered with %d", w.Code)
	}
}

func TestAWaitHintStaysWithinWhatClientsObey(t *testing.T) {
	for wait, want := range map[time.Duration][2]string{
		0:                       {"1", "1"},
		time.Microsecond:        {"1", "1"},
		1500 * time.Millisecond: {"2", "1500"},
		time.Minute:             {"60", "60000"},
		time.Hour:               {"60", "60000"},
	} {
		h := http.Header{}
		comeBack(h, wait)
		if got := [2]string{h.Get("Retry-After"), h.Get("Retry-After-Ms")}; got != want {
			t.Errorf("%s: %v, want %v", wait, got, want)
		}
	}
}
