package conformance

import (
	"context"
	"fmt"
	"strings"
)

// stopHonoured has a line of words repeated and stops at the third of them. Only
// what comes before it may arrive.
func stopHonoured(ctx context.Context, p *Probe) finding {
	return p.trials(3, func(int) (string, error) {
		words := []string{p.Nonce(), p.Nonce(), p.Nonce(), p.Nonce()}
		r, err := p.plainRequest("Repeat this line exactly, and write nothing else:\n" + strings.Join(words, " "))
		if err != nil {
			return "", err
		}
		r.Stop = []string{words[2]}
		got, failure, err := p.Ask(ctx, r)
		switch {
		case err != nil:
			return "", err
		case failure != nil:
			return "a stop word is refused (" + causeOf(failure) + ")", nil
		case strings.Contains(got.Content, words[3]):
			return "the answer goes on behind the stop word", nil
		case strings.Contains(got.Content, words[2]):
			return "the stop word is left in the answer", nil
		case strings.Contains(got.Content, words[2][:5]):
			return "a part of the stop word is left in the answer", nil
		case !strings.Contains(got.Content, words[0]) || !strings.Contains(got.Content, words[1]):
			return "what stands before the stop word is missing too, so nothing is shown", nil
		case got.FinishReason != "stop":
			return "an answer that ends at a stop word does not say so", nil
		}
		return "", nil
	})
}

// seeded draws twice from one seed, and once from another: two answers that are
// the same show something only if a third can differ.
func seeded(ctx context.Context, p *Probe) finding {
	question := fmt.Sprintf("Invent one unusual name for a ship. Do not use %s. Answer with the name alone.", p.Nonce())
	var answers [3]string
	for i, seed := range []int64{7, 7, 8} {
		r, err := p.plainRequest(question)
		if err != nil {
			return unshown(err.Error())
		}
		if t := p.Target.Temperature; !t.Omit && t.Fixed == nil {
			warm := hot
			r.Temperature = &warm
		}
		r.Seed = &seed
		got, failure, err := p.Ask(ctx, r)
		switch {
		case err != nil:
			return unshown(err.Error())
		case failure != nil:
			return of(1, 0, "a seed is refused ("+causeOf(failure)+")")
		}
		answers[i] = got.Content
	}
	values := map[string]string{"same_seed": same(answers[0], answers[1]), "other_seed": same(answers[0], answers[2])}
	switch {
	case answers[0] != answers[1]:
		return of(1, 0, "the same seed gives two answers").with(values)
	case answers[0] == answers[2]:
		return finding{verdict: passIf(true), n: 1, ok: 1, detail: "another seed gives the same answer too, so little is shown", values: values}
	}
	return of(1, 1, "").with(values)
}

func same(a, b string) string {
	if a == b {
		return "same"
	}
	return "differs"
}
