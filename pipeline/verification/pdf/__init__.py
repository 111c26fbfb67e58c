"""Reads redacted PDF."""
