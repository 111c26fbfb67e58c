"""Takes out of a PDF what its layers hide on a screen, so that showing all that is left shows no more than before.

Optional content: ISO 32000-2, 8.11. Groups count as hidden when the default configuration switches them off, or its
usage for viewing does; membership dictionaries by their policy or expression.
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
_DEEP = 20  # expressions inside each other

Hidden = frozenset[tuple[int, int]]  # the groups that are switched off


def without_hidden_layers(data: bytes) -> bytes | None:
    """The document without what hidden layers hold; None when nothing is hidden.

    pikepdf.PdfError where it cannot be read.
    """
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
    """The layers that a viewer does not show when it opens the document."""
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
                state = _state(group)
                off = off | {group.objgen} if state == "/OFF" else off - {group.objgen} if state == "/ON" else off
    return frozenset(off - {(0, 0)})  # a group is an object of its own


def _state(group: Any) -> str:
    for key, inner in (("/View", "/ViewState"),):
        usage = group.get("/Usage") if isinstance(group, pikepdf.Dictionary) else None
        view = usage.get(key) if isinstance(usage, pikepdf.Dictionary) else None
        if isinstance(view, pikepdf.Dictionary):
            return str(view.get(inner))
    return ""


def _members(value: Any) -> Iterator[Any]:
    if isinstance(value, pikepdf.Array):
        yield from (item for item in value if isinstance(item, pikepdf.Object))


def _is_hidden(content: Any, hidden: Hidden) -> bool:
    """Whether a group or a membership dictionary does not show what belongs to it."""
    if not isinstance(content, pikepdf.Dictionary):
        return False
    if content.get("/Type") != "/OCMD":
        return content.objgen in hidden
    expression = content.get("/VE")
    if isinstance(expression, pikepdf.Array):
        return not _holds(expression, hidden, 0)
    groups = content.get("/OCGs")
    members = [groups] if isinstance(groups, pikepdf.Dictionary) else list(_members(groups))
    shown = [member.objgen not in hidden for member in members if isinstance(member, pikepdf.Dictionary)]
    if not shown:
        return False
    policy = str(content.get("/P", "/AnyOn"))
    return not {
        "/AllOn": all(shown), "/AnyOff": not all(shown), "/AllOff": not any(shown),
    }.get(policy, any(shown))  # fmt: skip


def _holds(expression: Any, hidden: Hidden, depth: int) -> bool:
    if isinstance(expression, pikepdf.Dictionary):
        return expression.objgen not in hidden
    if not isinstance(expression, pikepdf.Array) or not len(expression) or depth > _DEEP:
        return True
    operator, *operands = list(expression)
    values = [_holds(operand, hidden, depth + 1) for operand in operands]
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
    for _ in range(_DEEP):
        page = page.get("/Parent")
        if not isinstance(page, pikepdf.Dictionary):
            return None
        if "/Resources" in page:
            return page["/Resources"]
    return None


def _clear_objects(pdf: pikepdf.Pdf, hidden: Hidden) -> None:
    """Forms, patterns and pictures, wherever they are drawn."""
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
    """The content with nothing painted in the sections of these names; states and positions change as they did."""
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
