"""Alembic's environment: runs revisions on the connection, and in the transaction, that Database.migrate() holds."""

from alembic import context

connection = context.config.attributes["connection"]
# SQLite alters tables by copying them ("batch"); on PostgreSQL the same revision alters in place.
context.configure(connection=connection, render_as_batch=connection.dialect.name == "sqlite")
with context.begin_transaction():
    context.run_migrations()
