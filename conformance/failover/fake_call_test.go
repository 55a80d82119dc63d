package failover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"syscall"
	"time"
	"unicode/utf8"

	"inferonce/contracts"
)

// call makes one call to a provider.
func (f *fake) call(ctx context.Context, j *record, n int, target string) outcome {
	url := f.simURL + "/sim/" + target + "/v1/chat/completions"
	if target == "sim-dead" {
		url = "http://127.0.0.1:1/v1/chat/completions"
	}
	p, err := j.contract.Render(j.input)
	if err != nil {
		f.t.Error(err)
	}
	body := fmt.Appendf(nil, `{"model":"sim","messages":[{"role":"user","content":%q}],"response_format":{"type":"json_schema","json_schema":{"schema":%s}}}`,
		p.User, j.contract.OutputSchema())
	o, status := f.exchange(ctx, url, fmt.Sprintf("%s.%d", j.ID, n), body, j)
	if f.flaw == "sends a refused call again by itself" && status >= 500 {
		o, _ = f.exchange(ctx, url, fmt.Sprintf("%s.%d", j.ID, n), body, j)
	}
	return o
}

func (f *fake) exchange(ctx context.Context, url, id string, body []byte, j *record) (outcome, int) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		f.t.Error(err)
	}
	req.Header.Set("X-Client-Request-Id", id)
	resp, err := http.DefaultClient.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return no(contracts.Connection, contracts.None), 0
	}
	if err != nil {
		return f.open(contracts.Connection), 0
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return f.open(contracts.Connection), 0
	}
	return f.classify(resp, b, j), resp.StatusCode
}

func no(c contracts.Class, e contracts.Effect) outcome {
	return outcome{failure: &contracts.Failure{Class: c, Effect: e}}
}

// open is an outcome that nobody knows.
func (f *fake) open(c contracts.Class) outcome {
	if f.flaw == "takes a lost answer for a failed one" {
		return no(c, contracts.Ended)
	}
	return no(c, contracts.Open)
}

func (f *fake) classify(resp *http.Response, b []byte, j *record) outcome {
	html := bytes.HasPrefix(b, []byte("<"))
	switch {
	case resp.StatusCode == 401:
		return no(contracts.Auth, contracts.None)
	case resp.StatusCode == 404:
		return no(contracts.NotFound, contracts.None)
	case resp.StatusCode == 429:
		s, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return outcome{failure: &contracts.Failure{Class: contracts.RateLimited, Effect: contracts.None, RetryAfter: time.Duration(s) * time.Second}}
	case resp.StatusCode == 502 && html:
		return f.open(contracts.Timeout)
	case resp.StatusCode == 503, resp.StatusCode == 529:
		return no(contracts.Overloaded, contracts.None)
	case resp.StatusCode == 500:
		return no(contracts.ProviderError, contracts.Ended)
	}
	return f.judge(b, j)
}

func (f *fake) judge(b []byte, j *record) outcome {
	var reply struct {
		Error   json.RawMessage
		Choices []struct{ Message struct{ Content string } }
	}
	err := json.Unmarshal(b, &reply)
	switch {
	case err == nil && reply.Error != nil:
		return no(contracts.ProviderError, contracts.Ended)
	case err != nil, len(reply.Choices) == 0, !utf8.Valid(b):
		return no(contracts.BadResponse, contracts.Ended)
	}
	content := reply.Choices[0].Message.Content
	out, failure := j.contract.CheckOutput(content, j.input)
	if f.flaw == "does not check answers" && json.Valid([]byte(content)) && len(content) < 1000 {
		return outcome{output: json.RawMessage(content)}
	}
	return outcome{output: out, failure: failure}
}
