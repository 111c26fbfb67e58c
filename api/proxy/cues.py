"""A field's key as the label of its value: `passportNumber` and `passport_number` say what a heading would."""

import re

_LONGEST = 80  # characters of a key that are a label
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Keys that say nothing by themselves: the one above them does, `{"passport": {"number": …}}`.
_VAGUE = frozenset(
    {
        "code", "const", "content", "data", "default", "enum", "example", "examples", "id", "input", "item", "items",
        "no", "num", "number", "text", "value", "values",
    }
)  # fmt: skip


def cue_of(above: str, key: str) -> str:
    """The label of the value under `key`, in an object that stands under the label `above`."""
    own = _HUMP.sub(" ", key[:_LONGEST])
    return f"{above} {own}"[-_LONGEST:] if above and own.lower() in _VAGUE else own
