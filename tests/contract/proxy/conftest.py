"""The proxy's clauses are proven on the same server and scripted provider as the tests of the proxy."""

from tests.api.proxy.conftest import _scripted, account, client, provider, served

__all__ = ["_scripted", "account", "client", "provider", "served"]
