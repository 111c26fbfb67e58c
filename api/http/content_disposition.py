"""The Content-Disposition of a download (RFC 6266, with the RFC 8187 form for names beyond ASCII)."""

import unicodedata
from urllib.parse import quote

_MAX_CHARACTERS = 200  # file systems hold names of 255 bytes


def content_disposition(name: str) -> str:
    """`attachment` with the name in both forms; path separators, quotes and control characters become `_`."""
    stem, dot, suffix = name.rpartition(".")
    if len(name) > _MAX_CHARACTERS:
        name = (
            f"{stem[: _MAX_CHARACTERS - len(suffix) - 1]}{dot}{suffix}" if len(suffix) < 20 else name[:_MAX_CHARACTERS]
        )
    clean = "".join(_safe(character) for character in name).strip(". ") or "file"
    plain = "".join(character if character.isascii() else "_" for character in clean)
    header = f'attachment; filename="{plain}"'
    return header if plain == clean else f"{header}; filename*=UTF-8''{quote(clean, safe='')}"


def _safe(character: str) -> str:
    unsafe = character in '/\\"%' or unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "_" if unsafe else character
