"""What each stage of a document costs, beside plain libraries that do the same work on the same document."""
