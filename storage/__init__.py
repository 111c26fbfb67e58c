"""Persistent state: accounts, ledger, jobs, objects, keys, queue and limits."""
