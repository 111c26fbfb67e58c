"""The judge, a language model of the operator's: what it is asked, and what its answer may add."""
