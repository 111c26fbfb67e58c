"""What operators see from outside: the log, the metrics and the traces. None holds a value of a caller."""
