package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"inferonce/conformance"
	"inferonce/contracts"
)

// The forms of --report, and the file in --out that each is.
const formGitHub = "github"

var reportForms = []struct{ form, file string }{
	{"json", "report.json"}, {"junit", "junit.xml"}, {"md", "summary.md"}, {"html", "report.html"}, {formGitHub, ""},
}

// envStepSummary names the file that GitHub shows as the summary of a step.
const envStepSummary = "GITHUB_STEP_SUMMARY"

// reportFlags say in which forms a report goes where.
type reportFlags struct {
	out, previous string
	forms         []string
	contractFile  string // for annotations; "" if the contract is no file of ours
}

func (f *reportFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "directory to write reports into")
	fl.StringSliceVar(&f.forms, "report", nil, "forms of the report: json, junit, md, html, github (default: json where there is --out)")
	fl.StringVar(&f.previous, "previous", "", "report.json of the run before, which the page compares with")
	completes(cmd, "report", formNames()...)
}

func formNames() (all []string) {
	for _, r := range reportForms {
		all = append(all, r.form)
	}
	return all
}

func (f *reportFlags) check() error {
	for _, form := range f.forms {
		switch {
		case !slices.Contains(formNames(), form):
			return exitf(exitUsage, "--report %q is unknown; choose of %s", form, strings.Join(formNames(), ", "))
		case f.out == "" && form != formGitHub:
			return exitf(exitUsage, "--report %s needs --out, the directory to write into", form)
		}
	}
	if f.out != "" && f.forms == nil {
		f.forms = []string{"json"}
	}
	return nil
}

// deliver writes the files first and prints then, so that a reader of the
// output finds the files.
func (f *reportFlags) deliver(p *printer, env lookup, raw []byte, r contracts.Report) error {
	for _, row := range reportForms {
		if !slices.Contains(f.forms, row.form) {
			continue
		}
		text, err := f.form(row.form, raw, r)
		switch {
		case err != nil:
		case row.form == formGitHub:
			err = f.tellGitHub(p, env, text, r)
		default:
			err = errors.Join(os.MkdirAll(f.out, 0o755), os.WriteFile(filepath.Join(f.out, row.file), text, 0o644))
		}
		if err != nil {
			return exit(exitCouldNotRun, fmt.Errorf("write the %s report: %w", row.form, err))
		}
	}
	if p.json {
		return p.raw(raw)
	}
	return p.failed(conformance.Summary(p.out, r))
}

func (f *reportFlags) form(form string, raw []byte, r contracts.Report) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch form {
	case "json":
		return raw, nil
	case "junit":
		err = conformance.JUnit(&b, r)
	case "md":
		err = conformance.Markdown(&b, r)
	case "html":
		err = f.page(&b, r)
	case formGitHub:
		err = conformance.Annotations(&b, r, f.contractFile)
	}
	return b.Bytes(), err
}

func (f *reportFlags) page(w io.Writer, r contracts.Report) error {
	if f.previous == "" {
		return conformance.HTML(w, r, nil)
	}
	_, before, err := readReport(f.previous)
	if err != nil {
		return err
	}
	return conformance.HTML(w, r, &before)
}

// tellGitHub prints the annotations beside the data, where the runner looks too,
// and adds the summary to that of the step.
func (f *reportFlags) tellGitHub(p *printer, env lookup, annotations []byte, r contracts.Report) error {
	if _, err := p.talk.Write(annotations); err != nil {
		return err
	}
	name, _ := env(envStepSummary)
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(conformance.Markdown(file, r), file.Close())
}
