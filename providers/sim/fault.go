package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// MaxWait bounds every wait of a call: delay, late, hang, gate and latency. A
// call that reaches it at a gate or in a hang ends without an answer.
const MaxWait = 15 * time.Minute

// MaxHuge is the largest body that a Fault may ask for, in bytes.
const MaxHuge = 1 << 30

// Fault says what one call does instead of answering well at once: when
// (Delay, Late, Hang, Until) and what (at most one of the others). The zero
// Fault is a healthy call, which keeps a place in a list.
type Fault struct {
	// Delay is a wait before the work. The work is done even if the caller goes.
	Delay Duration `json:"delay,omitzero"`
	// Late is a wait between the work and the answer.
	Late Duration `json:"late,omitzero"`
	// Hang does no work and never answers; it ends when the caller goes, when
	// the gate in Until opens, or after MaxWait.
	Hang bool `json:"hang,omitzero"`
	// Until names the gate at which the wait ends. Alone it means Delay: AtGate.
	Until string `json:"until,omitempty"`

	// Status refuses with this status; nothing is executed unless Executed is
	// set. With HTML and ErrorIn200 it is the status or code that they show.
	Status  int               `json:"status,omitzero"`
	Headers map[string]string `json:"headers,omitempty"` // of a refusal; they replace our own
	Body    Body              `json:"body,omitempty"`    // of a refusal; "" is an error in OpenAI's shape
	// Executed makes a refusal a lie: the work was done.
	Executed bool `json:"executed,omitzero"`

	Reset        Reset   `json:"reset,omitempty"`
	Truncate     Cut     `json:"truncate,omitempty"`
	HTML         bool    `json:"html,omitzero"`          // a refusal as an edge proxy words it, 502 unless Status says otherwise
	ErrorIn200   bool    `json:"error_in_200,omitzero"`  // a refusal inside a 200, with code 500 unless Status says otherwise
	EmptyChoices bool    `json:"empty_choices,omitzero"` // "choices": []
	WrongSchema  bool    `json:"wrong_schema,omitzero"`  // valid JSON that breaks the schema
	ExtraKey     bool    `json:"extra_key,omitzero"`     // one top-level key that the schema does not declare
	WrongAnswer  bool    `json:"wrong_answer,omitzero"`  // fits the schema and is not the answer
	NumberBomb   bool    `json:"number_bomb,omitzero"`   // 1e20000000 in the content
	Deep         bool    `json:"deep,omitzero"`          // content of DeepLevels levels
	Garbage      bool    `json:"garbage,omitzero"`       // bytes in the content that are not UTF-8
	Huge         int64   `json:"huge,omitzero"`          // a body of this many bytes
	Content      *string `json:"content,omitzero"`       // this content, literally
}

// DeepLevels is the depth of the JSON that Fault.Deep puts into the content.
const DeepLevels = 10_000

// acts returns the words of what the fault does, apart from when.
func (f *Fault) acts() []string {
	all := []struct {
		word string
		set  bool
	}{
		{"status", f.Status != 0 && !f.HTML && !f.ErrorIn200},
		{"reset", f.Reset != ""}, {"truncate", f.Truncate != ""},
		{"html", f.HTML}, {"error_in_200", f.ErrorIn200}, {"empty_choices", f.EmptyChoices},
		{"wrong_schema", f.WrongSchema}, {"extra_key", f.ExtraKey}, {"wrong_answer", f.WrongAnswer},
		{"number_bomb", f.NumberBomb}, {"deep", f.Deep}, {"garbage", f.Garbage},
		{"huge", f.Huge != 0}, {"content", f.Content != nil},
	}
	var set []string
	for _, a := range all {
		if a.set {
			set = append(set, a.word)
		}
	}
	return set
}

// act is the one word of acts, "" for a healthy answer.
func (f *Fault) act() string {
	if a := f.acts(); len(a) > 0 {
		return a[0]
	}
	return ""
}

// word names the fault in the ledger: when and what, "late+wrong_schema".
func (f *Fault) word() string {
	var words []string
	switch {
	case f.Hang:
		words = append(words, "hang")
	case f.Late != 0:
		words = append(words, "late")
	case f.Delay != 0 || f.Until != "":
		words = append(words, "delay")
	}
	act := f.act()
	if act == "reset" {
		act += "_" + string(f.Reset)
	}
	if act != "" {
		words = append(words, act)
	}
	return strings.Join(words, "+")
}

