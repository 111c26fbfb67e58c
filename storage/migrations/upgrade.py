"""Runs the revisions that a database lacks."""

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection

from schemas.settings import InvalidSettings
from storage.migrations import VERSIONS


def upgrade(connection: Connection) -> None:
    """Brings the schema to the newest revision, in the connection's transaction. InvalidSettings for an unknown one."""
    config = Config()
    config.set_main_option("script_location", str(VERSIONS.parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError:
        raise InvalidSettings("MASKER_DATABASE_URL: its schema is not one that this version knows") from None
