"""What a field of a request is: text to be masked, a tool's data, or one of the closed list that passes as it is.

A rule speaks for a place in a body. Whatever no rule names is UNKNOWN, and UNKNOWN is masked: a kind of block that is
new tomorrow does not leak.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum, auto
from typing import Final

from api.llm.json_tree import Node


class Says(Enum):
    """What a string is that stands at a place."""

    TEXT = auto()  # somebody's words
    LABELLED = auto()  # the same, and its key tells what it is
    SCHEMA = auto()  # the same, among names and numbers that a schema hangs on
    DATA = auto()  # a tool's data: its key tells what it is, and whole numbers may be identifiers
    ARGUMENTS = auto()  # of a tool: JSON in a string, whose leaves are DATA and whose keys pass; else text
    RESULT = auto()  # of a tool: text, often JSON; then whatever stands in it is looked at by itself
    UNKNOWN = auto()  # as DATA; a data: URI is an attachment
    NAME = auto()  # a participant's name, in letters, digits, `_` and `-` alone
    OPAQUE = auto()  # passes
    KEYWORD = auto()  # passes if it looks like a word of the format
    TAG = auto()  # the same in what is UNKNOWN, where all else is too
    SEALED = auto()  # there as well: passes if it looks like ciphertext
    URL = auto()  # of http(s), without blanks: passes; a data: URI is an attachment
    BYTES = auto()  # an attachment


@dataclass(frozen=True, slots=True)
class Rule:
    """How one place of a body is treated. The items of an array are treated as the array.

    `says`: what a string here is. `fields`: the rules of an object's fields; `rest`: of those not named there, UNKNOWN
    where there is none, and this rule itself where it is `deep`. `choose`: another rule for an object, by what it says.
    """

    says: Says
    fields: Mapping[str, "Rule"] = field(default_factory=dict)
    rest: "Rule | None" = None
    deep: bool = False
    choose: "Callable[[Mapping[str, Node]], Rule | None] | None" = None

    def of_object(self, node: Mapping[str, Node]) -> "Rule":
        """The rule whose fields are those of an object here."""
        chosen = self.choose(node) if self.choose else None
        return chosen.of_object(node) if chosen else self

    def of_field(self, key: str) -> "Rule":
        """The rule of one field of an object here."""
        return self.fields.get(key) or self.rest or (self if self.deep else UNKNOWN)


def tagged(tag: str, table: Mapping[str, Rule]) -> Callable[[Mapping[str, Node]], Rule | None]:
    """Chooses the rule of `table` that an object's field `tag` names."""

    def choose(node: Mapping[str, Node]) -> Rule | None:
        name = node.get(tag)
        return table.get(name) if isinstance(name, str) else None

    return choose


TEXT: Final = Rule(Says.TEXT)
LABELLED: Final = Rule(Says.LABELLED, deep=True)
DATA: Final = Rule(Says.DATA, deep=True)
ARGUMENTS: Final = Rule(Says.ARGUMENTS, rest=DATA)
RESULT: Final = Rule(Says.RESULT)
NAME: Final = Rule(Says.NAME)
OPAQUE: Final = Rule(Says.OPAQUE)
KEYWORD: Final = Rule(Says.KEYWORD)
VERBATIM: Final = Rule(Says.OPAQUE, deep=True)  # whatever stands there
URL: Final = Rule(Says.URL)
BYTES: Final = Rule(Says.BYTES)

_SEALED: Final = Rule(Says.SEALED)
_BASE64_SOURCE: Final = Rule(Says.TEXT, {"type": OPAQUE, "media_type": KEYWORD, "data": BYTES})
_FORMAT: Final = {  # of any object of a provider's own, new kinds among them
    **dict.fromkeys(("type", "cache_control"), Rule(Says.TAG, deep=True)),
    **dict.fromkeys(("signature", "encrypted_content", "encrypted_index", "encrypted_stdout"), _SEALED),
}


def _unknown(says: Says) -> Rule:
    return Rule(says, _FORMAT, deep=True, choose=tagged("type", {"base64": _BASE64_SOURCE}))


UNKNOWN: Final = _unknown(Says.UNKNOWN)
_UNKNOWN_IN_RESULT: Final = _unknown(Says.DATA)
# A field that steers the provider: a number there is its own, as that of `seed` is, and not in what stands below.
_PARAMETER: Final = replace(_unknown(Says.LABELLED), deep=False, rest=UNKNOWN)


def request(fields: Mapping[str, Rule], *, content: tuple[str, ...]) -> Rule:
    """The rule of a body: fields other than its `content` steer the provider, those that are new tomorrow as well."""
    own = {name: rule if name in content else _steering(rule) for name, rule in fields.items()}
    return Rule(Says.TEXT, own, rest=_PARAMETER)


