"""The revisions of the database schema (Alembic), one file for each: r0008_webhooks.py is the revision 0008."""

from functools import lru_cache
from pathlib import Path

VERSIONS = Path(__file__).parent / "versions"


@lru_cache(maxsize=1)
def revisions() -> tuple[str, ...]:
    """Those that this code knows, the newest at the end. Read from the names, because Alembic takes long to import."""
    return tuple(sorted(path.stem[1:].partition("_")[0] for path in VERSIONS.glob("r*.py")))
