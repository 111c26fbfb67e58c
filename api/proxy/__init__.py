"""The LLM proxy: masks a provider's request body, forwards it, and restores the answer, whole or as a stream."""
