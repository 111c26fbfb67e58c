"""The API reference: Swagger UI, and the page that starts it."""
