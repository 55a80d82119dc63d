package httpapi

import (
	"strings"
	"testing"

	"inferonce/contracts"
)

// FuzzInfer sends anything. The answer is never a 5xx, and what reaches the
// router has a canonical form and a usable key.
func FuzzInfer(f *testing.F) {
	f.Add(inferAsk().body, "order-8841", "application/json", "wait=1", "20s", "")
	for _, row := range badBodies {
		f.Add(row.body, "k", "application/json", "", "", "")
	}
	for _, row := range badKeys {
		f.Add(inferAsk().body, strings.Join(row.values, ","), "application/json; charset=utf-8", "respond-async", "", "gzip")
	}
	f.Fuzz(func(t *testing.T, body, key, mediaType, prefer, budget, encoding string) {
		a := inferAsk().saying(body).with("Idempotency-Key", key).with("Content-Type", mediaType)
		for name, value := range map[string]string{"Prefer": prefer, "Inferonce-Budget": budget, "Content-Encoding": encoding} {
			if value != "" {
				a = a.with(name, value)
			}
		}
		r := newFake()
		w := serve(r, a)
		if w.Code >= 500 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		for _, s := range r.submissions() {
			again, err := contracts.Canonical(s.Intent)
			if err != nil || string(again) != string(s.Intent) || s.Contract == "" || s.Input == nil || s.Budget < 0 {
				t.Errorf("%+v was let through: %v", s, err)
			}
			if len(s.Key) < 1 || len(s.Key) > 255 || strings.ContainsFunc(s.Key, func(r rune) bool { return r < 0x21 || r > 0x7E }) {
				t.Errorf("key %q was let through", s.Key)
			}
		}
		if len(r.submissions()) > 0 != (w.Code < 300) {
			t.Errorf("answered %d after %d submissions", w.Code, len(r.submissions()))
		}
	})
}
