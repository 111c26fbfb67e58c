"""One sandbox for all tests of a process that only use it: parsers and networks are loaded once."""

from functools import cache

from pipeline.sandbox.parent import Sandbox


@cache
def shared() -> Sandbox:
    """As workers have it: warm, with what the machine allows of isolation."""
    sandbox = Sandbox("best-effort")
    sandbox.warm_parsers()
    return sandbox
