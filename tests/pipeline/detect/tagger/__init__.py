"""Tests of the neural tagger."""
