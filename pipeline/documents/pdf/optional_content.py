"""Removes hidden optional content (layers) from a PDF (ISO 32000-2, 8.11).

A group is hidden if the default configuration switches it off, or if its usage for viewing does. A membership
dictionary is hidden according to its policy or visibility expression.
"""

import io
import warnings
from collections.abc import Iterator
from typing import Any

import pikepdf

from pipeline.documents.limits import MAX_PDF_OBJECTS

_PAINTING = frozenset(["S", "s", "f", "F", "f*", "B", "B*", "b", "b*"])
_SHOWING = frozenset(["Tj", "TJ", "sh", "Do"])
_NEXT_LINE = frozenset(["'", '"'])
_MAX_DEPTH = 20  # of visibility expressions and of the page tree

Hidden = frozenset[tuple[int, int]]  # object and generation numbers of hidden groups


def without_hidden_layers(data: bytes) -> bytes | None:
    """The document without hidden content; None if nothing is hidden. pikepdf.PdfError for an unreadable document."""
    with warnings.catch_warnings(), pikepdf.open(io.BytesIO(data)) as pdf:
        warnings.simplefilter("ignore")
        hidden = hidden_groups(pdf)
        if not hidden:
            return None
        for page in pdf.pages:
            _clear_annotations(page.obj, hidden)
            _clear_page(pdf, page, hidden)
        _clear_objects(pdf, hidden)
        out = io.BytesIO()
        pdf.save(out)
        return out.getvalue()


def hidden_groups(pdf: pikepdf.Pdf) -> Hidden:
    """The groups that a viewer does not show when it opens the document."""
    properties = pdf.Root.get("/OCProperties")
    if not isinstance(properties, pikepdf.Dictionary):
        return frozenset()
    groups = [group for group in _members(properties.get("/OCGs")) if isinstance(group, pikepdf.Dictionary)]
    default = properties.get("/D")
    if not isinstance(default, pikepdf.Dictionary):
        return frozenset()
    off = {group.objgen for group in groups} if default.get("/BaseState") == "/OFF" else set()
    off -= {group.objgen for group in _members(default.get("/ON"))}
    off |= {group.objgen for group in _members(default.get("/OFF"))}
    for usage in _members(default.get("/AS")):
        if isinstance(usage, pikepdf.Dictionary) and usage.get("/Event") == "/View":
            for group in _members(usage.get("/OCGs")):
                state = _view_state(group)
                off = off | {group.objgen} if state == "/OFF" else off - {group.objgen} if state == "/ON" else off
    return frozenset(off - {(0, 0)})  # a group must be an indirect object


def _view_state(group: Any) -> str:
    usage = group.get("/Usage") if isinstance(group, pikepdf.Dictionary) else None
    view = usage.get("/View") if isinstance(usage, pikepdf.Dictionary) else None
    return str(view.get("/ViewState")) if isinstance(view, pikepdf.Dictionary) else ""


def _members(value: Any) -> Iterator[Any]:
    if isinstance(value, pikepdf.Array):
        yield from (item for item in value if isinstance(item, pikepdf.Object))


def _is_hidden(content: Any, hidden: Hidden) -> bool:
    """Whether a group or a membership dictionary hides its content."""
    if not isinstance(content, pikepdf.Dictionary):
        return False
    if content.get("/Type") != "/OCMD":
        return content.objgen in hidden
    expression = content.get("/VE")
    if isinstance(expression, pikepdf.Array):
        return not _is_visible(expression, hidden, 0)
    groups = content.get("/OCGs")
    members = [groups] if isinstance(groups, pikepdf.Dictionary) else list(_members(groups))
    shown = [member.objgen not in hidden for member in members if isinstance(member, pikepdf.Dictionary)]
    if not shown:
        return False
    policy = str(content.get("/P", "/AnyOn"))
    return not {
        "/AllOn": all(shown), "/AnyOff": not all(shown), "/AllOff": not any(shown),
    }.get(policy, any(shown))  # fmt: skip


