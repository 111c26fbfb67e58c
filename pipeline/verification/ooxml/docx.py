"""Reads a redacted DOCX a second time: every XML part with the standard library, every picture with Pillow.

Whatever cannot be read cannot be proven clean, so a part that is neither fails the output.
"""

from pipeline.verification.ooxml import reader as office
from pipeline.verification.ooxml import word, xml
from pipeline.verification.reading import SecondReading


def read(data: bytes) -> tuple[SecondReading, dict[str, bytes]]:
    """Paragraphs, properties, attributes and names as texts; parts' sources as raw; pictures as rasters.

    StageFailed(verify_failed) for a package that is damaged, hides something, or holds what nobody here can read.
    """
    package = office.opened(data)
    for name, root in package.trees.items():
        package.say(xml.attributes(root, is_links=name.endswith(".rels")))
        package.say(word.passages(root))
        package.say(word.boxes(root))
        package.keep(word.rows(root))
    return package.reading(pages=0)
