"""The engine: scheduling, process pool and the serialization between them."""
