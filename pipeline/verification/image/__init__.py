"""The second reading of redacted images."""
