"""Subcommands of `masker` that need no worker code. Each imports what it needs when it runs."""
