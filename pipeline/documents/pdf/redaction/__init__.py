"""Takes text and ink out of a page without leaving its width behind."""
