package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/testscript"
)

// ciSection returns the YAML of README's section about CI: GitHub's, GitLab's.
func ciSection(t *testing.T) (github, gitlab string) {
	t.Helper()
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(raw), "## Prove a fallback in CI\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of YAML in the section", len(blocks))
	}
	return blocks[0][1], blocks[1][1]
}

// ciCommands are the commands that the two snippets run.
func ciCommands(t *testing.T) map[string][]string {
	t.Helper()
	var github struct {
		Jobs map[string]struct {
			Env   map[string]string `yaml:"env"`
			Steps []struct {
				Run string `yaml:"run"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	var gitlab map[string]struct {
		Script    []string `yaml:"script"`
		Artifacts struct {
			Reports map[string]string `yaml:"reports"`
		} `yaml:"artifacts"`
	}
	hub, lab := ciSection(t)
	if err := yaml.Unmarshal([]byte(hub), &github); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(lab), &gitlab); err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{"gitlab": gitlab["conformance"].Script}
	for _, step := range github.Jobs["conformance"].Steps {
		if step.Run != "" {
			all["github"] = append(all["github"], step.Run)
		}
	}
	if gitlab["conformance"].Artifacts.Reports["junit"] != "conformance/junit.xml" || github.Jobs["conformance"].Env[envURL] == "" {
		t.Error("the snippets do not name the JUnit file or the router")
	}
	return all
}

// TestTheSnippetsOfTheReadmeWork runs what README tells CI to run, as it is
// written, with a router and a provider that stand for the reader's. Only make
// build is left out: its program is this one.
func TestTheSnippetsOfTheReadmeWork(t *testing.T) {
	for name, commands := range ciCommands(t) {
		if len(commands) != 3 || commands[0] != "make build" {
			t.Fatalf("%s runs %q", name, commands)
		}
		var b strings.Builder
		b.WriteString("env LLAMA_KEY=canary-4711\nenv GITHUB_STEP_SUMMARY=$WORK/summary\nexists bin/inferonce\n")
		for _, c := range commands[1:] {
			fmt.Fprintf(&b, "exec sh -c '%s'\n", c)
		}
		b.WriteString("stderr 'llama is eligible for ticket-triage@1'\nexists conformance/junit.xml conformance/report.html\n" +
			"json conformance/report.json mode certify\njson conformance/report.json verdict pass\n! grep canary conformance/report.json\n")
		if name == "github" {
			b.WriteString("grep 'llama on ticket' summary\n")
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(b.String()+"-- router.yaml --\n"+readmeRouter), 0o600); err != nil {
			t.Fatal(err)
		}
		p := scriptParams()
		p.Dir = dir
		p.Setup = setUpReadme
		testscript.Run(t, p)
	}
}

const readmeRouter = `store: {redis: "redis://127.0.0.1:1"}
providers:
  local: {kind: openai, base_url: "${INFERONCE_URL}/sim/local/v1", api_key: "${LLAMA_KEY}"}
targets:
  llama: {provider: local, model: triage}
routes:
  ticket-triage: {contract: ticket-triage, primary: llama}
keys:
  - {owner: acme, hash: "sha256:0000000000000000000000000000000000000000000000000000000000000000", scopes: [report]}
`

// setUpReadme puts the program where make build does.
func setUpReadme(env *testscript.Env) error {
	// A provider with one key and one model, as the reader's has.
	key := filepath.Join(env.WorkDir, "provider.key")
	if err := os.WriteFile(key, []byte("canary-4711"), 0o600); err != nil {
		return err
	}
	if err := setUpWith(env, simFlags{keyFile: key, models: []string{"triage"}}); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Mkdir(env.Cd+"/bin", 0o755); err != nil {
		return err
	}
	return os.Symlink(program, env.Cd+"/bin/inferonce")
}
