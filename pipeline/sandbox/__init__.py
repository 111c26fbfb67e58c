"""Parses untrusted documents in a killable child process without network, files or rights."""
