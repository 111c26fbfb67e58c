"""The contract is proven over HTTP, on the same kind of server as the tests of api."""

from tests.api.conftest import account, client, served

__all__ = ["account", "client", "served"]
