"""Tests of what the benchmarks draw and how they score it."""