def _steering(rule: Rule) -> Rule:
    if rule.deep or rule.choose:
        return rule
    own = {name: _steering(inner) for name, inner in rule.fields.items()}
    return replace(rule, fields=own, rest=rule.rest or _PARAMETER)


def blocks(table: Mapping[str, Rule], *, in_result: bool = False) -> Rule:
    """Content: a string, or blocks that a table knows by their type; what it does not know is masked.

    `in_result`: of a tool, so that what has no type is the tool's own data.
    """
    known, base64 = tagged("type", table), tagged("type", {"base64": _BASE64_SOURCE})
    inside = _UNKNOWN_IN_RESULT if in_result else UNKNOWN
    typed = Rule(inside.says, {**_FORMAT, "type": OPAQUE}, rest=inside)
    untyped = None if in_result else inside

    def choose(node: Mapping[str, Node]) -> Rule | None:
        return known(node) or base64(node) or (typed if isinstance(node.get("type"), str) else untyped)

    return Rule(Says.RESULT, rest=DATA, choose=choose) if in_result else Rule(Says.TEXT, choose=choose)


_KEYWORD = re.compile(r"[A-Za-z]+[0-9]{0,3}(?:[_.:/+-][A-Za-z]+[0-9]{0,3})*(?:[_-]20[0-9]{6})?|[0-9]{1,3}[a-z]?")
_LONGEST_KEYWORD = 64
_CIPHERTEXT = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_WEB = re.compile(r"https?://[^ ]+", re.IGNORECASE)
_DATA_URI = re.compile(r"\s*data:", re.IGNORECASE)
_WHOLE_DATA_URI = re.compile(
    r"data:[a-z0-9.+-]+/[a-z0-9.+-]+(?:;[a-z0-9=.+-]+)*;base64,[A-Za-z0-9+/_=-]*", re.IGNORECASE
)
_WORDS = {Says.KEYWORD: Says.TEXT, Says.TAG: Says.UNKNOWN}
_KEYED = frozenset({Says.LABELLED, Says.SCHEMA, Says.UNKNOWN})


def said(says: Says, text: str) -> Says:
    """What a string turns out to be: OPAQUE, BYTES, or one of those that are masked."""
    if says in _WORDS:
        is_word = len(text) <= _LONGEST_KEYWORD and _KEYWORD.fullmatch(text)
        return Says.OPAQUE if is_word else _WORDS[says]
    if says is Says.SEALED:
        return Says.OPAQUE if _is_ciphertext(text) else Says.TEXT
    if says is Says.URL:
        return Says.BYTES if _DATA_URI.match(text) else Says.OPAQUE if _is_web(text) else Says.TEXT
    if says in _KEYED and text[:5].lower() == "data:" and _WHOLE_DATA_URI.fullmatch(text):
        return Says.BYTES
    return says


def _is_web(text: str) -> bool:
    return text.isprintable() and _WEB.fullmatch(text) is not None


def _is_ciphertext(text: str) -> bool:
    """Base64 of what looks random: both cases and digits."""
    parts = (str.isupper, str.islower, str.isdigit)
    return _CIPHERTEXT.fullmatch(text) is not None and all(any(map(part, text)) for part in parts)


# What may be masked in a JSON Schema: descriptions and sample values, never what its structure hangs on.
#
# Source: JSON Schema 2020-12, with the older names of its keywords.

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

# Whole numbers of a tool's data that may be somebody's: those of as many digits as identifiers have.

LEAST_DIGITS: Final = 8
# Of JSON that is a text like any other, where short numbers have their labels too.
LEAST_DIGITS_IN_TEXT: Final = 5
_MOST_DIGITS = 64  # no identifier has as many
_INTEGER = re.compile(r"-?([0-9]+)(?:\.0+)?")
_SCALED = re.compile(r"-?[0-9]+(?:\.[0-9]+)?[eE][+-]?0*[0-9]{1,2}")


def whole_number(literal: str, least: int = LEAST_DIGITS) -> str | None:
    """The digits of a JSON number that is whole and long enough to be looked at, however it is spelled; else None."""
    if len(literal) < least and "e" not in literal and "E" not in literal:
        return None
    match = _INTEGER.fullmatch(literal)
    if match is not None:
        digits = match[1]
    elif len(literal) <= _MOST_DIGITS and _SCALED.fullmatch(literal):
        digits, _, fraction = f"{Decimal(literal).copy_abs():f}".partition(".")
        if fraction.strip("0"):
            return None
    else:
        return None
    return digits if least <= len(digits) <= _MOST_DIGITS else None


# A field's key as the label of its value: `passportNumber` and `passport_number` say what a heading would.

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
