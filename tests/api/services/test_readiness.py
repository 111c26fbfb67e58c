"""`/api/v1/health/ready` as an orchestrator reads it."""

from pathlib import Path

import httpx
from sqlalchemy import text

from tests.api.serving import serving, settings_for


def test_a_schema_that_was_not_migrated_is_not_ready(tmp_path: Path) -> None:
    """Orchestrators send no calls to a process whose schema is that of the previous version."""
    with serving(settings_for(tmp_path)) as served:
        ready = f"{served.url}/api/v1/health/ready"
        assert httpx.get(ready).status_code == 200
        with served.services.storage.database.engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '0002'"))
        answer = httpx.get(ready)
        assert answer.status_code == 503
        assert answer.json()["checks"] == {"database": "unavailable", "broker": "ok", "object_store": "ok"}
