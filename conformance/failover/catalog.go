package failover

import (
	"slices"
)

// Catalog is every story, in the order in which they are told: what a router
// must do first, and what takes it away last.
func Catalog() []Story {
	return slices.Concat(
		[]Story{doubleClick(2), doubleClick(50), doubleClick(2000), callerGone},
		[]Story{otherInput, otherInputWhileRunning, sameMeaning},
		[]Story{timeoutBlocks, lateAnswer, settledNotExecuted, settledExecuted, settlementRefused},
		[]Story{edgeSpeaks, resetAfterBody, cancelWhileUnknown},
		[]Story{reverseOrder, raceWon, raceLost},
		fallOvers(),
		[]Story{connectionRefused, waitsAsAsked, ineligible, switches},
		[]Story{externalHolds, externalFallsOver},
		[]Story{invalidInput, badBodies, badKeys, strangers, otherOwner},
		[]Story{twoRouters, twoRoutersSettle},
		[]Story{storeGone, storeGoneMeanwhile},
		[]Story{killedBefore, killedDuring, killedAfterWork, killedAfterAnswer},
		[]Story{nothingLater},
	)
}
