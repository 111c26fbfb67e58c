"""The upstream client calls the same scripted provider as the tests of the proxy."""

from tests.api.proxy.conftest import _scripted, provider

__all__ = ["_scripted", "provider"]
