"""Reads the released weights of a tier: the ONNX file, checked by its hash, and its manifest."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FAST, ACCURATE = "fast", "accurate"  # the tiers
FOLDER = Path(__file__).with_name("weights")


class WrongWeights(Exception):
    """The file of a tagger is missing or is not the one that this release was made with. Names only the file."""


def read(tier: str) -> tuple[bytes, Mapping[str, Any]]:
    """The ONNX file and the manifest of a tier. WrongWeights."""
    manifest = json.loads(_bytes(FOLDER / f"{tier}.json"))
    return checked(FOLDER / f"{tier}.onnx", manifest["sha256"]), manifest


def checked(path: Path, sha256: str) -> bytes:
    """The content of a file with this SHA-256 (hexadecimal). WrongWeights."""
    data = _bytes(path)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise WrongWeights(f"{path.name} is not the file of this release")
    return data


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise WrongWeights(f"{path.name} cannot be read") from None
