"""Builds the site into build/site: `python -m scripts.documentation` (see `make docs`)."""

import subprocess
from pathlib import Path

from scripts.documentation.pages import ROOT, DeadLink, gather

MKDOCS = ROOT / ".venv-docs" / "bin" / "mkdocs"
BUILD = ROOT / "build"


def main() -> None:
    """Ends with status 1 for a dead link or any other warning."""
    configuration = (Path(__file__).parent / "mkdocs.yml").read_text("utf-8")
    try:
        gather(BUILD / "site-pages")
    except DeadLink as dead:
        raise SystemExit(f"dead link: {dead}") from None
    (BUILD / "mkdocs.yml").write_text(configuration, "utf-8")
    # Without the notice that MkDocs will end one day.
    command = ["env", "NO_MKDOCS_2_WARNING=1", MKDOCS, "build", "--strict", "--quiet", "-f", BUILD / "mkdocs.yml"]
    done = subprocess.run(command, check=False)
    if done.returncode == 0:
        print(f"{BUILD / 'site'}: to be served by any web server, such as python3 -m http.server -d {BUILD / 'site'}")
    raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
