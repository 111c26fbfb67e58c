"""The second reading of a redacted DOCX: every XML part with the standard library, every image with Pillow."""

from pipeline.verification.ooxml import paragraphs, xml
from pipeline.verification.ooxml.reader import open_package
from pipeline.verification.reading import SecondReading


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Paragraphs, properties, attributes and part names as `texts`; XML sources as `raw`; images as rasters.

    StageFailed(verify_failed) for a package that is damaged, hides bytes, or has a part of an unknown kind.
    """
    package = open_package(data)
    for name, root in package.trees.items():
        package.add_texts(xml.attributes(root, is_links=name.endswith(".rels")))
        package.add_texts(paragraphs.passages(root))
        package.add_texts(paragraphs.box_seams(root))
        package.add_raw(paragraphs.rows(root))
    return package.reading(pages=0)
