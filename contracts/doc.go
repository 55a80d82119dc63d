// Package contracts holds what the parties of an inference agree on: the
// Contract an app asks for, the Intent it sends, the Completion a provider
// gives, the Failure it may give instead, and the Report of a conformance run.
// Nothing here has a state and nothing here talks to anybody.
package contracts
