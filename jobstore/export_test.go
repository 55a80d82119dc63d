package jobstore

// OnlyHints takes the poll of a watched job away, so that a test sees whether
// the hint alone wakes its waiters.
func (s *Store) OnlyHints(id string) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.jobs[id].timer.Stop()
}

// Channel is where a job's changes are published.
func (s *Store) Channel(id string) string {
	shard, _ := shardOfID(id)
	return s.keys.channel(shard)
}
