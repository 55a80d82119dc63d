// Package httpapi is the router's own HTTP face: the /v1 calls of apps,
// operators and CI, and the pages that a supervisor reads. It holds no state
// of jobs; every decision is the Router's.
//
// A request passes the same gates in the same order on every route:
//
//	route table ─► API key and scope ─► query ─► headers ─► body ─► Router ─► answer
//
// The first gate that refuses answers, with problem+json (RFC 9457) from one
// fixed catalogue, and nothing has been stored then. Reading starts in
// routes.go, which is the whole face as data; openapi.yaml says the same to
// the outside, and a test keeps the two equal.
package httpapi
