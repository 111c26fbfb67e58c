"""What DOCX, XLSX and PPTX share (ECMA-376)."""
