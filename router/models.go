package router

import (
	"cmp"
	"fmt"
	"slices"
)

// Model is a route that serves chat requests, under the name by which clients of
// chat completions ask for it.
type Model struct {
	ID       string // the route's name
	Contract string // name@version
}

// UnknownModelError refuses a model that no route serves.
type UnknownModelError struct {
	Model string
	Known []string
}

func (e *UnknownModelError) Error() string { return fmt.Sprintf("no chat route is called %q", e.Model) }

// NotChatError refuses a model that names a route of another kind.
type NotChatError struct{ Model, Contract string }

func (e *NotChatError) Error() string {
	return fmt.Sprintf("%q names a route of contract %s, which takes no chat requests", e.Model, e.Contract)
}

// Models lists the chat routes by name.
func (r *Router) Models() []Model {
	var all []Model
	for ref, route := range r.routes {
		if route.Contract.Chat {
			all = append(all, Model{r.modelID(route), ref})
		}
	}
	slices.SortFunc(all, func(a, b Model) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Model finds the chat route that name stands for: the name of a route, or of the
// contract that it serves, with or without a version.
func (r *Router) Model(name string) (Model, error) {
	for _, m := range r.Models() {
		if m.ID == name {
			return m, nil
		}
	}
	for ref, route := range r.routes {
		if name != "" && route.Name == name && !route.Contract.Chat {
			return Model{}, &NotChatError{name, ref}
		}
	}
	c, err := r.Contracts.Get(name)
	if err == nil && r.routes[c.Ref()] != nil {
		if !c.Chat {
			return Model{}, &NotChatError{name, c.Ref()}
		}
		return Model{r.modelID(r.routes[c.Ref()]), c.Ref()}, nil
	}
	e := &UnknownModelError{Model: name}
	for _, m := range r.Models() {
		e.Known = append(e.Known, m.ID)
	}
	return Model{}, e
}

// modelID is what a route is called: its own name or, where it has none but the
// contract's, that of the contract, with the version unless it is the newest.
func (r *Router) modelID(route *Route) string {
	c := route.Contract
	if route.Name != "" && route.Name != c.Ref() {
		return route.Name
	}
	if newest, err := r.Contracts.Get(c.Name); err == nil && newest.Version == c.Version {
		return c.Name
	}
	return c.Ref()
}
