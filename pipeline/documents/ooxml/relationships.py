"""Relationships between the parts of a package: reads, removes and renames them, and keeps the package consistent.

Source: ECMA-376 part 2, clause 6.5 (relationships).
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.xml import Element

_PACKAGE_RELATIONSHIPS = "_rels/.rels"
# Namespaces of attributes whose values are relationship ids (transitional and strict).
REFERENCES = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}",
)
_FRAMES = ("}graphicFrame", "}drawing")  # elements that display an object in a slide, and in a Word document


@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship. `row`: its element. `source`: its source part, None for the package. `target`: its target part,
    None when that is external or missing."""

    row: Element
    source: Part | None
    target: Part | None

    @property
    def id(self) -> str:
        """The id of the relationship."""
        value: str = self.row.get("Id", "")
        return value

    @property
    def kind(self) -> str:
        """The last segment of the relationship's type URI: `image`, `hyperlink`, `oleObject`."""
        value: str = self.row.get("Type", "")
        return value.rpartition("/")[2]


def all_relationships(package: Package) -> Iterator[Relationship]:
    """Every relationship of the package."""
    by_name = {part.name.lower(): part for part in package.parts.values()}
    for part in package.parts.values():
        if part.root is None or not part.name.lower().endswith(".rels"):
            continue
        folder, file = posixpath.split(part.name)
        base = posixpath.dirname(folder)
        source = by_name.get(posixpath.join(base, file.removesuffix(".rels")).lower())
        if source is None and part.name.lower() != _PACKAGE_RELATIONSHIPS:
            continue  # its source part does not exist
        for row in part.root:
            target = None
            if row.get("TargetMode") != "External":
                target = by_name.get(_absolute(base, row.get("Target", "")).lower())
            yield Relationship(row, source, target)


def relationships_name(part: Part) -> str:
    """The name of the relationships part of `part`."""
    folder, file = posixpath.split(part.name)
    return posixpath.join(folder, "_rels", file + ".rels")


def orphans(package: Package) -> list[Part]:
    """Relationship parts whose source part does not exist."""
    owned = {_PACKAGE_RELATIONSHIPS, *(relationships_name(part).lower() for part in package.parts.values())}
    parts = package.parts.values()
    return [part for part in parts if part.name.lower().endswith(".rels") and part.name.lower() not in owned]


def remove(package: Package, is_removed: Callable[[Relationship], bool], parts: Iterable[Part] = ()) -> None:
    """Removes relationships and parts: `parts`, and the targets of the relationships for which `is_removed` is true.

    Removes with them all other relationships to these parts, the elements that refer to a removed relationship, and the
    parts' own relationships.
    """
    removed_ids = {id(part) for part in parts}
    every = list(all_relationships(package))
    removed_ids |= {id(link.target) for link in every if link.target is not None and is_removed(link)}
    dangling: dict[int, set[str]] = {}
    for link in every:
        if is_removed(link) or (link.target is not None and id(link.target) in removed_ids):
            link.row.getparent().remove(link.row)
            if link.source is not None:
                dangling.setdefault(id(link.source), set()).add(link.id)
    kept: dict[str, Part] = {}
    owned = {relationships_name(part).lower() for part in package.parts.values() if id(part) in removed_ids}
    for part in package.parts.values():
        if id(part) in removed_ids or part.name.lower() in owned:
            continue
        kept[part.name] = part
        if id(part) in dangling and part.root is not None:
            _drop_references(part.root, dangling[id(part)])
    package.parts = kept


def reachable(package: Package) -> list[Part]:
    """The parts that can be reached from the package by relationships; programs load no others."""
    targets: dict[int | None, list[Part]] = {}
    for link in all_relationships(package):
        if link.target is not None:
            targets.setdefault(id(link.source) if link.source is not None else None, []).append(link.target)
    found: dict[int, Part] = {}
    waiting = list(targets.get(None, ()))
    while waiting:
        part = waiting.pop()
        if id(part) not in found:
            found[id(part)] = part
            waiting += targets.get(id(part), ())
    return list(found.values())


def rename(package: Package, part: Part, name: str) -> None:
    """Renames a part and its relationships part, and updates every relationship that targets it."""
    own = package.find(relationships_name(part))
    leading = [link.row for link in all_relationships(package) if link.target is part]
    package.rename(part, name)
    for row in leading:
        row.set("Target", "/" + quote(name))
    if own is not None:
        package.rename(own, relationships_name(part))


def _absolute(base: str, target: str) -> str:
    """A relationship's target as a part name."""
    target = unquote(target.partition("#")[0])
    joined = target if target.startswith("/") else posixpath.join("/", base, target)
    return posixpath.normpath(joined).lstrip("/")


def _drop_references(root: Element, ids: set[str]) -> None:
    """Removes the elements that refer to removed relationships; Office refuses a dangling reference."""
    removed = [
        element
        for element in root.iter()
        if any(name.startswith(REFERENCES) and value in ids for name, value in element.attrib.items())
    ]
    for element in map(_frame_of, removed):
        parent = element.getparent()
        if parent is not None:
            _unwrap_or_remove(parent, element)
            _show_fallback(parent)


def _frame_of(element: Element) -> Element:
    """The element to remove for a reference: inside graphicData the whole frame, else the element itself."""
    parent = element.getparent()
    if parent is None or not parent.tag.endswith("}graphicData"):
        return element
    return next((above for above in element.iterancestors() if above.tag.endswith(_FRAMES)), element)


def _show_fallback(branch: Element) -> None:
    """Replaces alternate content (mc:AlternateContent) whose first choice is empty now by the children of its
    fallback."""
    both = branch.getparent()
    if len(branch) or not branch.tag.endswith("}Choice") or both is None or branch.getprevious() is not None:
        return
    other = next((child for child in both if child.tag.endswith("}Fallback")), None)
    holder = both.getparent()
    if other is not None and holder is not None:
        index = holder.index(both)
        for child in reversed(list(other)):
            holder.insert(index, child)
        holder.remove(both)


def _unwrap_or_remove(parent: Element, element: Element) -> None:
    """Removes an element with its children, but keeps the children of a hyperlink; the tail stays."""
    keeps_children = element.tag.endswith("}hyperlink")
    index = parent.index(element)
    tail = element.tail
    if keeps_children:
        for offset, child in enumerate(list(element)):
            parent.insert(index + offset, child)
    parent.remove(element)
    if tail and tail.strip() and index:
        before = parent[index - 1]
        before.tail = (before.tail or "") + tail
