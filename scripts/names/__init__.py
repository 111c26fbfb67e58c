"""Generator of labelled messages, from which the tagger of names, places and organizations learns."""
