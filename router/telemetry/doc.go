// Package telemetry turns the router's stream of Observations into metrics and
// log lines. It decides nothing and keeps no state of jobs.
//
// Every event moves the metrics, and writes the one line, that table.go names
// for it. Whatever may stand in a label or a line passes word.go first: our own
// words and configured names, and nothing else. docs/operations.md says what to
// read from both.
package telemetry
