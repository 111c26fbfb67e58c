"""How each field of a request is handled: masked as text, masked as a tool's data, or passed unchanged.

A rule describes one place of a body. A field without a rule is UNKNOWN, and UNKNOWN is masked, so that a new kind of
block does not leak. Sources of the schema keywords: JSON Schema 2020-12 and the older names of its keywords.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum, auto
from typing import Final

from api.llm.json_tree import Node


class FieldKind(Enum):
    """What a string at a place is."""

    TEXT = auto()  # free text
    LABELLED = auto()  # free text whose key describes it
    SCHEMA = auto()  # free text inside a JSON schema
    DATA = auto()  # a tool's data: its key describes it, and whole numbers may be identifiers
    ARGUMENTS = auto()  # of a tool: JSON in a string, with values as DATA and unchanged keys; otherwise text
    RESULT = auto()  # of a tool: text, often JSON, whose values and keys are then handled one by one
    UNKNOWN = auto()  # as DATA; a data: URI is an attachment
    NAME = auto()  # a participant's name: letters, digits, `_` and `-` only
    OPAQUE = auto()  # passes unchanged
    KEYWORD = auto()  # passes if it looks like a keyword of the format
    TAG = auto()  # a keyword inside UNKNOWN
    SEALED = auto()  # inside UNKNOWN: passes if it looks like ciphertext
    URL = auto()  # http(s) without blanks passes; a data: URI is an attachment
    BYTES = auto()  # an attachment


@dataclass(frozen=True, slots=True)
class Rule:
    """How one place of a body is handled. The items of an array follow the rule of the array.

    `kind`: what a string here is. `fields`: the rules of an object's fields. `rest`: the rule of other fields; without
    it they are UNKNOWN, or follow this rule itself if it is `deep`. `choose`: selects another rule by the content of an
    object.
    """

    kind: FieldKind
    fields: Mapping[str, "Rule"] = field(default_factory=dict)
    rest: "Rule | None" = None
    deep: bool = False
    choose: "Callable[[Mapping[str, Node]], Rule | None] | None" = None

    def of_object(self, node: Mapping[str, Node]) -> "Rule":
        """The rule that applies to the fields of an object here."""
        chosen = self.choose(node) if self.choose else None
        return chosen.of_object(node) if chosen else self

    def of_field(self, key: str) -> "Rule":
        """The rule of one field of an object here."""
        return self.fields.get(key) or self.rest or (self if self.deep else UNKNOWN)


def tagged(tag: str, table: Mapping[str, Rule]) -> Callable[[Mapping[str, Node]], Rule | None]:
    """A chooser: the rule of `table` that the object's field `tag` names."""

    def choose(node: Mapping[str, Node]) -> Rule | None:
        name = node.get(tag)
        return table.get(name) if isinstance(name, str) else None

    return choose


TEXT: Final = Rule(FieldKind.TEXT)
LABELLED: Final = Rule(FieldKind.LABELLED, deep=True)
DATA: Final = Rule(FieldKind.DATA, deep=True)
ARGUMENTS: Final = Rule(FieldKind.ARGUMENTS, rest=DATA)
RESULT: Final = Rule(FieldKind.RESULT)
NAME: Final = Rule(FieldKind.NAME)
OPAQUE: Final = Rule(FieldKind.OPAQUE)
KEYWORD: Final = Rule(FieldKind.KEYWORD)
VERBATIM: Final = Rule(FieldKind.OPAQUE, deep=True)  # with everything in it
URL: Final = Rule(FieldKind.URL)
BYTES: Final = Rule(FieldKind.BYTES)

_SEALED: Final = Rule(FieldKind.SEALED)
_BASE64_SOURCE: Final = Rule(FieldKind.TEXT, {"type": OPAQUE, "media_type": KEYWORD, "data": BYTES})
_FORMAT: Final = {  # of every object of a provider's format, also of new kinds
    **dict.fromkeys(("type", "cache_control"), Rule(FieldKind.TAG, deep=True)),
    **dict.fromkeys(("signature", "encrypted_content", "encrypted_index", "encrypted_stdout"), _SEALED),
}


def _unknown(kind: FieldKind) -> Rule:
    return Rule(kind, _FORMAT, deep=True, choose=tagged("type", {"base64": _BASE64_SOURCE}))


UNKNOWN: Final = _unknown(FieldKind.UNKNOWN)
_UNKNOWN_IN_RESULT: Final = _unknown(FieldKind.DATA)
# A parameter of the provider. Its own number, such as that of `seed`, is not masked; numbers below it are.
_PARAMETER: Final = replace(_unknown(FieldKind.LABELLED), deep=False, rest=UNKNOWN)


def request(fields: Mapping[str, Rule], *, content: tuple[str, ...]) -> Rule:
    """The rule of a body. Fields other than `content` are parameters of the provider, also unknown ones."""
    own = {name: rule if name in content else _parameter_rule(rule) for name, rule in fields.items()}
    return Rule(FieldKind.TEXT, own, rest=_PARAMETER)


def _parameter_rule(rule: Rule) -> Rule:
    if rule.deep or rule.choose:
        return rule
    own = {name: _parameter_rule(inner) for name, inner in rule.fields.items()}
    return replace(rule, fields=own, rest=rule.rest or _PARAMETER)


def blocks(table: Mapping[str, Rule], *, in_result: bool = False) -> Rule:
    """The rule of content: a string, or blocks that `table` knows by their type. Unknown blocks are masked.

    `in_result`: the content of a tool result, where an object without a type is the tool's own data.
    """
    known, base64 = tagged("type", table), tagged("type", {"base64": _BASE64_SOURCE})
    inside = _UNKNOWN_IN_RESULT if in_result else UNKNOWN
    typed = Rule(inside.kind, {**_FORMAT, "type": OPAQUE}, rest=inside)
    untyped = None if in_result else inside

    def choose(node: Mapping[str, Node]) -> Rule | None:
        return known(node) or base64(node) or (typed if isinstance(node.get("type"), str) else untyped)

    return Rule(FieldKind.RESULT, rest=DATA, choose=choose) if in_result else Rule(FieldKind.TEXT, choose=choose)


