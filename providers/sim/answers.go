package sim

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Answers are the healthy answers to known inputs.
type Answers struct {
	exact   map[string]*line
	longest []*line // by falling length of text

	mu    sync.Mutex
	found map[string]*line // by message; nil where no line fits
}

// line is one line of an answer file.
type line struct {
	text   string
	plain  string // text, folded
	output *node
}

// maxFound bounds how many messages are remembered and maxMessage how long
// they may be; maxLine bounds a line of the file. The last two are in bytes.
const (
	maxFound   = 10_000
	maxMessage = 16 << 10
	maxLine    = 1 << 20
)

// LoadAnswers reads JSON lines {"text": …, "output": …}; other members and
// empty lines are passed over. The same text may stand twice only with the same
// output. An output that is a string answers, where no schema is asked for, as
// its bare text.
func LoadAnswers(r io.Reader) (*Answers, error) {
	a := &Answers{exact: map[string]*line{}, found: map[string]*line{}}
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	n := 1
	for ; in.Scan(); n++ {
		if err := a.add(in.Bytes()); err != nil {
			return nil, fmt.Errorf("answers, line %d: %w", n, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("answers, line %d: %w", n, err)
	}
	slices.SortStableFunc(a.longest, func(x, y *line) int { return cmp.Compare(len(y.text), len(x.text)) })
	return a, nil
}

func (a *Answers) add(b []byte) error {
	var in struct {
		Text   string         `json:"text"`
		Output jsontext.Value `json:"output"`
	}
	if len(strings.TrimSpace(string(b))) == 0 {
		return nil
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	text := strings.TrimSpace(in.Text)
	if text == "" || in.Output == nil {
		return errors.New(`write {"text": "the input", "output": {…}}`)
	}
	output, err := parseNode(in.Output)
	if err != nil {
		return err
	}
	if old := a.exact[text]; old != nil {
		if old.output.String() != output.String() {
			return errors.New("this text has another output further up")
		}
		return nil
	}
	l := &line{text, fold(text), output}
	a.exact[text], a.longest = l, append(a.longest, l)
	return nil
}

// find returns the line whose text is the message or, failing that, the
// longest one that the message contains; nil if there is none.
func (a *Answers) find(message string) *line {
	if a == nil {
		return nil
	}
	if l := a.exact[message]; l != nil {
		return l
	}
	a.mu.Lock()
	l, known := a.found[message]
	a.mu.Unlock()
	if known {
		return l
	}
	l = a.contained(message)
	if len(message) > maxMessage {
		return l
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.found) >= maxFound {
		clear(a.found)
	}
	a.found[message] = l
	return l
}

// contained pays no heed to case and spacing, as a model would not.
func (a *Answers) contained(message string) *line {
	plain := fold(message)
	for _, l := range a.longest {
		if strings.Contains(plain, l.plain) {
			return l
		}
	}
	return nil
}

func fold(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
