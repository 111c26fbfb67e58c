"""Inserts that meet a row already there, in the words of either database."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from sqlalchemy import inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel


def insert_missing(session: Session, table: type[SQLModel], values: dict[str, Any]) -> bool:
    """Inserts a row unless its key is taken; whether it did. Waits for whoever is inserting the same key just now."""
    # Inline: nobody wants the new row's number. For inserts the count of rows is kept only on request.
    insert = _insert(session)(table).on_conflict_do_nothing().inline().execution_options(preserve_rowcount=True)
    return session.connection().execute(insert, values).rowcount == 1


def insert_or_add(session: Session, table: type[SQLModel], rows: Sequence[dict[str, Any]], amount: str) -> None:
    """Inserts rows; where a row's key is taken, adds its `amount` column to the one there."""
    insert = _insert(session)(table).values(list(rows))
    columns = inspect(table).local_table.c
    total = {amount: columns[amount] + insert.excluded[amount]}
    session.connection().execute(insert.on_conflict_do_update(index_elements=inspect(table).primary_key, set_=total))


def _insert(session: Session) -> Callable[..., sqlite.Insert]:
    # The two dialects' constructs are alike but for their class.
    alike = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    return cast("Callable[..., sqlite.Insert]", alike)
