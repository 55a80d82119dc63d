package providers

import (
	"context"
	"strings"
	"testing"

	"inferonce/contracts"
)

type named struct{ Provider }

func (named) Complete(context.Context, Request) (contracts.Completion, error) {
	return contracts.Completion{}, nil
}

func TestSetNamesWhatItKnows(t *testing.T) {
	a, b := named{}, named{}
	s := Set{"beta": b, "alpha": a, "gone": nil}
	if p, err := s.Get("alpha"); err != nil || p != Provider(a) {
		t.Errorf("got %v, %v", p, err)
	}
	for _, name := range []string{"gamma", "gone", ""} {
		if _, err := s.Get(name); err == nil || !strings.Contains(err.Error(), "alpha, beta") {
			t.Errorf("Get(%q): error %v does not name the known providers", name, err)
		}
	}
}
