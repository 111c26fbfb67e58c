"""The values of a document and their occurrences."""
