package contracts

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Catalog is a set of contracts by name and version. It never changes and is
// safe for concurrent use.
type Catalog struct {
	all    []*Contract // by name, then version
	byRef  map[string]*Contract
	newest map[string]*Contract
}

// UnknownContractError says that no contract has the asked name or version.
type UnknownContractError struct {
	Ref   string
	Known []string // every contract there is, such as "ticket-triage@1"
}

func (e *UnknownContractError) Error() string {
	return fmt.Sprintf("no contract %q; known are %s", e.Ref, strings.Join(e.Known, ", "))
}

// NewCatalog makes a catalog of contracts; two with one name and version are an error.
func NewCatalog(all ...*Contract) (*Catalog, error) {
	c := &Catalog{byRef: map[string]*Contract{}, newest: map[string]*Contract{}}
	var faults []error
	for _, k := range all {
		if first := c.byRef[k.Ref()]; first != nil {
			faults = append(faults, &Finding{ID: FileFault, File: k.file, Message: fmt.Sprintf("%s is already in %s", k.Ref(), first.file),
				Fix: "raise the version, or remove one of them"})
			continue
		}
		c.byRef[k.Ref()] = k
		c.all = append(c.all, k)
		if newest := c.newest[k.Name]; newest == nil || newest.Version < k.Version {
			c.newest[k.Name] = k
		}
	}
	slices.SortFunc(c.all, func(a, b *Contract) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	})
	return c, errors.Join(faults...)
}

// LoadDir loads every .yaml and .yml file directly in dir of fsys. Folders
// below it are left alone, so that cases and schemas can live there. Its error
// joins the faults of all files, as Load's does; a folder without a contract
// is an error too.
func LoadDir(fsys fs.FS, dir string) (*Catalog, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, &Finding{ID: FileFault, File: dir, Message: "can't be read: " + cause(err), Fix: "name a folder of contract files"}
	}
	var all []*Contract
	var faults []error
	for _, e := range entries {
		if e.IsDir() || !slices.Contains([]string{".yaml", ".yml"}, path.Ext(e.Name())) {
			continue
		}
		c, err := Load(fsys, path.Join(dir, e.Name()))
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, c)
	}
	if len(all)+len(faults) == 0 {
		faults = append(faults, &Finding{ID: FileFault, File: dir, Message: "holds no contract", Fix: "put a .yaml file there"})
	}
	c, err := NewCatalog(all...)
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	return c, nil
}

// Get finds a contract by "name", which means its highest version, or by
// "name@version". Its error is always an *UnknownContractError.
func (c *Catalog) Get(ref string) (*Contract, error) {
	if k, ok := c.newest[ref]; ok {
		return k, nil
	}
	if k, ok := c.byRef[ref]; ok {
		return k, nil
	}
	return nil, &UnknownContractError{ref, c.Refs()}
}

// Refs names every contract, by name and then version.
func (c *Catalog) Refs() []string {
	refs := make([]string, len(c.all))
	for i, k := range c.all {
		refs[i] = k.Ref()
	}
	return refs
}

// All returns every contract, by name and then version.
func (c *Catalog) All() []*Contract { return slices.Clone(c.all) }

// digest hashes the contract's bytes and those of the files it names, by name.
// Bytes and not meaning: the order of a schema's properties and the wording of
// a prompt change what a model does.
func digest(raw []byte, named map[string][]byte) string {
	parts := [][]byte{[]byte("contract"), []byte(strconv.Itoa(len(named))), raw}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		parts = append(parts, []byte(name), named[name])
	}
	return "sha256:" + framedSHA256(parts...)
}
