"""Reading and redacting documents: what formats share, and a package for each format."""
