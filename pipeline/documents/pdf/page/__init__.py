"""A page as it reads: glyphs, lines, tables, fonts, pixels."""
