"""DOCX."""
