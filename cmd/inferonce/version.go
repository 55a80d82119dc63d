package main

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is what the program knows of its own making.
type build struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"commit_time,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from files that differ from the commit
}

// thisBuild reads what the Go tool has put into the program.
func thisBuild() build {
	info, _ := debug.ReadBuildInfo()
	return describeBuild(info)
}

func describeBuild(info *debug.BuildInfo) build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return b
	}
	b.Version = cmp.Or(info.Main.Version, b.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func newVersionCmd(lookup) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print which build this is",
		Long: `version prints the version, the Go release it was built with, and the commit.
Put it into every report of a fault.`,
		Example: `  inferonce version
  inferonce version -o json`,
		Args:              takes(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := newPrinter(cmd)
			if err != nil {
				return err
			}
			return printBuild(p, thisBuild())
		},
	}
}

func printBuild(p *printer, b build) error {
	if p.json {
		return p.value(b)
	}
	commit := b.Commit
	if b.Modified {
		commit += " (modified)"
	}
	return p.fields([][2]string{{"inferonce", b.Version}, {"commit", commit}, {"committed", b.Time},
		{"go", b.Go}, {"platform", b.Platform}})
}
