package httpapi

import (
	"net/http"
	"strings"

	"inferonce/contracts"
	"inferonce/router"
)

// The paths of the face that clients of OpenAI's chat completions know. Their
// errors have OpenAI's shape.
const (
	chatPath   = "/v1/chat/completions"
	modelsPath = "/v1/models"
)

func openAIPath(path string) bool {
	return path == chatPath || path == modelsPath || strings.HasPrefix(path, modelsPath+"/")
}

// chat is POST /v1/chat/completions: one request, one job, under the same rules
// as infer. Streaming is not offered.
func (a *api) chat(x *exchange) error {
	req, how, err := a.readChat(x)
	if err != nil {
		return err
	}
	s, err := a.Router.Submit(x.r.Context(), req)
	if err != nil {
		return err
	}
	job, err := a.await(x.r.Context(), s, how)
	if err != nil {
		return accepted(x, s.Job, err)
	}
	return x.answerChat(&job, req.Input, s.Replayed)
}

// chatKeyExample is what a caller without a key needs to see.
const chatKeyExample = `no Idempotency-Key header. Send one that names the event, and the same one with every repeat: ` +
	`headers: {"Idempotency-Key": "order-8841"} in the options of the call. (The option idempotencyKey of OpenAI's npm package sends no header.)`

// readChat checks the request in the documented order. Nothing is stored yet.
func (a *api) readChat(x *exchange) (router.Request, delivery, error) {
	req := router.Request{Owner: x.caller.Owner}
	keys := x.r.Header.Values("Idempotency-Key")
	if len(keys) == 0 {
		return req, delivery{}, newProblem(codeKeyRequired, chatKeyExample)
	}
	var err error
	if req.Key, err = contracts.CheckIdempotencyKey(keys); err != nil {
		return req, delivery{}, err
	}
	raw, err := a.body(x)
	if err != nil {
		return req, delivery{}, err
	}
	canonical, err := contracts.Canonical(raw)
	if err != nil {
		return req, delivery{}, notCanonical(err)
	}
	// Read from the body as it came: models follow the order of a schema's
	// properties, which the canonical form does not keep.
	ask, err := readChatBody(raw)
	if err != nil {
		return req, delivery{}, err
	}
	how, err := deliveryOf(x.r.Header, a.MaxWait)
	if err != nil {
		return req, delivery{}, err
	}
	m, err := a.Router.Model(ask.model)
	if err != nil {
		return req, delivery{}, err
	}
	req.Contract, req.Input, req.Intent, req.Budget = m.Contract, ask.input, ask.intent(m.Contract), how.budget
	req.Fingerprint = contracts.Fingerprint(x.route.method, x.route.path, canonical)
	return req, how, nil
}

// modelView is a chat route as OpenAI's clients read a model.
type modelView struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"` // when a route came to be is not known
	OwnedBy string `json:"owned_by"`
}

func viewModel(m router.Model) modelView {
	return modelView{ID: m.ID, Object: "model", OwnedBy: "inferonce"}
}

// listModels is GET /v1/models: the routes that serve chats.
func (a *api) listModels(x *exchange) error {
	all := []modelView{}
	for _, m := range a.Router.Models() {
		all = append(all, viewModel(m))
	}
	return x.send(http.StatusOK, map[string]any{"object": "list", "data": all})
}

// getModel is GET /v1/models/{id}.
func (a *api) getModel(x *exchange) error {
	m, err := a.Router.Model(x.values["id"])
	if err != nil {
		return err
	}
	return x.send(http.StatusOK, viewModel(m))
}
