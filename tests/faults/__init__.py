"""Workers, servers and sandbox under faults."""
