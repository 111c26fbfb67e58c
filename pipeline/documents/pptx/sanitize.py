"""Takes out of a presentation what only PowerPoint has: frames of embedded objects, sounds, ids that it draws."""

from collections import Counter

from pipeline.documents.document import Unread
from pipeline.documents.ooxml import charts
from pipeline.documents.ooxml.package import Package
from pipeline.documents.ooxml.vocabulary import NUMBERED_IDS
from pipeline.documents.ooxml.xml import Element, local

_FIRST_LISTED = 2_147_483_648  # the least id of a master or a layout
# Attributes of comments and their authors that the schema wants ([MS-PPTX] 2.6), and what says nothing there.
_MOMENT = "1601-01-01T00:00:00"
_PLAIN = {"dt": _MOMENT, "created": _MOMENT, "initials": "A", "userId": "Author", "providerId": "None"}


def prepare(package: Package, counts: Counter[Unread]) -> None:
    """Numbers masters and layouts anew, and takes moments and accounts off comments."""
    charts.unanchor_references(package, counts)
    listed = _FIRST_LISTED
    for part in package.xml_parts():
        is_slide = part.content_type.endswith(("slide+xml", "slideLayout+xml", "slideMaster+xml"))
        for element in list(part.root.iter()) if part.root is not None else ():
            name = local(element)
            if name in NUMBERED_IDS and element.get("id") is not None:
                element.set("id", str(listed))
                listed += 1
            elif name == "embeddedFontLst":
                element.getparent().remove(element)  # the fonts in it go, and it must not be empty
            elif is_slide and name == "graphicFrame":
                _unframe(element)
            elif name in ("cm", "reply", "author", "cmAuthor", "threadedComment"):
                _unsign(element, counts)
        if is_slide:
            _quiet(part.root)


def _unframe(frame: Element) -> None:
    """An embedded object leaves the picture that stands for it (p:oleObj holds one)."""
    objects = [item for item in frame.iter() if local(item) == "oleObj"]
    picture = next((child for item in objects for child in item if local(child) == "pic"), None)
    if picture is not None:
        frame.getparent().replace(frame, picture)
    elif objects:
        frame.getparent().remove(frame)


def _unsign(element: Element, counts: Counter[Unread]) -> None:
    for name, plain in _PLAIN.items():
        if name in element.attrib:
            element.set(name, plain)
            counts[Unread.METADATA] += 1


def _quiet(root: Element) -> None:
    """Takes out sounds, and the timing of media that are gone."""
    for element in list(root.iter()):
        name, parent = local(element), element.getparent()
        if name in ("sndAc", "snd", "sndTgt", "stSnd") and parent is not None:
            parent.remove(element)
        elif name in ("video", "audio") and local(parent) == "childTnLst":
            timing = next((above for above in element.iterancestors() if local(above) == "timing"), None)
            if timing is not None and timing.getparent() is not None:
                timing.getparent().remove(timing)
