"""The object store: a directory or S3, and sealing of every object."""
