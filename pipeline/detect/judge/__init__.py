"""The judge, a language model that the operator provides: the question to it, and what its answer may add."""
