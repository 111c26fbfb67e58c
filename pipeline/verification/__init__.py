"""The second reading of an output, by other code and other libraries than wrote it, and the verdict."""
