"""The API's description (OpenAPI 3.1): `python -m api.openapi` writes docs/openapi.json; nothing serves it."""

import json
import tempfile
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from api.app import create_app
from schemas.settings import load_settings

PATH = Path("docs/openapi.json")
_OPEN = "/api/v1/health"
_ERROR = {
    "type": "object",
    "required": ["detail"],
    "properties": {
        "detail": {
            "description": "a message or stable code; an array of validation errors for 422",
            "oneOf": [
                {"type": "string"},
                {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["type", "loc", "msg"],
                        "properties": {
                            "type": {"type": "string"},
                            "loc": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
                            "msg": {"type": "string"},
                        },
                    },
                },
            ],
        }
    },
}


def describe(app: FastAPI) -> dict[str, Any]:
    """The framework's description with what it cannot know: the bearer scheme and the one shape of an error."""
    document = app.openapi()
    components = document.setdefault("components", {})
    components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "mk_live_..."}}
    schemas = components.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Error"] = _ERROR
    for path, operations in document["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = {
                "description": "Any error",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            }
            if not path.startswith(_OPEN):
                operation["security"] = [{"bearer": []}]
    return document


def main() -> None:
    """Writes the file anew."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(_env_file=None, data_dir=Path(folder), database_url="")
        text = json.dumps(describe(create_app(settings)), ensure_ascii=False, indent=2)
    PATH.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
