"""The services behind the routes."""
