"""Tests of how a line is read by several engines."""
