package openairesponses

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json"

	"inferonce/providers"
)

// events are the webhooks about responses (developers.openai.com/api/docs/guides/webhooks
// and the reference of webhook events). They carry the response's id and no more.
var events = []string{"response.completed", "response.failed", "response.cancelled", "response.incomplete"}

// ParseCallback reads a verified webhook. The event of a response names it and
// says no more: a Lookup by the reference brings what became of it, and the
// attempt id that it was created with. Events about anything else, and of types
// that are not known here, name no call.
func (c *Client) ParseCallback(body []byte) (providers.Event, error) {
	var e struct {
		ID   string `json:"id"`
		Type string `json:"type"`
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &e) != nil || e.ID == "" || e.Type == "" {
		return providers.Event{}, errors.New("openairesponses: the body is not an event with an id and a type")
	}
	out := providers.Event{ID: label(e.ID, c.key()), Type: label(e.Type, c.key())}
	if !slices.Contains(events, e.Type) {
		return out, nil
	}
	if !goodID(e.Data.ID) {
		return providers.Event{}, errors.New("openairesponses: the event names no response")
	}
	out.Reference = e.Data.ID
	return out, nil
}
