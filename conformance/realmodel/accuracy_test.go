//go:build realmodel

package realmodel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"testing"

	"inferonce/configs"
	"inferonce/contracts"
	"inferonce/providers"
)

type answer struct {
	Category string `json:"category"`
	Urgent   bool   `json:"urgent"`
}

type ticket struct {
	Text   string `json:"text"`
	Output answer `json:"output"`
}

func tickets(t *testing.T) []ticket {
	t.Helper()
	raw, err := fs.ReadFile(configs.Samples, "data/banking77/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []ticket
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		var one ticket
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if len(all) != 462 {
		t.Fatalf("%d tickets, want 462", len(all))
	}
	return all
}

// The figures of docs/realmodel.md come from here. The bounds leave room for
// processors that round differently.
func TestAccuracyOnAllTickets(t *testing.T) {
	for _, row := range []struct {
		model     string
		low, high float64 // share of right categories
	}{
		{"triage", 0.90, 0.95},
		{"drifted", 0.50, 0.58},
		{"random", 0.05, 0.25},
	} {
		t.Run(row.model, func(t *testing.T) {
			t.Parallel()
			s, c := start(t, row.model), strict(t)
			p := s.provider(t, s.key)
			category, urgent, both := 0, 0, 0
			all := tickets(t)
			for _, one := range all {
				got := ask(t, p, c, s.target(), one.Text)
				if got.Category == one.Output.Category {
					category++
				}
				if got.Urgent == one.Output.Urgent {
					urgent++
				}
				if got == one.Output {
					both++
				}
			}
			n := float64(len(all))
			t.Logf("%s, of %d tickets: category right %d (%.1f %%), urgency %d (%.1f %%), both %d (%.1f %%)", row.model, len(all),
				category, 100*float64(category)/n, urgent, 100*float64(urgent)/n, both, 100*float64(both)/n)
			if share := float64(category) / n; share < row.low || share > row.high {
				t.Errorf("%s names the right category in %.3f of the tickets, want %.2f to %.2f", row.model, share, row.low, row.high)
			}
		})
	}
}

// ask sends a ticket as live traffic would, and wants an answer that holds the contract.
func ask(t *testing.T, p providers.Provider, c *contracts.Contract, target providers.Target, text string) answer {
	t.Helper()
	input, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	r, err := providers.BuildRequest(c, input, target)
	if err != nil {
		t.Fatal(err)
	}
	done, err := p.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	output, f := c.CheckOutput(done.Content, input)
	if f != nil {
		t.Fatalf("the answer breaks the contract: %v", f)
	}
	var a answer
	if err := json.Unmarshal(output, &a); err != nil {
		t.Fatal(err)
	}
	return a
}
