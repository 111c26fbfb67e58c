"""Rows, columns, tables and fields of a page."""
