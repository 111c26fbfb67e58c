"""XLSX: every cell is a unit under its column's heading, numbers as they are shown; formulas and names follow suit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.documents.document import Extraction, Findings, Reading, Unread
from pipeline.documents.ooxml import handler as office
from pipeline.documents.ooxml.edit import Writer
from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.text import TextCollector
from pipeline.documents.xlsx import consistency, sanitize, workbook
from pipeline.documents.xlsx.edit import Ledger, Writers
from pipeline.documents.xlsx.extract import Reader
from pipeline.documents.xlsx.workbook import Workbook

_MAIN = ("spreadsheetml.sheet.main+xml",)
# Parts that people read, by the end of their content type, in reading order.
_CONTENT = ("worksheet+xml", "chartsheet+xml", "spreadsheetml.comments+xml", "drawing+xml", "chart+xml",
            "chartshapes+xml", "diagramData+xml")  # fmt: skip


def inspect(data: bytes) -> int:
    """Billed pages: none. StageFailed (unsupported_format) when the package cannot be read."""
    office.open_package(data, _Call().profile())
    return 0


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """Units of all cells and other texts (ids are numbers), and the rasters of the pictures inside."""
    return office.extract(data, _Call().profile())


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The workbook with placeholders in cells and boxes in pictures; formulas that saw a removed value are values."""
    return office.redact(data, _Call().profile(), findings, readings)


@dataclass(slots=True)
class _Call:
    """One opening of one workbook: what its parts have to know of each other."""

    reader: Reader = field(default_factory=lambda: Reader(Workbook(None)))
    ledger: Ledger = field(default_factory=Ledger)

    def profile(self) -> office.Profile:
        return office.Profile(
            main=_MAIN,
            content=_CONTENT,
            removed=sanitize.REMOVED,
            dropped=sanitize.DROPPED,
            optional=("theme+xml", "calcChain+xml"),
            prepare=self._prepare,
            order=self._order,
            read=self._read,
            writers=self._writers(),
            finish=self._finish,
        )

    def _prepare(self, package: Package, counts: Counter[Unread]) -> None:
        sanitize.prepare(package, counts)

    def _order(self, package: Package) -> Mapping[str, int]:
        """Sheets in the workbook's order; here nothing more is taken out, and reading begins."""
        self.reader.book = workbook.load(package)
        return {sheet.part.name: sheet.number for sheet in self.reader.book.sheets if sheet.part is not None}

    def _read(self, collector: TextCollector, package: Package, part: Part) -> bool:
        return self.reader.read(collector, part)

    def _writers(self) -> dict[str, Writer]:
        return Writers(self.reader, self.ledger).table()

    def _finish(self, package: Package) -> None:
        consistency.finish(package, self.reader, self.ledger)
