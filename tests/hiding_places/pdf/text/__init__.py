"""Hiding places in the text and images of PDF pages."""
