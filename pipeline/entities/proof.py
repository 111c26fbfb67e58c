"""The proof that an output is clean: what the second reading read, and what was removed. It has counts, no values."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from pipeline.documents.document import AGAIN, VIEW, Extraction, Findings
from pipeline.entities.output_name import without_name
from pipeline.verification.reading import SecondReading
from schemas import reports
from schemas.entities import EntityType
from schemas.files import Format
from schemas.reports import VerificationReport
from schemas.version import VERSION


class Proof(NamedTuple):
    """An output that was proven clean, with its `sha256` (hex) and its `size` in bytes.

    `parts`, `pages` and `readers` are those of the second reading. `passes`: how many rasters OCR read in the document
    and in the output. `findings`: number of places by entity type. `unread`: what was removed without being read, by
    kind.
    """

    sha256: str
    size: int
    parts: int
    pages: int
    readers: tuple[str, ...]
    passes: tuple[int, int]
    findings: dict[str, int]
    unread: dict[str, int]

    def report(
        self, format_: Format, rounds: int, *, file_id: UUID | None, milliseconds: int, verified_at: datetime
    ) -> VerificationReport:
        """The unsigned report. `milliseconds`: processing time so far. `file_id`: None outside a server."""
        return VerificationReport(
            service=f"masker {VERSION}",
            file_id=file_id,
            format=format_,
            output=reports.Output(sha256=self.sha256, bytes=self.size),
            second_reading=reports.SecondReading(parts=self.parts, pages=self.pages, readers=list(self.readers)),
            ocr_passes=reports.OcrPasses(document=self.passes[0], output=self.passes[1]),
            findings={EntityType(name): number for name, number in sorted(self.findings.items())},
            removed_unread=dict(sorted(self.unread.items())),
            rounds=rounds,
            verified_at=verified_at,
            milliseconds=milliseconds,
        )


def proof(
    output: bytes, extraction: Extraction, findings: Findings, second: SecondReading, engines: Sequence[str]
) -> Proof:
    """The proof of an output in which the second reading found nothing. `engines`: what read the rasters."""
    passes = (len(extraction.rasters), len(second.rasters))
    readers = (*second.readers, *(engines if any(passes) else ()))
    found, unread = counts_by_type(without_name(findings)), {kind.value: number for kind, number in extraction.unread}
    digest = hashlib.sha256(output).hexdigest()
    return Proof(digest, len(output), second.parts, second.pages, readers, passes, dict(found), unread)


def counts_by_type(findings: Findings) -> Counter[str]:
    """The number of places by type. One in several rasters of a picture, or in several text orders, counts once."""
    shown: dict[tuple[str, str, str], Counter[str]] = {}
    for place in findings.places:
        picture = place.unit.partition(VIEW)[0].partition(AGAIN)[0]
        shown.setdefault((picture, place.type, place.placeholder), Counter())[place.unit] += 1
    found: Counter[str] = Counter()
    for (_, type_, _), units in shown.items():
        found[type_] += max(units.values())
    return found
