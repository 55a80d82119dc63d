package failover

import (
	"fmt"
	"net/http"

	"inferonce/providers/sim"
)

var otherInput = Story{
	ID:     "intent/other-input",
	Title:  "the same key with another input is refused, and the first job stays as it was",
	Proves: []string{"R4", "R8"},
	Asks:   "a request; its key again with another input; then the first one again",
	Run: func(w *World) {
		in := w.Intent(w.d.Hold)
		w.Succeeds(in, 1)
		_, before := w.Get(in.Job)
		w.refusedAsReused(in)
		_, after := w.Get(in.Job)
		w.Check(string(before) == string(after), "the first job is byte for byte as before")
		again := w.Infer(in)
		w.Equal("the status of the first request, sent again", again.Status, http.StatusOK)
		w.Equal("the header Idempotent-Replayed of it", again.Header.Get("Idempotent-Replayed"), "true")
		w.Equal("the job of it", again.jobID(), in.Job)
		w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
	},
}

// refusedAsReused sends another input under the key of in.
func (w *World) refusedAsReused(in *Intent) {
	other := w.SameKey(in)
	a := w.heard(other, w.Ask(other.async()))
	w.Equal("the status of another input under the same key", a.Status, http.StatusConflict)
	w.Equal("the code of it", a.code(), "idempotency_key_reused")
	w.Equal("the job that it names", a.jobID(), in.Job)
	w.Equal("the number of calls for the other input", len(w.Ran(other.Ref)), 0)
}

var otherInputWhileRunning = Story{
	ID:     "intent/other-input-running",
	Title:  "the same key with another input is refused while the first one runs",
	Proves: []string{"R4"},
	Asks:   "a request; its key again with another input while the primary works",
	Run: func(w *World) {
		gate := w.Gate()
		w.Faults(w.Primary(), sim.Fault{Until: gate})
		in := w.Intent(w.d.Hold)
		w.Submit(in)
		w.Arrived(gate)
		w.refusedAsReused(in)
		w.Open(gate)
		w.Over(in.Job)
		w.Succeeds(in, 1)
		w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
	},
}

var sameMeaning = Story{
	ID:     "intent/same-meaning",
	Title:  "member order, white space and spelling make no other intent; a difference in meaning does",
	Proves: []string{"R4"},
	Asks:   "a request; the same in another order, with white space and an escaped letter; then with a member more",
	Run: func(w *World) {
		in := w.Intent(w.d.Hold)
		w.Succeeds(in, 1)
		same := *in
		// "contract" with its first letter written as an escape.
		same.Body = fmt.Appendf(nil, "\r\n{ \"input\" :\t%s , \"\\u0063ontract\": %q }\n", in.Contract.Input(in.Ref), in.Contract.Name)
		a := w.Infer(&same)
		w.Equal("the status of the same meaning", a.Status, http.StatusOK)
		w.Equal("the job of it", a.jobID(), in.Job)
		more := *in
		more.Body = fmt.Appendf(nil, `{"contract":%q,"input":%s,"metadata":{"other":"meaning"}}`, in.Contract.Name, in.Contract.Input(in.Ref))
		a = w.Infer(&more)
		w.Equal("the status of another meaning", a.Status, http.StatusConflict)
		w.Equal("the number of executions", executed(w.Ended(in.Ref)), 1)
	},
}
