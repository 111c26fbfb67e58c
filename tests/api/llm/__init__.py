"""Prompts, answers and streams of the model providers, without a server."""
