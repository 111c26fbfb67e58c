"""The second reading's own eyes for barcodes and matrix codes: ZBar, libdmtx, and patterns that neither reads."""
