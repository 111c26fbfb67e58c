"""Statements that run on the driver's own cursor, inside a connection's transaction.

For the few that calls wait for: what is done around a statement otherwise takes longer than the statement.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Column, Connection, Dialect, Insert, Select, Update
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler

_Convert = Callable[[Any], Any]
_Parameters = Any  # a list or a dict


class _Spelled(NamedTuple):
    """A statement in the words of one database."""

    sql: str
    names: Sequence[str] | None  # of its parameters in order; None: the driver takes them by name
    given: Mapping[str, _Convert]  # what makes the driver's values of ours
    told: Mapping[int, _Convert]  # and ours of the driver's, by column

    def parameters(self, values: Mapping[str, object]) -> _Parameters:
        """As the driver takes them."""
        converted = {name: self.given[name](value) if name in self.given else value for name, value in values.items()}
        return converted if self.names is None else [converted[name] for name in self.names]


class Direct:
    """A statement, compiled once for each kind of database. `names`: the columns that an insert fills.

    Its errors are SQLAlchemy's DBAPIErrors, as those of any other statement.
    """

    def __init__(
        self, statement: Select[*tuple[Any, ...]] | Insert | Update, names: Sequence[str] | None = None
    ) -> None:
        self._statement, self._names = statement, names
        self._spelled: dict[str, _Spelled] = {}

    def row(self, connection: Connection, values: Mapping[str, object]) -> tuple[Any, ...] | None:
        """The first row that it finds."""
        spelled = self._in(connection.dialect)
        cursor = _executed(connection, spelled.sql, [spelled.parameters(values)])
        found = cursor.fetchone()
        cursor.close()
        if found is None:
            return None
        return tuple(spelled.told[at](value) if at in spelled.told else value for at, value in enumerate(found))

    def run(self, connection: Connection, rows: Sequence[Mapping[str, object]]) -> None:
        """Once for each of the rows, of which there is one at least."""
        spelled = self._in(connection.dialect)
        _executed(connection, spelled.sql, [spelled.parameters(values) for values in rows]).close()

    def _in(self, dialect: Dialect) -> _Spelled:
        spelled = self._spelled.get(dialect.name)
        if spelled is None:
            spelled = self._spelled[dialect.name] = self._compiled(dialect)
        return spelled

    def _compiled(self, dialect: Dialect) -> _Spelled:
        compiled = self._statement.compile(dialect=dialect, column_keys=self._names)
        assert isinstance(compiled, SQLCompiler)  # noqa: S101 - what a statement is compiled by
        given = {name: bind.type.dialect_impl(dialect).bind_processor(dialect) for name, bind in compiled.binds.items()}
        columns: list[Column[Any]] = [*getattr(self._statement, "selected_columns", ())]
        told = {
            at: column.type.dialect_impl(dialect).result_processor(dialect, None) for at, column in enumerate(columns)
        }
        return _Spelled(
            compiled.string,
            compiled.positiontup if compiled.positional else None,
            {name: convert for name, convert in given.items() if convert is not None},
            {at: convert for at, convert in told.items() if convert is not None},
        )


def _executed(connection: Connection, sql: str, parameters: list[_Parameters]) -> DBAPICursor:
    driver = connection.dialect.loaded_dbapi
    cursor = connection.connection.cursor()
    try:
        if len(parameters) == 1:
            cursor.execute(sql, parameters[0])
        else:
            cursor.executemany(sql, parameters)
    except driver.Error as error:
        raise DBAPIError.instance(
            None, None, error, driver.Error, hide_parameters=True, dialect=connection.dialect
        ) from None
    return cursor
