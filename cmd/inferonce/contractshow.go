package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"inferonce/contracts"
)

// shownContract is what contracts show prints as JSON.
type shownContract struct {
	Contract     string          `json:"contract"`
	File         string          `json:"file"`
	Digest       string          `json:"digest"`
	Description  string          `json:"description,omitempty"`
	Effects      string          `json:"effects"`
	OnUnknown    string          `json:"on_unknown"`
	Sampling     string          `json:"sampling"`
	Identity     []string        `json:"identity"`
	Cases        int             `json:"cases"`
	Critical     int             `json:"critical_cases"`
	InputSchema  json.RawMessage `json:"input_schema"`
	OutputSchema json.RawMessage `json:"output_schema"`
	Prompt       *shownPrompt    `json:"prompt"` // null without a case
}

// shownPrompt is the prompt as a model reads it, for the first case.
type shownPrompt struct {
	Case   string `json:"case"`
	System string `json:"system"`
	User   string `json:"user"`
}

func newContractsShowCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "show CONTRACT",
		Short: "Print what a contract says",
		Long: `show prints a contract: its digest, effects, policy, schemas, number of cases,
and the prompt as a model reads it for the first case. CONTRACT is a name, which
means its newest version, or name@version.`,
		Example: `  inferonce contracts show ticket-triage
  inferonce contracts show invoice@2 --dir ./contracts -o json`,
		Args: takes("CONTRACT"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return contractNames(dir), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			catalog, err := loadCatalog(dir)
			if err != nil {
				return err
			}
			c, err := catalog.Get(args[0])
			if err != nil {
				return exitf(exitNotFound, "%w; give its folder with --dir", err)
			}
			return printContract(p, c)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder of contract files; default the built-in samples")
	return cmd
}

// contractNames offers what a folder holds to the shell; nothing if it is broken.
func contractNames(dir string) []string {
	catalog, err := loadCatalog(dir)
	if err != nil {
		return nil
	}
	return catalog.Refs()
}

func printContract(p *printer, c *contracts.Contract) error {
	s, err := showContract(c)
	if err != nil {
		return err
	}
	if p.json {
		return p.value(s)
	}
	return printShown(p, s)
}

func showContract(c *contracts.Contract) (shownContract, error) {
	s := shownContract{Contract: c.Ref(), File: c.File(), Digest: c.Digest, Description: c.Description, Effects: string(c.Effects),
		OnUnknown: c.OnUnknown.String(), Sampling: sampling(c.Sampling), Identity: append([]string{}, c.Identity...),
		Cases: len(c.Cases), InputSchema: c.InputSchema(), OutputSchema: c.OutputSchema()}
	for _, k := range c.Cases {
		if k.Critical {
			s.Critical++
		}
	}
	if len(c.Cases) == 0 {
		return s, nil
	}
	prompt, err := c.Render(c.Cases[0].Input)
	if err != nil {
		return s, exitf(exitInvalid, "the prompt of %s can't be made for case %s: %w; run inferonce contracts lint", c.Ref(), c.Cases[0].ID, err)
	}
	s.Prompt = &shownPrompt{c.Cases[0].ID, prompt.System, prompt.User}
	return s, nil
}

func sampling(s contracts.Sampling) string {
	words := []string{s.Intent}
	if s.MaxTemperature != nil {
		words = append(words, fmt.Sprintf("temperature up to %g", *s.MaxTemperature))
	}
	if s.MaxTokens > 0 {
		words = append(words, fmt.Sprintf("up to %d tokens", s.MaxTokens))
	}
	return strings.Join(words, ", ")
}

func printShown(p *printer, s shownContract) error {
	identity := strings.Join(s.Identity, ", ")
	if identity == "" {
		identity = "none: every request brings its own key"
	}
	pairs := [][2]string{{"contract", s.Contract}, {"description", s.Description}, {"file", s.File}, {"digest", s.Digest},
		{"effects", s.Effects}, {"on unknown", s.OnUnknown}, {"sampling", s.Sampling}, {"identity", identity},
		{"cases", fmt.Sprintf("%d, %d of them critical", s.Cases, s.Critical)}}
	if err := p.fields(pairs); err != nil {
		return err
	}
	blocks := [][2]string{{"input schema", indentJSON(s.InputSchema)}, {"output schema", indentJSON(s.OutputSchema)}}
	if s.Prompt != nil {
		blocks = append(blocks, [2]string{"system prompt", s.Prompt.System}, [2]string{"user prompt, for case " + s.Prompt.Case, s.Prompt.User})
	}
	for _, b := range blocks {
		if _, err := fmt.Fprintf(p.out, "\n%s:\n%s\n", b[0], block(b[1])); err != nil {
			return p.failed(err)
		}
	}
	return nil
}

// block indents a text of several lines, each of them fit for a terminal.
func block(text string) string {
	lines := strings.Split(strings.TrimRightFunc(text, unicode.IsSpace), "\n")
	for i := range lines {
		lines[i] = "  " + clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

func indentJSON(raw []byte) string {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return string(raw)
	}
	return b.String()
}
