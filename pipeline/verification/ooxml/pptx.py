"""Reads a redacted PPTX a second time: slides, notes, masters, charts and comments, and everything beside them."""

from pipeline.verification.ooxml import reader as office
from pipeline.verification.ooxml import word, xml
from pipeline.verification.ooxml.xml import local
from pipeline.verification.reading import SecondReading


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Paragraphs, tables, caches, attributes and names as texts; parts' sources as raw; pictures as rasters.

    StageFailed(verify_failed) for a package that is damaged, hides something, or holds what nobody here can read.
    """
    package = office.opened(data)
    for name, root in package.trees.items():
        package.say(xml.attributes(root, is_links=name.endswith(".rels")))
        package.say(word.passages(root))
        package.say(word.boxes(root))
        package.keep(word.rows(root))
    slides = sum(local(root) == "sld" for root in package.trees.values())
    return package.reading(slides)
