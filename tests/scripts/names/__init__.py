"""Tests of what trains the name tagger; PyTorch is not needed."""
