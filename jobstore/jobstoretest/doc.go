// Package jobstoretest holds what every Redis must show before jobs are
// entrusted to it: one suite (Run), real servers to run it on (Lab,
// StartRedis, StartCluster), connections that lose a message to order
// (Faults), and the store's promises as a pure function (Model).
package jobstoretest
