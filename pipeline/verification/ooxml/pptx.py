"""The second reading of a redacted PPTX: slides, notes, masters, charts, comments and all other parts."""

from pipeline.verification.ooxml import paragraphs, xml
from pipeline.verification.ooxml.reader import open_package
from pipeline.verification.ooxml.xml import local
from pipeline.verification.reading import SecondReading


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Paragraphs, tables, caches, attributes and part names as `texts`; XML sources as `raw`; images as rasters.

    StageFailed(verify_failed) for a package that is damaged, hides bytes, or has a part of an unknown kind.
    """
    package = open_package(data)
    for name, root in package.trees.items():
        package.add_texts(xml.attributes(root, is_links=name.endswith(".rels")))
        package.add_texts(paragraphs.passages(root))
        package.add_texts(paragraphs.box_seams(root))
        package.add_raw(paragraphs.rows(root))
    slides = sum(local(root) == "sld" for root in package.trees.values())
    return package.reading(slides)
