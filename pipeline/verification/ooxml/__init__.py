"""The second reading of redacted Office packages (ECMA-376)."""
