"""What may be masked in a JSON Schema: descriptions and sample values, never what its structure hangs on.

Source: JSON Schema 2020-12, with the older names of its keywords.
"""

from typing import Final

from api.proxy.rules import KEYWORD, LABELLED, OPAQUE, TEXT, Rule, Says

_NAMES_FROM_HERE: Final = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_STRUCTURE: Final = ("type", "required", "$ref", "$dynamicRef", "$id", "$anchor", "$dynamicAnchor", "$schema")
_SAMPLES: Final = ("default", "examples", "example")
_CHOICES: Final = ("enum", "const")  # a program's own words more often than a person's: their key is no cue

_fields: dict[str, Rule] = {}
# A schema. Fields that are not named here are schemas as well (`items`, `anyOf`, `not`, ...), or text.
SCHEMA: Final = Rule(Says.SCHEMA, _fields, deep=True)
_fields.update(
    {
        **dict.fromkeys(_NAMES_FROM_HERE, Rule(Says.TEXT, rest=SCHEMA)),
        **dict.fromkeys(_STRUCTURE, OPAQUE),
        **dict.fromkeys(_SAMPLES, LABELLED),
        **dict.fromkeys(_CHOICES, Rule(Says.TEXT, deep=True)),
        "dependentRequired": Rule(Says.TEXT, rest=OPAQUE),
        "format": KEYWORD,
        "title": TEXT,
        "description": TEXT,
        "$comment": TEXT,
    }
)
