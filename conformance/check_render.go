package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"inferonce/contracts"
	"inferonce/providers"
)

// rendererOf finds the ability, behind a recorder too: what is shown is no answer
// and is not recorded.
func rendererOf(p providers.Provider) (providers.Renderer, bool) {
	if r, ok := p.(*Recorder); ok {
		p = r.Provider
	}
	able, ok := p.(providers.Renderer)
	return able, ok
}

// rendered looks at the prompt itself, where a server shows it: one token that
// begins it, the turns in order and unchanged, and a turn of the model's last.
func rendered(ctx context.Context, p *Probe) finding {
	able, ok := rendererOf(p.suite.Provider)
	if !ok {
		return unused("the provider shows neither the rendered text nor token ids; where the server does, say renders: in its configuration")
	}
	f, err := p.frame(p.kase(0).Input)
	if err != nil {
		return unshown(err.Error())
	}
	for i := range f.Messages { // so that no turn is found within another
		f.Messages[i].Content = p.Nonce() + " " + f.Messages[i].Content + " " + p.Nonce()
	}
	got, failure, err := p.render(ctx, able, f.Request)
	switch {
	case err != nil:
		return unshown(err.Error())
	case failure != nil && failure.Class == contracts.NotFound:
		return unused("the configuration says that the server shows how it renders, and it has no such address")
	case failure != nil:
		return unshown("the server did not show how it renders (" + causeOf(failure) + ")")
	}
	values := map[string]string{"tokens": fmt.Sprint(len(got.Tokens))}
	if fault := renderFault(f.Messages, got); fault != "" {
		return of(1, 0, fault).with(values)
	}
	return of(1, 1, "").with(values)
}

// render makes one call that has nothing generated, and counts it.
func (p *Probe) render(ctx context.Context, able providers.Renderer, r providers.Request) (providers.Rendering, *contracts.Failure, error) {
	if p.suite.admit(p.end) == 0 {
		return providers.Rendering{}, nil, errUnmade
	}
	callCtx, cancel := context.WithTimeout(ctx, p.suite.CallTime)
	defer cancel()
	got, err := able.Render(callCtx, r)
	p.suite.mu.Lock()
	p.suite.asked++
	p.suite.pay(contracts.Usage{}, true) // nothing was generated
	p.suite.mu.Unlock()
	if ctx.Err() != nil {
		return got, nil, errors.Join(errUnmade, ctx.Err())
	}
	return got, asFailure(err), nil
}

// renderFault says what is wrong with a rendered prompt; "" if nothing is. It is pure.
func renderFault(turns []providers.Message, got providers.Rendering) string {
	rest := got.Text
	for _, m := range turns {
		_, after, found := strings.Cut(rest, m.Content)
		switch {
		case !found && strings.Contains(got.Text, m.Content):
			return "the turn of the " + m.Role + " stands before an earlier one"
		case !found:
			return "the turn of the " + m.Role + " is not rendered as it was written"
		case strings.Contains(after, m.Content):
			return "the turn of the " + m.Role + " is rendered twice"
		}
		rest = after
	}
	switch n := got.Tokens; {
	case strings.TrimSpace(rest) == "":
		return "nothing follows the last turn, so the model is not told that it is its own"
	case len(n) == 0:
		return "the prompt has no tokens"
	case len(n) > 1 && n[0] == n[1]:
		return fmt.Sprintf("the prompt begins with token %d twice", n[0])
	}
	return ""
}
