"""Walks a request body and collects every leaf for detection, in the order in which values become known."""

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from api.llm import anthropic, openai
from api.llm.json_tree import Container, Node, Number, value_at
from api.llm.model import Provider
from api.llm.request_fields import (
    DATA,
    MIN_DIGITS,
    MIN_DIGITS_IN_TEXT,
    FieldKind,
    Rule,
    label_of,
    resolved_kind,
    whole_number,
)
from api.llm.tool_arguments import Value, WholeJson, of_split, of_tree, split
from schemas.errors import AttachmentNotSupported

_REQUESTS = {
    Provider.ANTHROPIC: (anthropic.MASKING_ORDER, anthropic.REQUEST),
    Provider.OPENAI: (openai.MASKING_ORDER, openai.REQUEST),
}


class Form(Enum):
    """How a leaf is spelled in its container."""

    STRING = auto()
    NUMBER = auto()
    NAME = auto()  # a token without its brackets


@dataclass(slots=True)
class Leaf:
    """A text for detection, with a label. It is at `container[key]`.

    `literal`: its spelling, inside a JSON text or of a number, whose `text` is its digits. `from_model`: a model wrote
    it, and had tokens instead of values. `whole`: the JSON that contains it, as a value or as a key.
    """

    text: str = field(repr=False)
    label: str
    form: Form
    container: Container = field(repr=False)
    key: str | int
    literal: str | None = field(default=None, repr=False)
    from_model: bool = False
    whole: WholeJson | None = field(default=None, repr=False)
    is_key: bool = False


class JsonText(NamedTuple):
    """A JSON text at `container[key]` in pieces, which are joined again after masking."""

    pieces: list[Node]
    container: Container
    key: str | int


@dataclass(slots=True)
class Walk:
    """All leaves of a body, and the split JSON texts that contain some of them."""

    leaves: list[Leaf] = field(default_factory=list)
    texts: list[JsonText] = field(default_factory=list)


def walk(body: dict[str, Node], provider: Provider, *, allow_attachments: bool) -> Walk:
    """Every leaf of a body: tools first, then the system prompt, messages, and the rest. AttachmentNotSupported."""
    first, request = _REQUESTS[provider]
    found = Walk()
    for key in (*(name for name in first if name in body), *(name for name in body if name not in first)):
        _Walker(found, allow_attachments).below(body, key, request.of_field(key))
    return found


class _Visit(NamedTuple):
    container: Container
    key: str | int
    rule: Rule
    label: str
    from_model: bool = False
    whole: WholeJson | None = None

    def below(self, container: Container, key: str | int, rule: Rule, label: str) -> "_Visit":
        """The visit of a child."""
        return _Visit(container, key, rule, label, self.from_model, self.whole)


class _Walker:
    """Walks one field without recursion, so that neither depth nor size exhausts the stack."""

    def __init__(self, found: Walk, allow_attachments: bool) -> None:
        self._found, self._allow_attachments = found, allow_attachments

    def below(self, container: Container, key: str, rule: Rule) -> None:
        """Collects every leaf of `container[key]`, in order."""
        stack = [_Visit(container, key, rule, label_of("", key))]
        while stack:
            visit = stack.pop()
            node = value_at(visit.container, visit.key)
            if isinstance(node, str):
                self._string(visit, node)
            elif isinstance(node, Number):
                self._number(visit, node)
            elif isinstance(node, list):
                visit = _with_whole(visit, node)
                stack += [visit.below(node, item, visit.rule, visit.label) for item in reversed(range(len(node)))]
            elif isinstance(node, dict):
                if node.get("role") == "assistant":
                    visit = visit._replace(from_model=True)
                visit, own = _with_whole(visit, [node]), visit.rule.of_object(node)
                stack += [
                    visit.below(node, name, own.of_field(name), label_of(visit.label, name)) for name in reversed(node)
                ]

    def _string(self, visit: _Visit, text: str) -> None:
        kind = resolved_kind(visit.rule.kind, text)
        if kind is FieldKind.BYTES:
            if text and not self._allow_attachments:
                raise AttachmentNotSupported
        elif kind in _MAYBE_JSON:
            self._json(visit, text, in_result=kind is FieldKind.RESULT)
        elif kind is not FieldKind.OPAQUE and text and not text.isspace():
            label = visit.label if kind in _WITH_LABEL else ""
            form = Form.NAME if kind is FieldKind.NAME else Form.STRING
            leaf = Leaf(text, label, form, visit.container, visit.key, from_model=visit.from_model, whole=visit.whole)
            self._found.leaves.append(leaf)

    def _number(self, visit: _Visit, number: Number) -> None:
        if visit.rule.kind in _WITH_NUMBERS:
            self._digits(number.literal, visit)

    def _digits(self, literal: str, visit: _Visit, least: int = MIN_DIGITS) -> None:
        digits = whole_number(literal, least)
        if digits is not None:
            leaf = Leaf(
                digits, visit.label, Form.NUMBER, visit.container, visit.key, literal, visit.from_model, visit.whole
            )
            self._found.leaves.append(leaf)

    def _json(self, visit: _Visit, text: str, *, in_result: bool) -> None:
        read = split(text, visit.label)
        if read is None:
            self._string(visit._replace(rule=DATA), text)
            return
        self._found.texts.append(JsonText(read.pieces, visit.container, visit.key))
        visit = visit._replace(whole=of_split(read))
        for value in read.values:
            inner = visit.below(read.pieces, value.at, DATA, value.label)
            if value.text is None:
                literal = str(read.pieces[value.at])
                self._digits(literal, inner, MIN_DIGITS_IN_TEXT if in_result else MIN_DIGITS)
            elif (in_result or not value.is_key) and value.text and not value.text.isspace():
                self._found.leaves.append(_in_text(inner, value))


def _in_text(visit: _Visit, value: Value) -> Leaf:
    literal = str(value_at(visit.container, visit.key))
    return Leaf(
        value.text or "", value.label, Form.STRING, visit.container, visit.key, literal, visit.from_model, visit.whole,
        value.is_key,
    )  # fmt: skip


def _with_whole(visit: _Visit, items: list[Node]) -> _Visit:
    """The visit of an array or object, with its JSON as a whole if it is data and not part of such a whole already."""
    if visit.whole is not None or not all(_is_data(visit.rule, item) for item in items):
        return visit
    return visit._replace(whole=of_tree(visit.container, visit.key, visit.rule))


def _is_data(rule: Rule, item: Node) -> bool:
    """Whether an item is data, and not a block of the provider's format."""
    return (rule.of_object(item) if isinstance(item, dict) else rule).kind in _READ_WHOLE


_MAYBE_JSON = frozenset({FieldKind.ARGUMENTS, FieldKind.RESULT})
_WITH_NUMBERS = frozenset({FieldKind.DATA, FieldKind.UNKNOWN, FieldKind.TAG, FieldKind.SEALED, *_MAYBE_JSON})
_WITH_LABEL = frozenset({FieldKind.LABELLED, FieldKind.DATA, FieldKind.UNKNOWN, FieldKind.SCHEMA})
_READ_WHOLE = frozenset({FieldKind.LABELLED, *_WITH_NUMBERS})
