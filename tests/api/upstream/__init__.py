"""The client that calls the model providers."""
