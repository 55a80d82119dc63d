package providers

import "context"

// Renderer is a Provider whose server shows what becomes of a request's turns
// before the model sees them.
type Renderer interface {
	// Render asks once and has nothing generated. Its error is a
	// *contracts.Failure; class NotFound says that the server has no such ability.
	Render(ctx context.Context, r Request) (Rendering, error)
}

// Rendering is a prompt as the model gets it.
type Rendering struct {
	Text   string // the whole prompt
	Tokens []int  // the same, as ids
}
