"""The stages of a file job as Dramatiq actors, their leases and the sweeper."""
