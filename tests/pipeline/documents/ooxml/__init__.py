"""What DOCX, XLSX and PPTX share."""
