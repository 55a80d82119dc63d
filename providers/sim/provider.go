package sim

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// provider is one simulated provider: what it has been told to do.
type provider struct {
	name string
	mu   sync.Mutex
	list []Fault
	set  Settings
}

// maxProviders bounds the names that come into being by being called.
const maxProviders = 1000

// provider returns the named one. Its error says which names there are.
func (s *Server) provider(name string) (*provider, error) {
	s.mu.RLock()
	p := s.providers[name]
	s.mu.RUnlock()
	if p != nil {
		return p, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.providers[name]; p != nil {
		return p, nil
	}
	if err := s.admits(name); err != nil {
		return nil, err
	}
	p = &provider{name: name}
	s.providers[name] = p
	return p, nil
}

func (s *Server) admits(name string) error {
	known := s.opts.Providers
	switch {
	case len(known) > 0 && !slices.Contains(known, name):
		return fmt.Errorf("no simulated provider has this name; there are %s", strings.Join(known, ", "))
	case !validName(name) || name == "ledger" || name == "gates":
		return fmt.Errorf("a simulated provider's name is 1 to 64 of a-z A-Z 0-9 . _ -, and neither ledger nor gates")
	case len(s.providers) >= maxProviders:
		return fmt.Errorf("there are %d simulated providers already; use one of them", maxProviders)
	}
	return nil
}

// setFaults replaces the list, or leaves it and returns the first fault's error.
func (p *provider) setFaults(faults []Fault) error {
	for i, f := range faults {
		if err := f.Validate(); err != nil {
			return fmt.Errorf("fault %d: %w", i+1, err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = slices.Clone(faults)
	return nil
}

func (p *provider) setSettings(s Settings) error {
	if err := s.Validate(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set = s
	return nil
}

func (p *provider) left() []Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Fault{}, p.list...)
}

func (p *provider) settings() Settings {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.set
}

// take returns what the next call does: the first fault of the list, which it
// leaves, or the standing one, or nil; and the standing latency.
func (p *provider) take() (*Fault, Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) == 0 {
		return p.set.Always, p.set.Latency
	}
	f := p.list[0]
	p.list = p.list[1:]
	return &f, p.set.Latency
}
