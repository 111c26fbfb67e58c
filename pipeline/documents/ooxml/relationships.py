"""Relationships between the parts of a package: following, removing and renaming without leaving a loose end.

Source: ECMA-376 part 2, clause 6.5 (relationships).
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.xml import Element

_PACKAGE_LINKS = "_rels/.rels"
# Namespaces whose attributes on any element name a relationship (transitional and strict).
REFERENCES = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}",
)
_FRAMES = ("}graphicFrame", "}drawing")  # what shows an object in a slide, and in a Word document


@dataclass(frozen=True, slots=True)
class Link:
    """One relationship. `source` is the part it leaves from (None: the package), `target` the part it leads to."""

    row: Element
    source: Part | None
    target: Part | None

    @property
    def id(self) -> str:
        value: str = self.row.get("Id", "")
        return value

    @property
    def kind(self) -> str:
        """The last word of the relationship's type: `image`, `hyperlink`, `oleObject`."""
        value: str = self.row.get("Type", "")
        return value.rpartition("/")[2]


def links(package: Package) -> Iterator[Link]:
    """Every relationship of the package."""
    by_name = {part.name.lower(): part for part in package.parts.values()}
    for part in package.parts.values():
        if part.root is None or not part.name.lower().endswith(".rels"):
            continue
        folder, file = posixpath.split(part.name)
        base = posixpath.dirname(folder)
        source = by_name.get(posixpath.join(base, file.removesuffix(".rels")).lower())
        if source is None and part.name.lower() != _PACKAGE_LINKS:
            continue  # of a part that is not there
        for row in part.root:
            target = None
            if row.get("TargetMode") != "External":
                target = by_name.get(_absolute(base, row.get("Target", "")).lower())
            yield Link(row, source, target)


def links_name(part: Part) -> str:
    """The name of the part that holds `part`'s own relationships."""
    folder, file = posixpath.split(part.name)
    return posixpath.join(folder, "_rels", file + ".rels")


def strays(package: Package) -> list[Part]:
    """Relationships of parts that are not there."""
    owned = {_PACKAGE_LINKS, *(links_name(part).lower() for part in package.parts.values())}
    parts = package.parts.values()
    return [part for part in parts if part.name.lower().endswith(".rels") and part.name.lower() not in owned]


def remove(package: Package, doomed: Callable[[Link], bool], parts: Iterable[Part] = ()) -> None:
    """Removes `parts` and the targets of `doomed` relationships, whatever leads to them, and the elements that refer to
    such a relationship; then what only the removed parts had."""
    gone = {id(part) for part in parts}
    every = list(links(package))
    gone |= {id(link.target) for link in every if link.target is not None and doomed(link)}
    loose: dict[int, set[str]] = {}
    for link in every:
        if doomed(link) or (link.target is not None and id(link.target) in gone):
            link.row.getparent().remove(link.row)
            if link.source is not None:
                loose.setdefault(id(link.source), set()).add(link.id)
    kept: dict[str, Part] = {}
    owned = {links_name(part).lower() for part in package.parts.values() if id(part) in gone}
    for part in package.parts.values():
        if id(part) in gone or part.name.lower() in owned:
            continue
        kept[part.name] = part
        if id(part) in loose and part.root is not None:
            _drop_references(part.root, loose[id(part)])
    package.parts = kept


def reached(package: Package) -> list[Part]:
    """The parts that relationships lead to from the package itself, step by step: programs load no others."""
    targets: dict[int | None, list[Part]] = {}
    for link in links(package):
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
    """Gives a part another name and leads every relationship there; its own relationships follow it."""
    own = package.find(links_name(part))
    leading = [link.row for link in links(package) if link.target is part]
    package.rename(part, name)
    for row in leading:
        row.set("Target", "/" + quote(name))
    if own is not None:
        package.rename(own, links_name(part))


def _absolute(base: str, target: str) -> str:
    """A relationship's target as a part name."""
    target = unquote(target.partition("#")[0])
    joined = target if target.startswith("/") else posixpath.join("/", base, target)
    return posixpath.normpath(joined).lstrip("/")


def _drop_references(root: Element, ids: set[str]) -> None:
    """Removes the elements that refer to relationships which are gone: Office refuses a loose reference."""
    doomed = [
        element
        for element in root.iter()
        if any(name.startswith(REFERENCES) and value in ids for name, value in element.attrib.items())
    ]
    for element in map(_whole, doomed):
        parent = element.getparent()
        if parent is not None:
            _unwrap_or_remove(parent, element)
            _show_the_other(parent)


def _whole(element: Element) -> Element:
    """What goes with a reference: the frame of an object that is nothing but the reference."""
    parent = element.getparent()
    if parent is None or not parent.tag.endswith("}graphicData"):
        return element
    return next((above for above in element.iterancestors() if above.tag.endswith(_FRAMES)), element)


def _show_the_other(branch: Element) -> None:
    """Where the branch that programs of today show is empty now, what it stood for is shown as others show it."""
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
    """A hyperlink leaves its text behind; everything else goes with what it holds."""
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
