"""The entities of a document: distinct values, all their occurrences, placeholders, and the proof of removal."""
