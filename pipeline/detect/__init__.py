"""Detection: the personal data of a text, by recognizers, names and glossaries."""
