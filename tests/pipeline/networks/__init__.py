"""Tests of what both readings of a scan use."""
