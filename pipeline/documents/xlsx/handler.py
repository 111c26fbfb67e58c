"""XLSX: reads every cell under its labels, with numbers as they are shown; keeps formulas and names consistent."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipeline.documents.document import Extraction, Findings, Reading, Unread
from pipeline.documents.ooxml import handler as office
from pipeline.documents.ooxml.edit import Writer
from pipeline.documents.ooxml.package import Package, Part
from pipeline.documents.ooxml.text import TextCollector
from pipeline.documents.xlsx import consistency, sanitize, workbook
from pipeline.documents.xlsx.edit import EditRecord, Writers
from pipeline.documents.xlsx.extract import Reader
from pipeline.documents.xlsx.workbook import Workbook

_MAIN = ("spreadsheetml.sheet.main+xml",)
# Parts with content, by the end of their content type, in reading order.
_CONTENT = ("worksheet+xml", "chartsheet+xml", "spreadsheetml.comments+xml", "drawing+xml", "chart+xml",
            "chartshapes+xml", "diagramData+xml")  # fmt: skip


def inspect(data: bytes) -> int:
    """Billed pages: none. StageFailed (unsupported_format) when the package cannot be read."""
    office.open_package(data, _Call().profile())
    return 0


def extract(data: bytes) -> tuple[Extraction, dict[str, bytes]]:
    """Units of all cells and other texts, with numbers as ids, and the rasters of the pictures in the package."""
    return office.extract(data, _Call().profile())


def redact(data: bytes, findings: Findings, readings: Sequence[Reading]) -> bytes:
    """The workbook with placeholders in its cells and boxes in its pictures.

    Formulas that refer to a removed value are replaced by their values.
    """
    return office.redact(data, _Call().profile(), findings, readings)


@dataclass(slots=True)
class _Call:
    """One call for one workbook: the state that its parts share."""

    reader: Reader = field(default_factory=lambda: Reader(Workbook(None)))
    record: EditRecord = field(default_factory=EditRecord)

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
        """The order of the sheets. Loads the workbook, because nothing more is removed from here on."""
        self.reader.book = workbook.load(package)
        return {sheet.part.name: sheet.number for sheet in self.reader.book.sheets if sheet.part is not None}

    def _read(self, collector: TextCollector, package: Package, part: Part) -> bool:
        return self.reader.read(collector, part)

    def _writers(self) -> dict[str, Writer]:
        return Writers(self.reader, self.record).table()

    def _finish(self, package: Package) -> None:
        consistency.finish(package, self.reader, self.record)
