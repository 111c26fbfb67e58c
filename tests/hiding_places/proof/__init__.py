"""Runs a document, inspects the output, and finds which function is responsible for a place."""
