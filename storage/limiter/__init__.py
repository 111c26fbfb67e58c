"""Rate limits over a sliding window: in memory or in Redis."""
