package openairesponses

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"inferonce/contracts"
)

func TestPausesGrowToALimitAndKeepToAStatedWait(t *testing.T) {
	for name, row := range map[string]struct {
		n      int
		stated time.Duration
		random float64
		want   time.Duration
	}{
		"the first":                        {0, 0, 0, 250 * time.Millisecond},
		"the second is half as long again": {1, 0, 0, 375 * time.Millisecond},
		"the eighth":                       {7, 0, 0, 4271484375 * time.Nanosecond},
		"the ninth is at the limit":        {8, 0, 0, 5 * time.Second},
		"a later one too":                  {1 << 40, 0, 0, 5 * time.Second},
		"chance takes a tenth away":        {0, 0, 0.5, 225 * time.Millisecond},
		"a stated wait is a floor":         {0, 7 * time.Second, 0.9, 7 * time.Second},
		"a shorter one changes nothing":    {8, time.Second, 0, 5 * time.Second},
	} {
		if got := pause(row.n, row.stated, row.random); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

func TestALookThatFailsIsRepeatedAndTheCreateIsNot(t *testing.T) {
	done := says(200, state("completed", output(message("a"))))
	whole := state("completed", output(message("a")))
	rows := map[string]http.HandlerFunc{
		"a closed connection":         hangsUp,
		"a storm of 500":              says(500, `{"error":{"message":"m"}}`),
		"a page with 502":             says(502, "<html>"),
		"an overload":                 says(503, `{"error":{"message":"m"}}`),
		"a timeout":                   says(408, ""),
		"a status nobody knows":       says(200, state("searching")),
		"still queued":                says(200, state("queued")),
		"still in progress":           says(200, state("in_progress")),
		"another response":            says(200, `{"id":"resp_2","status":"completed"}`),
		"an error in a success":       says(200, `{"error":{"code":500,"message":"m"}}`),
		"a page with 200":             says(200, "<html>"),
		"an id that isn't known yet":  says(404, `{"error":{"message":"not found"}}`),
		"a key that was refused once": says(401, `{"error":{"message":"m"}}`),
	}
	for how, head := range framings(whole) {
		rows["an answer cut, to be seen "+how] = cuts(head, whole, len(whole)-9)
	}
	for name, look := range rows {
		t.Run(name, func(t *testing.T) {
			p := newFake(t, says(200, created), look, look, done)
			got, f := ask(t, p, request())
			if f != nil || got.Content != "a" {
				t.Errorf("got %+v, %v", got, f)
			}
			if _, looks, _ := p.counts(); looks != 3 {
				t.Errorf("%d looks, want 3", looks)
			}
		})
	}
}

func TestAStatedWaitIsKeptBetweenLooks(t *testing.T) {
	p := newFake(t, says(200, created), says(429, `{"error":{"message":"m"}}`, "Retry-After", "7"), says(200, state("queued")),
		says(200, state("completed", output(message("a")))))
	c, pauses := newClient(t, p.URL)
	if _, err := c.Complete(t.Context(), request()); err != nil {
		t.Fatal(err)
	}
	if got := *pauses; len(got) != 3 || got[1] != 7*time.Second || got[2] >= 7*time.Second {
		t.Errorf("pauses %v", got)
	}
}

func TestLooksThatStayRefusedLeaveTheCallOpen(t *testing.T) {
	for name, row := range map[string]struct {
		look  http.HandlerFunc
		class contracts.Class
	}{
		"a key that was revoked":        {says(401, `{"error":{"message":"m"}}`), contracts.Auth},
		"an id that is gone":            {says(404, `{"error":{"message":"m"}}`), contracts.NotFound},
		"a redirect":                    {says(307, "", "Location", "/elsewhere"), contracts.NotFound},
		"an account that ran out":       {says(402, `{"error":{"message":"m"}}`), contracts.QuotaExhausted},
		"a question that is not served": {says(405, ""), contracts.InvalidRequest},
	} {
		t.Run(name, func(t *testing.T) {
			p := newFake(t, says(200, created), row.look)
			_, f := ask(t, p, request())
			want(t, f, row.class, contracts.Open, "polling")
			if _, looks, _ := p.counts(); looks != maxRefusals {
				t.Errorf("%d looks", looks)
			}
		})
	}
}

func TestOnlyRefusalsInARowCount(t *testing.T) {
	refused := says(401, `{"error":{"message":"m"}}`)
	p := newFake(t, says(200, created), refused, refused, says(200, state("queued")), refused, hangsUp, refused, refused,
		says(200, state("completed", output(message("a")))))
	if got, f := ask(t, p, request()); f != nil || got.Content != "a" {
		t.Errorf("got %+v, %v", got, f)
	}
}

func TestAnAnswerThatIsTooLargeIsNotFetchedForEver(t *testing.T) {
	p := newFake(t, says(200, created), says(200, state("completed", output(message(strings.Repeat("a", 500))))))
	r := request()
	r.Limits.MaxBody = int64(len(created))
	_, f := ask(t, p, r)
	want(t, f, contracts.BadResponse, contracts.Open, "polling")
	if _, looks, _ := p.counts(); looks != maxRefusals {
		t.Errorf("%d looks", looks)
	}
}

func TestTheEndOfPatienceLeavesTheCallOpen(t *testing.T) {
	t.Run("while it waits", func(t *testing.T) {
		p := newFake(t, says(200, created))
		c, _ := newClient(t, p.URL)
		ctx := expiring{context.Background(), make(chan struct{})}
		c.after = func(time.Duration) <-chan time.Time { close(ctx.over); return nil }
		_, err := c.Complete(ctx, request())
		want(t, checked(t, err), contracts.Timeout, contracts.Open, "polling")
		if creates, looks, _ := p.counts(); creates != 1 || looks != 0 {
			t.Errorf("%d creates, %d looks", creates, looks)
		}
	})
	t.Run("while it looks", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := newFake(t, says(200, created), func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
		c, _ := newClient(t, p.URL)
		_, err := c.Complete(ctx, request())
		want(t, checked(t, err), contracts.Timeout, contracts.Open, "polling")
	})
	t.Run("while it creates", func(t *testing.T) {
		ctx := expiring{context.Background(), make(chan struct{})}
		p := newFake(t, func(_ http.ResponseWriter, r *http.Request) { close(ctx.over); <-r.Context().Done() })
		c, _ := newClient(t, p.URL)
		_, err := c.Complete(ctx, request())
		want(t, checked(t, err), contracts.Timeout, contracts.Open, "first_byte")
	})
}

func TestAResponseThatIsOverAtOnceIsNotAskedFor(t *testing.T) {
	p := newFake(t, says(200, state("completed", output(message("a")))))
	told := ""
	r := request()
	r.OnReference = func(s string) { told = s }
	if got, f := ask(t, p, r); f != nil || got.Content != "a" || told != "resp_1" {
		t.Errorf("got %+v, %v, reference %q", got, f, told)
	}
	if _, looks, _ := p.counts(); looks != 0 {
		t.Errorf("%d looks", looks)
	}
}
