package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// memberOrder lists an object's keys as they come.
func memberOrder(raw json.RawMessage) []string {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	var names []string
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		name, _ := key.(string)
		names = append(names, name)
		var skip json.RawMessage
		if d.Decode(&skip) != nil {
			return nil
		}
	}
	return names
}

// sample is a text that has to come back code point for code point.
type sample struct{ class, text string }

// echo puts samples behind each other, each between marks that hold a nonce,
// and asks for them.
func (p *Probe) echo(ctx context.Context, i int, samples []sample) (string, error) {
	f, err := p.frame(p.kase(i).Input)
	if err != nil {
		return "", err
	}
	mark := p.Nonce()
	var want []string
	for n, s := range samples {
		text := p.Nonce() + s.text + p.Nonce()
		want = append(want, text)
		f.last(fmt.Sprintf("%s-%d>%s<%s-%d", mark, n+1, text, mark, n+1))
	}
	f.ask(fmt.Sprintf("Between %s-N> and <%s-N stand %d texts. Put them into the list texts, in this order, character for character.", mark, mark, len(samples)), listKind, "texts")
	got, missed, err := p.put(ctx, f)
	if err != nil || missed != "" {
		return missed, err
	}
	texts := got.list("texts")
	if len(texts) != len(want) {
		return fmt.Sprintf("%d of %d texts came back", len(texts), len(want)), nil
	}
	for n := range want {
		if texts[n] != want[n] {
			return samples[n].class + " did not survive", nil
		}
	}
	return "", nil
}

// specialTokens are those of chat templates, none of which may take effect or vanish.
var specialTokens = []sample{
	{"the ChatML end token", "<|im_end|>"}, {"the end-of-text token", "<|endoftext|>"}, {"the end token </s>", "</s>"},
	{"the beginning token <s>", "<s>"}, {"the token <bos>", "<bos>"}, {"Mistral's [INST]", "[INST]"}, {"Gemma's <end_of_turn>", "<end_of_turn>"},
	{"Llama 3's <|eot_id|>", "<|eot_id|>"},
}

func tokensSurvive(ctx context.Context, p *Probe) finding {
	return p.trials(3, func(i int) (string, error) { return p.echo(ctx, i, specialTokens) })
}

// characters are those that software on the way is known to change.
func (p *Probe) characters() []sample {
	return []sample{
		{"a composed accent (NFC)", "caf\u00e9"}, {"a combining accent (NFD)", "cafe\u0301"},
		{"an emoji with joiners", "\U0001F469\u200d\U0001F469\u200d\U0001F467"}, {"right-to-left text", "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627"},
		{"a CRLF line end", "a\r\nb"}, {"a tab", "a\tb"}, {"a no-break space", "a\u00a0b"}, {"a backslash", `a\nb\\c`},
		{"quotes", `a "b" 'c'`}, {"double braces", "{{x}}"}, {"a format verb", "%s %d"}, {"a zero-width space", "a\u200bb"},
		{"a number of 60 digits", p.digits(60)},
	}
}

// digits returns n digits that nobody knows beforehand.
func (p *Probe) digits(n int) string {
	var b strings.Builder
	for b.Len() < n {
		for _, c := range p.Nonce() {
			b.WriteByte('0' + byte(c)%10)
		}
	}
	return b.String()[:n]
}

func charactersSurvive(ctx context.Context, p *Probe) finding {
	return p.trials(3, func(i int) (string, error) { return p.echo(ctx, i, p.characters()) })
}

// templatesSurvive writes template syntax into an input: neither our renderer nor
// the provider's may read what a user wrote as a template.
func templatesSurvive(ctx context.Context, p *Probe) finding {
	const syntax = `{{input.%s}} {{ 7*7 }} {%% raw %%} ${x} <%%= 1 %%> #{x} [[x]]`
	space, ok := p.room()
	if !ok || space.most < 200 {
		return unused("the contract's input has no text field with room for it")
	}
	return p.trials(3, func(int) (string, error) {
		mark := p.Nonce()
		text := p.Nonce() + " " + fmt.Sprintf(syntax, space.name) + " " + p.Nonce()
		f, err := p.frame(space.with(fmt.Sprintf("%s-1>%s<%s-1", mark, text, mark)))
		if err != nil {
			return "", err
		}
		f.ask(fmt.Sprintf("Between %s-1> and <%s-1 stands one text. Put it into the list texts, character for character.", mark, mark), listKind, "texts")
		got, missed, err := p.put(ctx, f)
		if err != nil || missed != "" || slices.Equal(got.list("texts"), []string{text}) {
			return missed, err
		}
		return "template syntax in an input is not passed on as text", nil
	})
}

// depths are where in the largest input a code stands, in percent.
var depths = []int{5, 25, 50, 75, 95}

// minDepth is the smallest input with room for five codes, in characters.
const minDepth = 400

// depth fills the contract's largest input and hides codes in it.
func depth(ctx context.Context, p *Probe) finding {
	space, ok := p.room()
	if !ok || space.most < minDepth {
		return unused("the contract's input has no text field that is large enough to be cut")
	}
	return p.trials(3, func(int) (string, error) {
		want, words := map[string]string{}, map[string]string{}
		var names []string
		for _, d := range depths {
			name := fmt.Sprintf("at%d", d)
			names = append(names, name)
			want[name], words[name] = p.Nonce(), fmt.Sprintf("the code at %d %% of the largest input is missing", d)
		}
		f, err := p.frame(space.with(deepText(space.most, want, p.filler())))
		if err != nil {
			return "", err
		}
		f.ask(askCodes, textKind, names...)
		lost, missed, err := p.codes(ctx, f, want)
		return lostIn(words, lost, missed), err
	})
}

// deepText is a text of exactly size characters with the codes at their depths.
func deepText(size int, codes map[string]string, filler string) string {
	var b strings.Builder
	fill := func(to int) {
		for b.Len() < to {
			b.WriteString(filler[:min(len(filler), to-b.Len())])
		}
	}
	for _, d := range depths {
		name := fmt.Sprintf("at%d", d)
		sentence := " " + code(name, codes[name]) + " "
		fill(min(size*d/100, size-len(sentence)))
		b.WriteString(sentence)
	}
	fill(size)
	return b.String()
}

// common are words that every tokenizer for English has whole.
const common = "the people of this place know that time and water make new work for every day and night while they look at life under the same old house near some other part of town with little light and good food for all men who come back home again to see what was left there before long "

// filler is neutral text. It begins elsewhere each time.
func (p *Probe) filler() string {
	words := strings.Fields(common)
	from := 0
	for _, c := range p.Nonce() {
		from += int(c)
	}
	from %= len(words)
	return strings.Join(slices.Concat(words[from:], words[:from]), " ") + " "
}

// wordsOf is the length of a text in words, which is near its length in tokens
// for common English.
func wordsOf(s string) int { return len(strings.Fields(s)) + utf8.RuneCountInString(s)/1000 }
