"""Detection, documents and verification as pure functions, without I/O, settings and time."""
