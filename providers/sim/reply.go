package sim

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// minHuge is the smallest body that Fault.Huge can fill up.
const minHuge = 1024

// reply is an answer before it is sent.
type reply struct {
	status int
	header map[string]string // these replace our own
	body   []byte
	// With fill above 0 so many bytes go where body is cut by fillAt.
	fill   int64
	fillAt int
}

// write sends r whole and returns the first error that shows.
func (r reply) write(w http.ResponseWriter) error {
	r.writeHeader(w, int64(len(r.body))+r.fill)
	if r.fill > 0 {
		return r.writeFilled(w)
	}
	if _, err := w.Write(r.body); err != nil && err != http.ErrBodyNotAllowed {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// writeHeader sends status and headers; a length below 0 is left open.
func (r reply) writeHeader(w http.ResponseWriter, length int64) {
	h := w.Header()
	h["Content-Type"] = jsonType
	if length >= 0 && bodyAllowed(r.status) {
		h["Content-Length"] = []string{strconv.FormatInt(length, 10)}
	}
	for name, value := range r.header {
		h.Set(name, value)
	}
	w.WriteHeader(r.status)
}

var jsonType = []string{"application/json"}

func (r reply) writeFilled(w http.ResponseWriter) error {
	if _, err := w.Write(r.body[:r.fillAt]); err != nil {
		return err
	}
	chunk := slices.Repeat([]byte("a"), 64<<10)
	for left := r.fill; left > 0; left -= int64(len(chunk)) {
		if _, err := w.Write(chunk[:min(left, int64(len(chunk)))]); err != nil {
			return err
		}
	}
	_, err := w.Write(r.body[r.fillAt:])
	return err
}

// bodyAllowed is false for statuses that end with their headers (RFC 9110,
// sections 15.3.5 and 15.4.5).
func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// refusal is the reply of a fault that refuses.
func (f *Fault) refusal() reply {
	r := reply{status: f.Status, header: f.Headers, body: []byte(f.Body)}
	switch {
	case f.HTML:
		r.status = orElse(f.Status, http.StatusBadGateway)
		r.header = map[string]string{"Content-Type": "text/html"}
		maps.Copy(r.header, f.Headers)
		r.body = htmlBody(r.status)
	case f.ErrorIn200:
		r.status = http.StatusOK
		r.body = errorInside(orElse(f.Status, http.StatusInternalServerError))
	case f.Body == "" && bodyAllowed(f.Status):
		r.body = errorBody("the simulator was told to refuse", errorType(f.Status), errorCode(f.Status))
	}
	return r
}

func orElse(v, other int) int {
	if v != 0 {
		return v
	}
	return other
}

// completion is the body of a good answer, and where its content begins.
func completion(id int64, model string, a *answer, prompt int, choices bool) (body []byte, content int) {
	b := make([]byte, 0, 512+len(a.quoted))
	b = append(b, `{"id":"chatcmpl-sim-`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `","object":"chat.completion","created":`...)
	b = strconv.AppendInt(b, time.Now().Unix(), 10)
	b = append(append(b, `,"model":`...), quote(model)...)
	b = append(b, `,"choices":[`...)
	if choices {
		b = append(b, `{"index":0,"message":{"role":"assistant","content":`...)
		content = len(b) + 1
		b = append(b, a.quoted...)
		finish := "stop"
		if len(a.calls) > 0 {
			b, finish = appendCalls(b, strconv.AppendInt(nil, id, 10), a.calls), "tool_calls"
		}
		b = append(append(append(b, `,"refusal":null},"logprobs":null,"finish_reason":"`...), finish...), `"}`...)
	}
	b = append(b, `],"usage":{"prompt_tokens":`...)
	b = strconv.AppendInt(b, int64(prompt), 10)
	b = append(b, `,"completion_tokens":`...)
	b = strconv.AppendInt(b, int64(a.words), 10)
	b = append(b, `,"total_tokens":`...)
	b = strconv.AppendInt(b, int64(prompt+a.words), 10)
	return append(b, "}}\n"...), content
}
