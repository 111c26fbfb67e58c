"""Everything that lasts: accounts, ledger, jobs, objects, keys."""
