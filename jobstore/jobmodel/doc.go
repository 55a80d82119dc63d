// Package jobmodel is a small model of one job and an explorer that walks every
// state it can come to: two routers, calls to the store whose request or reply
// is lost, crashes anywhere, leases that lapse at any moment, a provider that
// answers late or never, webhooks that come twice, an operator, and an owner who
// cancels. It says whether the design holds, and its mutants show that the
// model would notice.
//
// The store's moves are those of jobstore's scripts, guard by guard, and every
// move that the model makes must stand in jobstore.Moves. What it does not
// model: several jobs at once (they share nothing), a store that forgets what it
// acknowledged, and time. Time decides only when something happens here, and the
// explorer tries every order.
package jobmodel
