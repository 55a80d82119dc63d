package failover

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// answer sends a job as the answer to its intent; the caller holds mu.
func (f *fake) answer(w http.ResponseWriter, j *record, replayed bool) {
	if replayed && !j.Live() {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	switch {
	case j.Live():
		reply(w, 202, j.view())
	case j.State == succeeded:
		reply(w, 200, j.view())
	case j.State == cancelled:
		problem(w, 409, "job_cancelled", map[string]any{"job": j.view(), "job_id": j.ID})
	default:
		more := map[string]any{"job": j.view(), "job_id": j.ID}
		status := 502
		if j.Error.Code == "no_eligible_fallback" {
			status = 503
			more["excluded"] = []map[string]string{{"target": "sim-b", "reason": "switched off"}}
		}
		problem(w, status, j.Error.Code, more)
	}
}

func (r *record) view() map[string]any {
	var out map[string]any
	b, _ := json.Marshal(r.Job)
	json.Unmarshal(b, &out)
	out["object"] = "job"
	return out
}

func reply(w http.ResponseWriter, status int, v any) {
	b, _ := json.Marshal(v)
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	w.Write(b)
}

func problem(w http.ResponseWriter, status int, code string, more map[string]any) {
	p := map[string]any{"code": code, "status": status}
	for k, v := range more {
		p[k] = v
	}
	reply(w, status, p)
}
