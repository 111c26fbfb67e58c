"""The second reading of redacted PDF files."""
