"""What operators see: log, metrics and traces."""
