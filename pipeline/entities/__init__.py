"""The entities of a document: values, their other occurrences, placeholders, and the proof that they are gone."""
