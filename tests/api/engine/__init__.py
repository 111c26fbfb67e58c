"""The engine: scheduling, process pool and the wire between them."""
