"""The tests, in the shape of the packages that they test."""
