"""Rendered scans with known values: what redaction leaves, finds, burns and costs. See docs/contributing/scans.md."""
