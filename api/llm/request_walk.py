"""Walks a request's body and gives every leaf that detection looks at, in the order in which values become known."""

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from api.llm import anthropic, openai
from api.llm.json_tree import Holder, Node, Number, value_at
from api.llm.model import Provider
from api.llm.request_fields import DATA, LEAST_DIGITS, LEAST_DIGITS_IN_TEXT, Rule, Says, cue_of, said, whole_number
from api.llm.tool_arguments import Value, WholeJson, of_split, of_tree, split
from schemas.errors import AttachmentNotSupported

_REQUESTS = {
    Provider.ANTHROPIC: (anthropic.FIRST, anthropic.REQUEST),
    Provider.OPENAI: (openai.FIRST, openai.REQUEST),
}


class Form(Enum):
    """How a leaf is spelled where it stands."""

    STRING = auto()
    NUMBER = auto()
    NAME = auto()  # without brackets and blanks


@dataclass(slots=True)
class Leaf:
    """What detection looks at: `text`, under a label. It stands at `holder[key]`, in a JSON text as `literal`.

    Of a number, `text` is its digits, and `literal` its spelling. `answered`: a model wrote it, with tokens for values.
    `whole`: the JSON in which it stands, as a value or as a key.
    """

    text: str = field(repr=False)
    label: str
    form: Form
    holder: Holder = field(repr=False)
    key: str | int
    literal: str | None = field(default=None, repr=False)
    answered: bool = False
    whole: WholeJson | None = field(default=None, repr=False)
    is_key: bool = False


class JsonText(NamedTuple):
    """A JSON text that stands at `holder[key]`: joined again when the leaves in it are masked."""

    pieces: list[Node]
    holder: Holder
    key: str | int


@dataclass(slots=True)
class Walk:
    """All leaves of a body, and the JSON texts that some of them stand in."""

    leaves: list[Leaf] = field(default_factory=list)
    texts: list[JsonText] = field(default_factory=list)


def walk(body: dict[str, Node], provider: Provider, *, allow_attachments: bool) -> Walk:
    """Every leaf: tools first, then the system prompt, messages, and the rest. AttachmentNotSupported."""
    first, request = _REQUESTS[provider]
    found = Walk()
    for key in (*(name for name in first if name in body), *(name for name in body if name not in first)):
        _Walker(found, allow_attachments).below(body, key, request.of_field(key))
    return found


class _Visit(NamedTuple):
    holder: Holder
    key: str | int
    rule: Rule
    label: str
    answered: bool = False
    whole: WholeJson | None = None

    def below(self, holder: Holder, key: str | int, rule: Rule, label: str) -> "_Visit":
        """What stands in it."""
        return _Visit(holder, key, rule, label, self.answered, self.whole)


class _Walker:
    """Goes down one field without recursion: however deep, and however many."""

    def __init__(self, found: Walk, allow_attachments: bool) -> None:
        self._found, self._allow_attachments = found, allow_attachments

    def below(self, holder: Holder, key: str, rule: Rule) -> None:
        """Every leaf of `holder[key]`, in order."""
        stack = [_Visit(holder, key, rule, cue_of("", key))]
        while stack:
            visit = stack.pop()
            node = value_at(visit.holder, visit.key)
            if isinstance(node, str):
                self._string(visit, node)
            elif isinstance(node, Number):
                self._number(visit, node)
            elif isinstance(node, list):
                visit = _with_whole(visit, node)
                stack += [visit.below(node, item, visit.rule, visit.label) for item in reversed(range(len(node)))]
            elif isinstance(node, dict):
                if node.get("role") == "assistant":
                    visit = visit._replace(answered=True)
                visit, own = _with_whole(visit, [node]), visit.rule.of_object(node)
                stack += [
                    visit.below(node, name, own.of_field(name), cue_of(visit.label, name)) for name in reversed(node)
                ]

    def _string(self, visit: _Visit, text: str) -> None:
        says = said(visit.rule.says, text)
        if says is Says.BYTES:
            if text and not self._allow_attachments:
                raise AttachmentNotSupported
        elif says in _MAYBE_JSON:
            self._json(visit, text, in_result=says is Says.RESULT)
        elif says is not Says.OPAQUE and text and not text.isspace():
            label = visit.label if says in _WITH_LABEL else ""
            form = Form.NAME if says is Says.NAME else Form.STRING
            leaf = Leaf(text, label, form, visit.holder, visit.key, answered=visit.answered, whole=visit.whole)
            self._found.leaves.append(leaf)

    def _number(self, visit: _Visit, number: Number) -> None:
        if visit.rule.says in _WITH_NUMBERS:
            self._digits(number.literal, visit)

    def _digits(self, literal: str, visit: _Visit, least: int = LEAST_DIGITS) -> None:
        digits = whole_number(literal, least)
        if digits is not None:
            leaf = Leaf(digits, visit.label, Form.NUMBER, visit.holder, visit.key, literal, visit.answered, visit.whole)
            self._found.leaves.append(leaf)

    def _json(self, visit: _Visit, text: str, *, in_result: bool) -> None:
        read = split(text, visit.label)
        if read is None:
            self._string(visit._replace(rule=DATA), text)
            return
        self._found.texts.append(JsonText(read.pieces, visit.holder, visit.key))
        visit = visit._replace(whole=of_split(read))
        for value in read.values:
            inner = visit.below(read.pieces, value.at, DATA, value.label)
            if value.text is None:
                literal = str(read.pieces[value.at])
                self._digits(literal, inner, LEAST_DIGITS_IN_TEXT if in_result else LEAST_DIGITS)
            elif (in_result or not value.is_key) and value.text and not value.text.isspace():
                self._found.leaves.append(_in_text(inner, value))


def _in_text(visit: _Visit, value: Value) -> Leaf:
    literal = str(value_at(visit.holder, visit.key))
    return Leaf(
        value.text or "", value.label, Form.STRING, visit.holder, visit.key, literal, visit.answered, visit.whole,
        value.is_key,
    )  # fmt: skip


def _with_whole(visit: _Visit, items: list[Node]) -> _Visit:
    """The visit of an array or object: read as a whole when it is data, and not a part of some."""
    if visit.whole is not None or not all(_is_data(visit.rule, item) for item in items):
        return visit
    return visit._replace(whole=of_tree(visit.holder, visit.key, visit.rule))


def _is_data(rule: Rule, item: Node) -> bool:
    """Whether it is no block that the provider's format knows."""
    return (rule.of_object(item) if isinstance(item, dict) else rule).says in _READ_WHOLE


_MAYBE_JSON = frozenset({Says.ARGUMENTS, Says.RESULT})
_WITH_NUMBERS = frozenset({Says.DATA, Says.UNKNOWN, Says.TAG, Says.SEALED, *_MAYBE_JSON})
_WITH_LABEL = frozenset({Says.LABELLED, Says.DATA, Says.UNKNOWN, Says.SCHEMA})
_READ_WHOLE = frozenset({Says.LABELLED, *_WITH_NUMBERS})
