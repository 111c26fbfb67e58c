"""The client for Python. It needs httpx and cryptography and none of the service's packages."""
