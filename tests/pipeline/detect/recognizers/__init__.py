"""One module for each group of recognizers."""
