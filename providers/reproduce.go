package providers

// Reproducer is a Provider that can say a call as a command for a shell.
type Reproducer interface {
	// Reproduce returns a command that makes the call r by hand, or "". It holds
	// no key: whoever runs it brings one. Nothing is sent.
	Reproduce(r Request) string
}