def _is_visible(expression: Any, hidden: Hidden, depth: int) -> bool:
    if isinstance(expression, pikepdf.Dictionary):
        return expression.objgen not in hidden
    if not isinstance(expression, pikepdf.Array) or not len(expression) or depth > _MAX_DEPTH:
        return True
    operator, *operands = list(expression)
    values = [_is_visible(operand, hidden, depth + 1) for operand in operands]
    if str(operator) == "/Not":
        return not all(values)
    return any(values) if str(operator) == "/Or" else all(values)


def _clear_annotations(page: Any, hidden: Hidden) -> None:
    annotations = page.get("/Annots")
    if isinstance(annotations, pikepdf.Array):
        kept = [a for a in annotations if not (isinstance(a, pikepdf.Dictionary) and _is_hidden(a.get("/OC"), hidden))]
        if len(kept) < len(annotations):
            page.Annots = pikepdf.Array(kept)


def _clear_page(pdf: pikepdf.Pdf, page: pikepdf.Page, hidden: Hidden) -> None:
    names = _hidden_names(page.obj.get("/Resources") or _inherited(page.obj), hidden)
    if names:
        page.obj.Contents = pdf.make_stream(_cleared(page, names))


def _inherited(page: Any) -> Any:
    for _ in range(_MAX_DEPTH):
        page = page.get("/Parent")
        if not isinstance(page, pikepdf.Dictionary):
            return None
        if "/Resources" in page:
            return page["/Resources"]
    return None


def _clear_objects(pdf: pikepdf.Pdf, hidden: Hidden) -> None:
    """Removes hidden content from form XObjects, patterns and images."""
    for number, item in enumerate(pdf.objects):
        if number > MAX_PDF_OBJECTS:
            raise pikepdf.PdfError("too many objects")
        if not isinstance(item, pikepdf.Stream):
            continue
        if _is_hidden(item.get("/OC"), hidden):
            for key in [key for key in item.keys() if key != "/Length"]:  # noqa: SIM118 - a stream is no mapping
                del item[key]
            item.Type, item.Subtype, item.BBox = pikepdf.Name.XObject, pikepdf.Name.Form, pikepdf.Array([0, 0, 0, 0])
            item.write(b"")
        elif "/Resources" in item:
            names = _hidden_names(item["/Resources"], hidden)
            if names:
                item.write(_cleared(item, names))


def _hidden_names(resources: Any, hidden: Hidden) -> set[str]:
    properties = resources.get("/Properties") if isinstance(resources, pikepdf.Dictionary) else None
    if not isinstance(properties, pikepdf.Dictionary):
        return set()
    return {str(name) for name, content in properties.items() if _is_hidden(content, hidden)}


def _cleared(stream: Any, names: set[str]) -> bytes:
    """The content stream without painting in the sections of these names. The graphics state still changes."""
    kept: list[Any] = []
    open_sections: list[bool] = []
    for instruction in pikepdf.parse_content_stream(stream):
        operator = str(instruction.operator)
        if operator in ("BDC", "BMC"):
            operands = [str(item) for item in instruction.operands if isinstance(item, pikepdf.Name)]
            open_sections.append(
                operator == "BDC" and operands[:1] == ["/OC"] and operands[1:2] != [] and operands[1] in names
            )
        elif operator == "EMC" and open_sections:
            open_sections.pop()
        elif any(open_sections):
            instruction = _unpainted(instruction, operator)
        if instruction is not None:
            kept.append(instruction)
    return bytes(pikepdf.unparse_content_stream(kept))


def _unpainted(instruction: Any, operator: str) -> Any:
    if operator in _PAINTING:
        return pikepdf.ContentStreamInstruction([], pikepdf.Operator("n"))
    if operator in _NEXT_LINE:
        return pikepdf.ContentStreamInstruction([], pikepdf.Operator("T*"))
    return None if operator in _SHOWING or operator == "INLINE IMAGE" else instruction
