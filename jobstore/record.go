package jobstore

import (
	"encoding/json"
	"fmt"
	"time"
)

// schema is the version of the records that this code writes and reads.
const schema = "1"

// decodeJob reads a job's hash. A record that does not decode is an error of
// its own, so that one broken record stops nobody else.
func decodeJob(h map[string]string) (Job, error) {
	if h["schema"] != schema {
		return Job{}, fmt.Errorf("job %s: record schema %q; this program reads %s", h["id"], h["schema"], schema)
	}
	j := Job{ID: h["id"], Owner: h["owner"], Key: h["key"], Fingerprint: h["fingerprint"], Contract: h["contract"],
		Digest: h["digest"], Route: h["route"], Intent: []byte(h["intent"]), State: JobState(h["state"]),
		Version: number(h["version"]), Epoch: number(h["epoch"]), CompletedBy: int(number(h["completed_by"])),
		Created: millis(h["created"]), Deadline: millis(h["deadline"]), Ended: millis(h["ended"]),
		Budget: time.Duration(number(h["budget"])) * time.Millisecond,
		Lease:  millis(h["lease"]), Holder: h["holder"], Claims: int(number(h["claims"])), Open: int(number(h["open"]))}
	if err := decode(h["result"], &j.Result); err != nil {
		return Job{}, fmt.Errorf("job %s: result: %w", j.ID, err)
	}
	if err := decode(h["error"], &j.Error); err != nil {
		return Job{}, fmt.Errorf("job %s: error: %w", j.ID, err)
	}
	return j, nil
}

func decodeAttempt(h map[string]string) (Attempt, error) {
	a := Attempt{Number: int(number(h["number"])), Target: h["target"], Provider: h["provider"], Model: h["model"], Key: h["key"],
		State: AttemptState(h["state"]), Version: number(h["version"]), Epoch: number(h["epoch"]),
		Started: millis(h["started"]), Ended: millis(h["ended"]), UnknownSince: millis(h["unknown_since"]),
		SendBy: millis(h["send_by"]), Reference: h["reference"]}
	for _, part := range []struct {
		field string
		into  any
	}{{"failure", &a.Failure}, {"settlement", &a.Settlement}, {"late", &a.Late}} {
		if err := decode(h[part.field], part.into); err != nil {
			return Attempt{}, fmt.Errorf("attempt %d: %s: %w", a.Number, part.field, err)
		}
	}
	return a, nil
}

func decode(text string, into any) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), into)
}

// pairs turns the flat reply of HGETALL into a map; with RESP3 it is one already.
func pairs(v any) map[string]string {
	h := map[string]string{}
	switch v := v.(type) {
	case []any:
		for i := 0; i+1 < len(v); i += 2 {
			h[fmt.Sprint(v[i])] = fmt.Sprint(v[i+1])
		}
	case map[any]any:
		for k, x := range v {
			h[fmt.Sprint(k)] = fmt.Sprint(x)
		}
	}
	return h
}
