"""Reads redacted DOCX, XLSX and PPTX."""
