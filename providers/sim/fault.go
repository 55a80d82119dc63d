package sim

import (
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
