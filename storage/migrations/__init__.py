"""How the schema came to be, revision by revision (Alembic)."""
