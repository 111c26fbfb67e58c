"""Writes docs/openapi.json: `python -m api.openapi`. The server answers the same document at /docs/openapi.json."""

import json
import tempfile
from pathlib import Path

from api.app import create_app
from api.description.document import describe
from schemas.settings import load_settings

PATH = Path("docs/openapi.json")


def main() -> None:
    """Writes the file."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(_env_file=None, data_dir=Path(folder), database_url="")
        text = json.dumps(describe(create_app(settings)), ensure_ascii=False, indent=1)
    PATH.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
