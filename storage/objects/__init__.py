"""The object store: a directory or S3, with every object encrypted."""
