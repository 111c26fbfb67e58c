"""Accounts and what belongs to one: keys, sessions, entity types, glossaries, usage."""
