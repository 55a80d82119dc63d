package contracts

import "testing"

func TestAModelIsGoneOnlyWhereTheProviderSpeaksOfTheModel(t *testing.T) {
	for _, c := range []struct {
		name string
		f    Failure
		want bool
	}{
		{"the model is not there", Failure{Class: NotFound, Status: 404, Detail: "The model `x` does not exist or you do not have access to it."}, true},
		{"in other words", Failure{Class: NotFound, Status: 404, Detail: `model "x" not found, try pulling it first`}, true},
		{"it was taken out of service", Failure{Class: InvalidRequest, Status: 400, Detail: "The model `x` has been decommissioned and is no longer supported."}, true},
		{"an address that is not there", Failure{Class: NotFound, Status: 404, Detail: "404 page not found"}, false},
		{"a redirect", Failure{Class: NotFound, Status: 302, Code: "redirect", Detail: "see /models"}, false},
		{"a parameter that the model no longer takes", Failure{Class: InvalidRequest, Status: 400, Detail: "max_tokens is deprecated with this model"}, false},
		{"an outage", Failure{Class: Overloaded, Status: 503, Detail: "the model is overloaded"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.f.ModelGone(); got != c.want {
				t.Errorf("%t", got)
			}
		})
	}
}
