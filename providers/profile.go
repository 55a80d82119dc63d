package providers

// Profiled is a Provider whose way of speaking is data with a name of its own.
type Profiled interface {
	// ProfileDigest is the SHA-256 of that data ("sha256:…"). What was proved under
	// one digest says nothing about another.
	ProfileDigest() string
}
