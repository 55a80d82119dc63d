// Package realmodel holds a real language model for tests: three small GGUF
// files and a server in JavaScript that puts one of them behind OpenAI's chat
// completions, by llama.cpp. Its tests certify the trained model for ticket
// triage and show that a drifted and a random one fail by what they mean, while
// everything about the form of their answers holds.
//
// The tests need Node.js and the tag realmodel; "make test-model" runs them.
package realmodel
