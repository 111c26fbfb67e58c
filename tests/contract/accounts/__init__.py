"""Accounts, keys, sessions, entity toggles and money."""
