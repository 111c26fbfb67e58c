"""Takes out of a presentation what only PowerPoint has: frames of embedded objects, sounds, ids that it draws."""

from collections import Counter

from pipeline.documents.document import Unread
from pipeline.documents.ooxml import Package, local

# Ids that must lie at or above 2147483648 (ECMA-376 part 1, 19.7.13 and 19.7.12) and so look like identity numbers.
_LISTED = frozenset({"sldMasterId", "sldLayoutId"})
_FIRST_LISTED = 2_147_483_648
_MOMENTS = frozenset({"dt", "created"})  # attributes of comments
_ACCOUNTS = frozenset({"userId", "providerId"})


def prepare(package: Package, counts: Counter[Unread]) -> None:
    """Numbers masters and layouts anew, and takes moments and accounts off comments."""
    listed = _FIRST_LISTED
    for part in package.xml_parts():
        for element in part.root.iter() if part.root is not None else ():
            name = local(element)
            if name in _LISTED and element.get("id") is not None:
                element.set("id", str(listed))
                listed += 1