// refuses reports whether the fault answers that the request was not served.
func (f *Fault) refuses() bool {
	return f.HTML || f.ErrorIn200 || f.act() == "status"
}

// works reports whether the work is done before the fault does its harm.
func (f *Fault) works() bool {
	switch {
	case f.Hang, f.resetsEarly():
		return false
	case f.refuses():
		return f.Executed
	}
	return true
}

// resetsEarly reports whether the connection ends before the request is read.
func (f *Fault) resetsEarly() bool {
	return f.Reset == BeforeBody || f.Reset == HalfBody
}

// spoils reports whether the answer that the work made is of no use to an
// app, by its own content and not because it was lost on the way.
func (f *Fault) spoils() bool {
	switch f.act() {
	case "", "reset", "truncate":
		return false
	}
	return true
}

// Validate refuses a fault that cannot be carried out, and says what to write.
func (f Fault) Validate() error {
	if err := f.checkValues(); err != nil {
		return err
	}
	if err := f.checkTiming(); err != nil {
		return err
	}
	return f.checkActs()
}

func (f *Fault) checkValues() error {
	switch {
	case f.Until != "" && !validName(f.Until):
		return fmt.Errorf("until: a gate's name is 1 to 64 of a-z A-Z 0-9 . _ -")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status: %d is no final status; use 200 to 599", f.Status)
	case !slices.Contains([]Reset{"", BeforeBody, HalfBody, AfterBody}, f.Reset):
		return fmt.Errorf("reset: %q is unknown; use before_body, half_body or after_body", f.Reset)
	case !slices.Contains([]Cut{"", CutLength, CutChunked}, f.Truncate):
		return fmt.Errorf("truncate: %q is unknown; use true or \"chunked\"", f.Truncate)
	case f.Huge != 0 && (f.Huge < minHuge || f.Huge > MaxHuge):
		return fmt.Errorf("huge: use %d to %d bytes", minHuge, MaxHuge)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Headers)) {
		if !validHeader(name, f.Headers[name]) {
			return fmt.Errorf("headers: %q is no header that can be sent", name)
		}
	}
	return nil
}

func (f *Fault) checkTiming() error {
	for _, d := range []Duration{f.Delay, f.Late} {
		if d != AtGate && (d < 0 || time.Duration(d) > MaxWait) {
			return fmt.Errorf("delay, late: use a duration of 0s to %s", MaxWait)
		}
	}
	atGate := f.Delay == AtGate || f.Late == AtGate
	switch {
	case f.Hang && (f.Delay != 0 || f.Late != 0):
		return fmt.Errorf("hang waits for ever: leave delay and late out, or name a gate in until")
	case f.Delay != 0 && f.Late != 0:
		return fmt.Errorf("delay waits before the work and late after it: use one of them")
	case atGate && f.Until == "":
		return fmt.Errorf("a wait of true ends at a gate: name it in until")
	case f.Until != "" && !atGate && (f.Delay != 0 || f.Late != 0):
		return fmt.Errorf("until takes the place of the duration: write \"late\": true, or until alone")
	}
	return nil
}

func (f *Fault) checkActs() error {
	acts := f.acts()
	switch {
	case len(acts) > 1:
		return fmt.Errorf("%s: a call can do only one of them; put them in two entries", strings.Join(acts, ", "))
	case f.Hang && len(acts) > 0:
		return fmt.Errorf("hang never answers: leave %s out", acts[0])
	case !f.refuses() && (len(f.Headers) > 0 || f.Executed):
		return fmt.Errorf("headers and executed belong to status, html or error_in_200: add one of them")
	case f.Body != "" && f.act() != "status":
		return fmt.Errorf("body belongs to a status: add one")
	case f.Body != "" && !bodyAllowed(f.Status):
		return fmt.Errorf("status %d has no body: leave body out", f.Status)
	case f.Late != 0 && !f.works():
		return fmt.Errorf("late does the work first, %s does none: use delay, or executed with a refusal", f.act())
	}
	return nil
}
