"""A workshop for whole jobs, as workers' tests have it."""

from tests.workers.conftest import sandbox, settings, workshop

__all__ = ["sandbox", "settings", "workshop"]