_KEYWORD = re.compile(r"[A-Za-z]+[0-9]{0,3}(?:[_.:/+-][A-Za-z]+[0-9]{0,3})*(?:[_-]20[0-9]{6})?|[0-9]{1,3}[a-z]?")
_MAX_KEYWORD = 64
_CIPHERTEXT = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_WEB = re.compile(r"https?://[^ ]+", re.IGNORECASE)
_DATA_URI = re.compile(r"\s*data:", re.IGNORECASE)
_WHOLE_DATA_URI = re.compile(
    r"data:[a-z0-9.+-]+/[a-z0-9.+-]+(?:;[a-z0-9=.+-]+)*;base64,[A-Za-z0-9+/_=-]*", re.IGNORECASE
)
_WORDS = {FieldKind.KEYWORD: FieldKind.TEXT, FieldKind.TAG: FieldKind.UNKNOWN}
_KEYED = frozenset({FieldKind.LABELLED, FieldKind.SCHEMA, FieldKind.UNKNOWN})


def resolved_kind(kind: FieldKind, text: str) -> FieldKind:
    """The kind of a string in view of its text: OPAQUE, BYTES, or one of the masked kinds."""
    if kind in _WORDS:
        is_word = len(text) <= _MAX_KEYWORD and _KEYWORD.fullmatch(text)
        return FieldKind.OPAQUE if is_word else _WORDS[kind]
    if kind is FieldKind.SEALED:
        return FieldKind.OPAQUE if _is_ciphertext(text) else FieldKind.TEXT
    if kind is FieldKind.URL:
        return FieldKind.BYTES if _DATA_URI.match(text) else FieldKind.OPAQUE if _is_web(text) else FieldKind.TEXT
    if kind in _KEYED and text[:5].lower() == "data:" and _WHOLE_DATA_URI.fullmatch(text):
        return FieldKind.BYTES
    return kind


def _is_web(text: str) -> bool:
    return text.isprintable() and _WEB.fullmatch(text) is not None


def _is_ciphertext(text: str) -> bool:
    """Whether a text looks like base64 of random data: it has both cases and digits."""
    parts = (str.isupper, str.islower, str.isdigit)
    return _CIPHERTEXT.fullmatch(text) is not None and all(any(map(part, text)) for part in parts)


_NAMES_FROM_HERE: Final = ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions")
_STRUCTURE: Final = ("type", "required", "$ref", "$dynamicRef", "$id", "$anchor", "$dynamicAnchor", "$schema")
_SAMPLES: Final = ("default", "examples", "example")
_CHOICES: Final = ("enum", "const")  # mostly words of a program: their key is no label

_fields: dict[str, Rule] = {}
# In a schema descriptions and sample values are masked, and the structure is not.
# Other fields than these are schemas too (`items`, `anyOf`, `not`, ...), or text.
SCHEMA: Final = Rule(FieldKind.SCHEMA, _fields, deep=True)
_fields.update(
    {
        **dict.fromkeys(_NAMES_FROM_HERE, Rule(FieldKind.TEXT, rest=SCHEMA)),
        **dict.fromkeys(_STRUCTURE, OPAQUE),
        **dict.fromkeys(_SAMPLES, LABELLED),
        **dict.fromkeys(_CHOICES, Rule(FieldKind.TEXT, deep=True)),
        "dependentRequired": Rule(FieldKind.TEXT, rest=OPAQUE),
        "format": KEYWORD,
        "title": TEXT,
        "description": TEXT,
        "$comment": TEXT,
    }
)

MIN_DIGITS: Final = 8
# In JSON inside a text, where labels of numbers are read too.
MIN_DIGITS_IN_TEXT: Final = 5
_MAX_DIGITS = 64  # longer than any identifier
_INTEGER = re.compile(r"-?([0-9]+)(?:\.0+)?")
_SCALED = re.compile(r"-?[0-9]+(?:\.[0-9]+)?[eE][+-]?0*[0-9]{1,2}")


def whole_number(literal: str, least: int = MIN_DIGITS) -> str | None:
    """The digits of a whole JSON number of `least` digits or more, in any spelling; None otherwise."""
    if len(literal) < least and "e" not in literal and "E" not in literal:
        return None
    match = _INTEGER.fullmatch(literal)
    if match is not None:
        digits = match[1]
    elif len(literal) <= _MAX_DIGITS and _SCALED.fullmatch(literal):
        digits, _, fraction = f"{Decimal(literal).copy_abs():f}".partition(".")
        if fraction.strip("0"):
            return None
    else:
        return None
    return digits if least <= len(digits) <= _MAX_DIGITS else None


_MAX_LABEL = 80  # characters of a label
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Keys that describe nothing by themselves; the label above is put before them.
_GENERIC_KEYS = frozenset(
    {
        "code", "const", "content", "data", "default", "enum", "example", "examples", "id", "input", "item", "items",
        "no", "num", "number", "text", "value", "values",
    }
)  # fmt: skip


def label_of(above: str, key: str) -> str:
    """The label of the value under `key`. `above` is the label of the object: `{"passport": {"number": …}}`."""
    own = _CAMEL_CASE.sub(" ", key[:_MAX_LABEL])
    return f"{above} {own}"[-_MAX_LABEL:] if above and own.lower() in _GENERIC_KEYS else own
