package realmodel

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"inferonce/configs"
	"inferonce/contracts"
)

func lines(t *testing.T, raw []byte, err error) []map[string]json.RawMessage {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]json.RawMessage
	for s := bufio.NewScanner(bytes.NewReader(raw)); s.Scan(); {
		var one map[string]json.RawMessage
		if err := json.Unmarshal(s.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

func file(t *testing.T, name string) []map[string]json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile(name)
	return lines(t, raw, err)
}

// text is a JSON text as Go holds it: the files escape differently.
func text(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheModelsAreTheOnesThatTheirSumsName(t *testing.T) {
	raw, err := os.ReadFile("models/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	var named int
	for line := range strings.Lines(string(raw)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		model, err := os.ReadFile(filepath.Join("models", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(model); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s is another file", name)
		}
		named++
	}
	if named != 3 {
		t.Errorf("%d sums, want 3", named)
	}
}

// The data hold six tickets of each intent, one intent after the other. The
// cases are the first two of each: a rule that knows no model.
func TestTheCasesAreChosenByARuleThatKnowsNoModel(t *testing.T) {
	raw, err := fs.ReadFile(configs.Samples, "data/banking77/answers.jsonl")
	all, cases := lines(t, raw, err), file(t, "contracts/cases/ticket-triage-bulk.jsonl")
	if len(all) != 6*77 || len(cases) != 2*77 {
		t.Fatalf("%d tickets, %d cases", len(all), len(cases))
	}
	for i, c := range cases {
		want := all[i/2*6+i%2]
		var input map[string]json.RawMessage
		if err := json.Unmarshal(c["input"], &input); err != nil {
			t.Fatal(err)
		}
		if text(t, input["text"]) != text(t, want["text"]) || string(c["expected"]) != string(want["output"]) {
			t.Errorf("case %s is not ticket %d with its answer", c["id"], i/2*6+i%2)
		}
	}
}

func TestTheTrainedModelNeverSawATicketThatItIsTestedOn(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range file(t, "models/train.jsonl") {
		seen[text(t, row["text"])] = true
	}
	if len(seen) < 3000 {
		t.Fatalf("%d texts of training", len(seen))
	}
	raw, err := fs.ReadFile(configs.Samples, "data/banking77/answers.jsonl")
	for i, row := range lines(t, raw, err) {
		if seen[text(t, row["text"])] {
			t.Errorf("ticket %d was in the training data", i)
		}
	}
}

func TestTheConfigurationForTheModelLoadsWithItsContract(t *testing.T) {
	c, err := configs.Load("../../configs/local-model.yaml", func(name string) (string, bool) { return "local", name == "MODEL_API_KEY" })
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := contracts.LoadDir(os.DirFS(c.Contracts), ".")
	if err != nil {
		t.Fatal(err)
	}
	bulk, err := catalog.Get(c.Routes["ticket-triage-bulk"].Contract)
	if err != nil || bulk.MinSuccess != 0.80 {
		t.Errorf("%+v, %v", bulk, err)
	}
}
