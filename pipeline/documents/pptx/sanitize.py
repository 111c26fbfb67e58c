"""Removes from a presentation what only PresentationML has: frames of embedded objects, sounds, generated ids."""

from collections import Counter

from pipeline.documents.document import Unread
from pipeline.documents.ooxml import charts
from pipeline.documents.ooxml.package import Package
from pipeline.documents.ooxml.vocabulary import NUMBERED_IDS
from pipeline.documents.ooxml.xml import Element, local

_FIRST_LISTED = 2_147_483_648  # the least id of a master or a layout
# Attributes of comments and their authors that the schema requires ([MS-PPTX] 2.6), and neutral values for them.
_MOMENT = "1601-01-01T00:00:00"
_NEUTRAL = {"dt": _MOMENT, "created": _MOMENT, "initials": "A", "userId": "Author", "providerId": "None"}


def prepare(package: Package, counts: Counter[Unread]) -> None:
    """Renumbers masters and layouts; removes embedded objects, fonts, sounds, and accounts and dates of comments."""
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
                _replace_object_frame(element)
            elif name in ("cm", "reply", "author", "cmAuthor", "threadedComment"):
                _remove_author(element, counts)
        if is_slide:
            _remove_sounds(part.root)


def _replace_object_frame(frame: Element) -> None:
    """Replaces the frame of an embedded object by the picture in its p:oleObj."""
    objects = [item for item in frame.iter() if local(item) == "oleObj"]
    picture = next((child for item in objects for child in item if local(child) == "pic"), None)
    if picture is not None:
        frame.getparent().replace(frame, picture)
    elif objects:
        frame.getparent().remove(frame)


def _remove_author(element: Element, counts: Counter[Unread]) -> None:
    for name, plain in _NEUTRAL.items():
        if name in element.attrib:
            element.set(name, plain)
            counts[Unread.METADATA] += 1


def _remove_sounds(root: Element) -> None:
    """Removes sounds, and the timing of removed media."""
    for element in list(root.iter()):
        name, parent = local(element), element.getparent()
        if name in ("sndAc", "snd", "sndTgt", "stSnd") and parent is not None:
            parent.remove(element)
        elif name in ("video", "audio") and local(parent) == "childTnLst":
            timing = next((above for above in element.iterancestors() if local(above) == "timing"), None)
            if timing is not None and timing.getparent() is not None:
                timing.getparent().remove(timing)
