// Package sim is the provider that misbehaves to order. One Server speaks
// OpenAI's chat completions (not streamed) for any number of named providers
// and keeps a ledger of what really ran: an execution counts when its work is
// done, whether or not anybody is still there to hear the answer.
//
//	POST   /sim/{name}/v1/chat/completions   the provider
//	GET    /sim/{name}/v1/models
//	PUT    /sim/{name}/faults                a list of Fault; each call takes one, then it is healthy again
//	GET    /sim/{name}/faults                what is left of the list
//	PUT    /sim/{name}/settings              Settings: a latency and a fault that stay until they are changed
//	GET    /sim/{name}/settings
//	GET    /sim/ledger                       ?job= &attempt= &provider= &ref= &since= &limit= &await= &count=
//	DELETE /sim/ledger                       forget all entries; ids go on increasing
//	GET    /sim/ledger/summary               per provider and in total
//	POST   /sim/gates/{gate}                 open a gate, for good
//	GET    /sim/gates/{gate}                 its state; ?wait=N first waits until N calls have come to it
//	DELETE /sim/gates/{gate}                 shut it and forget who came
//
// # A call, step by step
//
// The call is entered in the ledger. Without the right key it is refused and
// takes no fault. Otherwise it takes the next fault of the list, or the
// standing one. It waits out the standing latency and the fault's delay or
// gate, does the work (now it counts as executed), waits again if the fault is
// late, and does what the fault says. From the moment that the request has
// been read, none of this depends on the caller: if it goes, the work goes on.
//
// A wait may end at a gate instead of a time ({"until":"g"}, or
// {"late":true,"until":"g"}), so that a test orders events without sleeping.
// No wait is longer than MaxWait.
//
// A request that offers tools is answered in calls: those of the answer file's
// {"calls":[{"name":…,"arguments":{…}}]}, else one of the first tool. What
// spoils an answer then spoils the arguments of its first call.
//
// A request whose schema is called conformance_probe asks what arrived of its
// prompt, and is answered from the prompt alone: the simulated models can read.
//
// # Who is calling
//
// Job and attempt are read from the header X-Client-Request-Id, written
// "<job>.<attempt>". A caller that sends no such header can put a token
// "[ref:xxxxx]" into the user message; it takes no part in finding the answer.
package sim
