package main

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"inferonce/configs"
	"inferonce/contracts"
)

// source is a folder of contract files, or some of its files.
type source struct {
	fsys  fs.FS
	shown string // stands before the names that people read
	files []string
}

// sampleDir is where the built-in contracts are in configs.Samples.
const sampleDir = "contracts"

// samples are the built-in contracts.
func samples() source {
	files, _ := fs.Glob(configs.Samples, sampleDir+"/*.yaml") // the pattern is well-formed
	return source{configs.Samples, "", files}
}

func sourceAt(name string) (source, error) {
	info, err := os.Stat(name)
	if err != nil {
		return source{}, exitf(exitUsage, "%w; name a contract file or a folder of them", err)
	}
	if !info.IsDir() {
		return source{os.DirFS(filepath.Dir(name)), filepath.Dir(name), []string{filepath.Base(name)}}, nil
	}
	s := source{fsys: os.DirFS(name), shown: name}
	for _, pattern := range []string{"*.yaml", "*.yml"} {
		files, err := fs.Glob(s.fsys, pattern)
		if err != nil {
			return s, exit(exitCouldNotRun, err)
		}
		s.files = append(s.files, files...)
	}
	return s, nil
}

// lint looks at every file, whatever is wrong with the others.
func (s source) lint() (files []string, found []contracts.Finding) {
	if len(s.files) == 0 {
		return nil, []contracts.Finding{{ID: contracts.FileFault, File: s.shown, Message: "holds no contract", Fix: "put a .yaml file there"}}
	}
	var good []*contracts.Contract
	for _, name := range s.files {
		files = append(files, s.show(name))
		c, err := contracts.Load(s.fsys, name)
		if err != nil {
			found = append(found, faults(err)...)
			continue
		}
		good = append(good, c)
		found = append(found, contracts.Lint(c)...)
	}
	if _, err := contracts.NewCatalog(good...); err != nil {
		found = append(found, faults(err)...)
	}
	for i := range found {
		found[i].File = s.show(found[i].File)
	}
	return files, found
}

func (s source) show(name string) string {
	if s.shown == "" || s.shown == "." {
		return name
	}
	return filepath.Join(s.shown, filepath.FromSlash(path.Clean(name)))
}

// faults are the findings of an error; one made of its text if it has none.
func faults(err error) []contracts.Finding {
	if found := contracts.Findings(err); len(found) > 0 {
		return found
	}
	return []contracts.Finding{{ID: contracts.FileFault, Message: err.Error()}}
}

// loadCatalog loads the contracts of a folder, the built-in ones if dir is
// empty. Its error lists every fault.
func loadCatalog(dir string) (*contracts.Catalog, error) {
	catalog, found := catalogOf(dir)
	if len(found) == 0 {
		return catalog, nil
	}
	lines := make([]error, len(found))
	for i := range found {
		lines[i] = &found[i]
	}
	return nil, exit(exitInvalid, errors.Join(lines...))
}

func catalogOf(dir string) (*contracts.Catalog, []contracts.Finding) {
	s := source{fsys: configs.Samples}
	within := sampleDir
	if dir != "" {
		s, within = source{fsys: os.DirFS(dir), shown: dir}, "."
	}
	catalog, err := contracts.LoadDir(s.fsys, within)
	if err == nil {
		return catalog, nil
	}
	found := faults(err)
	for i := range found {
		found[i].File = s.show(found[i].File)
	}
	return nil, found
}
