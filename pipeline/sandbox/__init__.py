"""Parses untrusted documents in a child process without network, files and privileges."""
