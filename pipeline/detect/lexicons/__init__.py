"""The word lists, and the module that reads them."""
