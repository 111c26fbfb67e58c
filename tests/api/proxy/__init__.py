"""Whole calls through the proxy, with a scripted provider."""
