package httpapi

import (
	"net/http"
	"time"
)

// Server serves h with limits on everything a peer can hold open: a header is
// there within 5 seconds, an idle connection lives 60, and headers end at
// 64 KiB, the most that common clients are told to send. Bodies and answers
// have deadlines of their own, request by request, since an inference may wait
// longer than any fixed one.
func Server(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
}
