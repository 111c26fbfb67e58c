"""PPTX: reads slides, notes, masters, comments, charts and all other parts, and removes what cannot be read."""

from collections.abc import Mapping, Sequence

from pipeline.documents.document import Extraction, Findings, Reading, Unread
from pipeline.documents.ooxml import handler as office
from pipeline.documents.ooxml import relationships
from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.xml import local, unreadable
from pipeline.documents.pptx import sanitize

# Parts with content, by the end of their content type, in reading order.
_CONTENT = ("presentationml.slide+xml", "notesSlide+xml", "chart+xml", "chartex+xml", "diagramData+xml",
            "presentationml.comments+xml", "powerpoint.comments+xml")  # fmt: skip
# Types of relationships whose targets are removed.
_CONNECTED = ("slideUpdateUrl", "slideUpdateInfo", "htmlPubSaveAs", "externalLinkPath", "linkedTheme")
_HISTORY = ("changesInfo", "revisionInfo")
_PRIVATE = ("customXmlMappings", "model3d", "model3dPrintSettings", "webextension", "webextensiontaskpanes",
            "webextensionheader", "tasks", "classificationlabels", "userCustomization")  # fmt: skip

PROFILE = office.Profile(
    main=("presentationml.presentation.main+xml",),
    content=_CONTENT,
    removed={
        **dict.fromkeys(_CONNECTED, Unread.CONNECTION),
        **dict.fromkeys(_HISTORY, Unread.HISTORY),
        **dict.fromkeys(_PRIVATE, Unread.PRIVATE),
    },
    dropped={
        **dict.fromkeys(("creationId", "modId", "modifyVerifier", "revIdLst", "presenceInfo"), Unread.FINGERPRINT),
        **dict.fromkeys(("htmlPubPr", "sldSyncPr"), Unread.CONNECTION),
        "custData": Unread.PRIVATE,
    },
    optional=("presProps+xml", "viewProps+xml", "tableStyles+xml"),
    prepare=sanitize.prepare,
    pages=lambda package: len(_slides(package)),
    order=lambda package: {part.name: number for number, part in enumerate(_in_reading_order(package))},
)


def inspect(data: bytes) -> int:
    """Billed pages: the slides that the presentation lists, hidden ones too. StageFailed (unsupported_format) when the
    package cannot be read."""
    return len(_slides(office.open_package(data, PROFILE).package))


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """Units of all texts, with numbers as ids, the rasters of the pictures in the package, and the number of slides."""
    return office.extract(data, PROFILE)


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The presentation with placeholders in its text and boxes in its pictures, without authors' traces and embedded
    files."""
    return office.redact(data, PROFILE, findings, readings)


def _slides(package: Package) -> list[Part]:
    """The slides in the order of the slide show; a slide that is listed twice counts twice."""
    main = office.main_part(package)
    if main is None or main.root is None:
        raise unreadable()
    targets = {link.id: link.target for link in relationships.all_relationships(package) if link.source is main}
    slides = []
    for item in main.root.iter():
        if local(item) == "sldId":
            target = next(
                (targets.get(v) for n, v in item.attrib.items() if n.startswith(relationships.REFERENCES)), None
            )
            if target is not None and target.content_type.endswith(_CONTENT[0]):
                slides.append(target)
    return slides


def _in_reading_order(package: Package) -> list[Part]:
    """The slides, then the other parts of each slide: notes, charts, comments."""
    slides = _slides(package)
    rank = {id(slide): number for number, slide in enumerate(slides)}
    others: Mapping[int, list[Part]] = {number: [] for number in range(len(slides))}
    for link in relationships.all_relationships(package):
        if link.target is not None and id(link.source) in rank and id(link.target) not in rank:
            others[rank[id(link.source)]].append(link.target)
    return slides + [part for parts in others.values() for part in parts]
