"""The sandboxed parser process."""
