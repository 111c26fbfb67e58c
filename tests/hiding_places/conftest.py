"""A workshop for whole jobs, as workers' tests have it."""

from tests.workers.conftest import detector, sandbox, settings, workshop

__all__ = ["detector", "sandbox", "settings", "workshop"]
