package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"inferonce/contracts"
)

// body reads the request's body, within the route's limit and the time that a
// body may take. Its error is a *problem.
func (a *api) body(x *exchange) ([]byte, error) {
	if err := checkContent(x.r.Header); err != nil {
		return nil, err
	}
	if x.r.ContentLength > x.route.limit {
		return nil, tooLarge(x.route.limit)
	}
	raw, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, x.route.limit))
	// From here on the server reads the connection to see the caller leave.
	x.limitReading(time.Time{})
	x.read = int64(len(raw))
	if err != nil {
		return nil, readProblem(err, x.route.limit)
	}
	return raw, nil
}

func tooLarge(limit int64) *problem {
	return newProblem(codeBodyTooLarge, fmt.Sprintf("a body may have %d bytes here", limit))
}

func readProblem(err error, limit int64) *problem {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge(limit)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return newProblem(codeBodyTimeout, "the rest of the body did not come in time")
	}
	return newProblem(codeBodyCut, "the body ends before its announced length")
}

// checkContent lets plain JSON in UTF-8 pass. What is decompressed has no
// known size, and another charset has no canonical form.
func checkContent(h http.Header) error {
	types := h.Values("Content-Type")
	if len(types) != 1 || !plainJSON(types[0]) {
		return newProblem(codeMediaType, "send one header: Content-Type: application/json")
	}
	for _, e := range h.Values("Content-Encoding") {
		if !strings.EqualFold(e, "identity") {
			return newProblem(codeEncoding, "compressed bodies are not taken")
		}
	}
	return nil
}

func plainJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/json" {
		return false
	}
	charset, ok := params["charset"]
	return len(params) == 0 || ok && len(params) == 1 && strings.EqualFold(charset, "utf-8")
}

// object reads the body as one JSON object with some of the named members. It
// returns the canonical form too.
func (a *api) object(x *exchange, names ...string) (members, []byte, error) {
	raw, err := a.body(x)
	if err != nil {
		return nil, nil, err
	}
	canonical, err := contracts.Canonical(raw)
	if err != nil {
		return nil, nil, notCanonical(err)
	}
	m, err := membersOf(canonical, names)
	return m, canonical, err
}

func notCanonical(err error) error {
	e, ok := errors.AsType[*contracts.CanonicalError](err)
	if !ok {
		return err
	}
	p := bodyProblem(e.Reason, e.Pointer, "the body "+e.Message)
	p.Offset = &e.Offset
	return p
}
