"""Reads the lines of a page: several engines, put together, and only as sure as the ink allows."""
