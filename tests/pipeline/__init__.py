"""The pipeline without HTTP, storage and queue."""
