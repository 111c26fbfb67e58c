"""The HTTP routes, one module for each resource; each reads like a table of contents."""
