package telemetry

import (
	"log/slog"

	"inferonce/router"
)

// reaction is what one event does: the level of its line, and the metrics that
// it moves.
type reaction struct {
	level slog.Level
	count func(*metrics, router.Observation)
}

// reactions lists every event once. What a supervisor must act on is an error,
// what is a symptom is a warning.
var reactions = map[router.Event]reaction{
	router.JobSubmitted:     {slog.LevelDebug, (*metrics).jobSubmitted},
	router.JobReplayed:      {slog.LevelInfo, (*metrics).jobReplayed},
	router.KeyConflict:      {slog.LevelWarn, (*metrics).keyConflict},
	router.JobEnded:         {slog.LevelInfo, (*metrics).jobEnded},
	router.JobUnknown:       {slog.LevelWarn, (*metrics).jobUnknown},
	router.JobQuarantined:   {slog.LevelError, (*metrics).jobQuarantined},
	router.AttemptBegan:     {slog.LevelDebug, (*metrics).attemptBegan},
	router.AttemptSettled:   {slog.LevelInfo, (*metrics).attemptSettled},
	router.AttemptUnknown:   {slog.LevelWarn, (*metrics).attemptUnknown},
	router.AttemptOrphaned:  {slog.LevelWarn, (*metrics).attemptOrphaned},
	router.AttemptResolved:  {slog.LevelInfo, (*metrics).attemptResolved},
	router.LateDiscarded:    {slog.LevelWarn, (*metrics).lateDiscarded},
	router.StoreTrouble:     {slog.LevelWarn, (*metrics).storeTrouble},
	router.CircuitMoved:     {slog.LevelWarn, (*metrics).circuitMoved},
	router.TargetRests:      {slog.LevelInfo, (*metrics).targetRests},
	router.KeyRests:         {slog.LevelError, (*metrics).keyRests},
	router.EligibilityMoved: {slog.LevelInfo, (*metrics).eligibilityMoved},
}
