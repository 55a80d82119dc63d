package sim

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
)

func (s *Server) serveFaults(w http.ResponseWriter, r *http.Request, p *provider) {
	if !allow(w, r, http.MethodGet, http.MethodPut) {
		return
	}
	if r.Method == http.MethodPut {
		var list []Fault
		if !s.readControl(w, r, &list) || refused(w, p.setFaults(list)) {
			return
		}
	}
	control(w, p.left())
}

func (s *Server) serveSettings(w http.ResponseWriter, r *http.Request, p *provider) {
	if !allow(w, r, http.MethodGet, http.MethodPut) {
		return
	}
	if r.Method == http.MethodPut {
		var set Settings
		if !s.readControl(w, r, &set) || refused(w, p.setSettings(set)) {
			return
		}
	}
	control(w, p.settings())
}

// readControl decodes a body strictly, or refuses it.
func (s *Server) readControl(w http.ResponseWriter, r *http.Request, v any) bool {
	defer s.guard(w)()
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequest))
	if err == nil {
		err = strictly(b, v)
	}
	return !refused(w, err)
}

// refused answers 400 if there is an error.
func refused(w http.ResponseWriter, err error) bool {
	if err != nil {
		controlError(w, http.StatusBadRequest, err)
	}
	return err != nil
}

func control(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		controlError(w, http.StatusInternalServerError, err)
		return
	}
	reply{status: http.StatusOK, body: append(b, '\n')}.write(w)
}

func controlError(w http.ResponseWriter, status int, err error) {
	reply{status: status, body: errorBody(err.Error(), "sim_control_error", "")}.write(w)
}

func allow(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	for _, m := range methods {
		if r.Method == m {
			return true
		}
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	controlError(w, http.StatusMethodNotAllowed, fmt.Errorf("use %s here", strings.Join(methods, " or ")))
	return false
}

func notHere(w http.ResponseWriter) {
	controlError(w, http.StatusNotFound, errors.New("there is nothing here; below /sim/{name}/ are v1/chat/completions, v1/models, faults and settings"))
}
