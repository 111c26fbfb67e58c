"""The API's description (OpenAPI 3.1): what the framework knows of the routes, and what only we know of them."""
