"""Writes build/sbom.json (CycloneDX 1.6): every locked package of the service, with version, hashes and licence.

python -m scripts.sbom

`scripts/setup sbom` installs what writes and checks it. Licences are those that the installed packages declare.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "build" / "sbom.json"
TOOLS = ROOT / ".venv-sbom" / "bin"
LOCKS = [ROOT / "requirements" / name for name in ("runtime.txt", "assets.txt")]
# Locked for interpreters and systems that this one is not.
ELSEWHERE = {"async-timeout": "Apache-2.0", "brotlicffi": "MIT", "colorama": "BSD-3-Clause"}
_LONGEST_NAME = 100  # characters of a licence's name; some packages declare its whole text
_VERSION = "1.6"  # of CycloneDX
# Run by the interpreter of the tools: prints what the schema does not allow.
_CHECK = f"""
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
print(JsonStrictValidator(SchemaVersion.V{_VERSION.replace(".", "_")}).validate_str(sys.stdin.read()) or "")
"""


def locked() -> Iterator[tuple[str, str]]:
    """Name and version of each locked package, some twice for different interpreters."""
    for path in LOCKS:
        yield from re.findall(r"^([a-z0-9-]+)(?:\[[a-z,0-9]+\])?==([^ ;\\]+)", path.read_text(), re.MULTILINE)


def licence(name: str) -> dict[str, Any]:
    """The licence of a package as CycloneDX writes it: an SPDX expression or a name. SystemExit if none is known."""
    try:
        declared = metadata(name)
    except PackageNotFoundError:
        if name not in ELSEWHERE:
            raise SystemExit(f"{name} is not installed, and its licence not known") from None
        return {"expression": ELSEWHERE[name]}
    if expression := declared.get("License-Expression"):
        return {"expression": expression}
    classifiers = [line for line in declared.get_all("Classifier") or () if line.startswith("License ::")]
    lines = (declared.get("License") or "").strip().splitlines() or [line.rpartition(" :: ")[2] for line in classifiers]
    if not lines:
        raise SystemExit(f"{name} declares no licence")
    return {"license": {"name": lines[0][:_LONGEST_NAME]}}


def bill() -> str:
    """The bill of materials, checked against the schema."""
    options = ["--pyproject", ROOT / "pyproject.toml", "--output-reproducible", "--sv", _VERSION]
    made = subprocess.run(
        [TOOLS / "cyclonedx-py", "requirements", *options, "-"],
        input="".join(path.read_text() for path in LOCKS),
        capture_output=True,
        text=True,
        check=True,
    )
    bill = json.loads(made.stdout)
    for component in bill["components"]:
        component["licenses"] = [licence(component["name"])]
    text = json.dumps(bill, indent=2) + "\n"
    if faults := _faults(text):
        raise SystemExit(f"not CycloneDX {_VERSION}: {faults}")
    return text


def _faults(text: str) -> str:
    """What the schema of CycloneDX does not allow in it; empty if nothing."""
    command = [TOOLS / "python", "-c", _CHECK]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    if not TOOLS.exists():
        sys.exit("run scripts/setup sbom first")
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(bill())
