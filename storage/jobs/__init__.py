"""File jobs: their rows, leases, endings, sweeps, and the objects that belong to them."""
