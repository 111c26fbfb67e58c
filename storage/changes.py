"""What a conditional statement did: the number of rows it changed, which is how a race is won or lost."""

from typing import Any, cast

from sqlalchemy import CursorResult, Delete, Update
from sqlmodel import Session


def changed(session: Session, statement: Update | Delete) -> int:
    """Runs an UPDATE or DELETE; how many rows it touched. Objects that the session already holds are not refreshed."""
    result = session.execute(statement, execution_options={"synchronize_session": False})
    return cast("CursorResult[Any]", result).rowcount
