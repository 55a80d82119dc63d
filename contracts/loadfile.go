package contracts

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// maxFile bounds a contract and every file it names, in bytes.
const maxFile = 4 << 20

// readFile reports a missing or too large file as a *Finding.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, &Finding{ID: FileFault, File: name, Message: "can't be read: " + cause(err), Fix: "check the path"}
	}
	if info.Size() > maxFile {
		return nil, &Finding{ID: FileFault, File: name, Message: fmt.Sprintf("has more than %d bytes", maxFile), Fix: "split it"}
	}
	raw, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, &Finding{ID: FileFault, File: name, Message: "can't be read: " + cause(err), Fix: "check the path"}
	}
	return raw, nil
}

func cause(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// refer reads a file that the contract names, relative to the contract. It
// can't leave fsys.
func (l *loader) refer(n *node, name string) ([]byte, string) {
	full := path.Join(path.Dir(l.file), name)
	if !fs.ValidPath(full) || path.IsAbs(name) || strings.Contains(name, `\`) {
		l.fault(n, FileFault, "names a file outside the contracts' folder", "use a path relative to the contract")
		return nil, full
	}
	raw, err := readFile(l.fsys, full)
	if err != nil {
		message := cause(err)
		if f, ok := errors.AsType[*Finding](err); ok {
			message = f.Message
		}
		l.fault(n, FileFault, fmt.Sprintf("names %q, which %s", name, message), "correct the path or the file")
		return nil, full
	}
	l.named[name] = raw
	return raw, full
}
