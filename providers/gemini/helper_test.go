package gemini

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"inferonce/contracts"
	"inferonce/providers"
	"inferonce/providers/adaptertest"
	"inferonce/providers/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = adaptertest.Canary

var adapter = adaptertest.Adapter{Good: good, Failing500: failing500, Throttled: throttled, Canaries: canaries,
	New: func(t *testing.T, url string) adaptertest.Client { return newClient(t, url) }}

func newClient(t *testing.T, url string) *Client {
	t.Helper()
	c, err := New(Config{BaseURL: url + "/v1beta", APIKey: func() string { return canary }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func plain() providers.Request { return adaptertest.Plain() }

func ask(t *testing.T, p *adaptertest.Server, r providers.Request) (contracts.Completion, *contracts.Failure) {
	t.Helper()
	return adapter.Ask(t, p, r)
}

func image(i providers.Image) providers.Request {
	r := plain()
	r.Messages[0] = providers.Message{Role: "user", Parts: []providers.Part{{Text: "what is it?"}, {Image: &i}}}
	return r
}

func ptr[T any](v T) *T { return &v }

func answer(status int, body string) transport.Answer {
	return transport.Answer{Status: status, Header: http.Header{}, Body: []byte(body)}
}

func TestOverTheWire(t *testing.T) { adapter.Wire(t) }

func TestPrintingShowsNoKey(t *testing.T) {
	c := Config{BaseURL: "http://a.test", APIKey: func() string { return canary }}
	client, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("built", "config", c, "client", client)
	fmt.Fprintf(&log, "%v %+v %#v %v %+v %#v %s", c, c, c, client, client, client, client.Reproduce(plain()))
	if strings.Contains(log.String(), canary) {
		t.Error("printing the client shows its key")
	}
}

func TestNewRefusesWhatIsNoBaseURL(t *testing.T) {
	for _, s := range []string{"", "api.example.com/v1", "ftp://a.test", "https://user:" + canary + "@a.test/v1", "https://a.test/v1?key=" + canary} {
		_, err := New(Config{BaseURL: s})
		if err == nil {
			t.Errorf("%q was taken", s)
		} else if strings.Contains(err.Error(), canary) {
			t.Errorf("the error repeats a secret: %v", err)
		}
	}
}

func TestTraitsSayThatALostCallIsLost(t *testing.T) {
	tr := newClient(t, "http://a.test").Traits()
	if tr.Lookup != providers.LookupNone || tr.Push != providers.PushNone || tr.Cancel != providers.CancelNone || tr.CreateToken || tr.Duplicate == "" {
		t.Errorf("traits %+v", tr)
	}
	if len(tr.Operations) != 1 || !tr.Operations[0].Changes || tr.Operations[0].Source == "" {
		t.Errorf("operations %+v", tr.Operations)
	}
}
