"""Runs detection outside the event loop, in threads and processes, and asks the operator's judge."""
