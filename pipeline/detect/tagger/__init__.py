"""The neural tagger: cuts a text into words and pieces, and marks persons, places and organizations."""
