"""One file per revision, in order of its number."""
