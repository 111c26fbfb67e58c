"""Runs detection beside the event loop: in threads, in processes for large texts, and at the operator's judge."""
