"""Takes the real documents of ../shared through the whole run, in the sandbox, and tells how each one ended.

`python -m tests.hiding_places.corpus [pdf docx …]` prints the table by format and every document that ended otherwise
than its manifest expects. That is most of an hour on two busy cores; the tests run a part that `part_of` names.
"""

import csv
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from pipeline.detect.detector import Detector
from pipeline.document_detection.direct import DirectDetector
from pipeline.document_run import redact_document
from pipeline.sandbox.parent import Sandbox
from pipeline.sniff import Sniffer
from schemas.errors import StageFailed, UnsupportedFormat
from schemas.files import MEDIA_TYPE, Format
from tests.pipeline.sandbox.shared import shared

_MOST_PAGES = 500
_AT_ONCE = 2
_ENDINGS = {"jpg": "jpeg", "tif": "tiff", "doc": "docx", "xls": "xlsx", "ppt": "pptx"} | {
    "docm": "docx",
    "xlsm": "xlsx",
}
_REFUSED = "unsupported_format"
_SMALL = 15_000  # bytes of a document that the tests run too
# Documents that were refused once, each for a different reason: a content type list that is not XML, a rotated picture
# among others of its size, tight lines without blanks, companies that read like people, empty Unicode maps.
ONCE_REFUSED = (
    "docx/41e0e4-broken_xml_content_types.docx",
    "pptx/c30e33-customGeo.pptx",
    "pdf/d751cc-multi-column.pdf",
    "pdf/09fc7e-ca-warn-report.pdf",
    "pdf/5fe2a7-issue11768_reduced.pdf",
)


class Ending(NamedTuple):
    """How one document ended: ready with `output`, refused at upload, or failed, with a code; and in how long."""

    file: str
    format: str
    expected: str
    state: str
    code: str
    seconds: float
    output: bytes | None

    @property
    def deviates(self) -> bool:
        """Whether the manifest expects something else."""
        if self.expected == "redactable":
            return self.state != "ready"
        if self.expected == _REFUSED:
            return self.code != _REFUSED
        return self.state != "ready" and self.code != _REFUSED


def rows_of(folder: Path) -> list[dict[str, str]]:
    """The manifest in `folder`."""
    with (folder / "manifest.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def part_of(rows: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """What stands for all of `rows`: whatever may be refused, or once was by mistake, what is small, and all kinds."""
    chosen = [
        row
        for row in rows
        if row["expected"] != "redactable" or int(row["bytes"]) <= _SMALL or row["file"] in ONCE_REFUSED
    ]
    kinds = {row["file"].split("/")[0] for row in chosen}
    by_size = sorted(rows, key=lambda row: int(row["bytes"]))
    smallest = {row["file"].split("/")[0]: row for row in reversed(by_size)}
    return chosen + [row for kind, row in smallest.items() if kind not in kinds]


def endings(folder: Path, rows: Iterable[Mapping[str, str]]) -> list[Ending]:
    """The end of every document that `rows` of the manifest in `folder` name."""
    sandbox, detector = shared(), Detector()
    with ThreadPoolExecutor(_AT_ONCE) as readers, ThreadPoolExecutor(_AT_ONCE) as threads:
        return list(threads.map(lambda row: _ending(sandbox, detector, readers, folder, row), rows))


def _ending(
    sandbox: Sandbox, detector: Detector, readers: ThreadPoolExecutor, folder: Path, row: Mapping[str, str]
) -> Ending:
    name = row["file"]
    data = (folder / name).read_bytes()
    kind = name.rpartition(".")[2]
    kind = _ENDINGS.get(kind, kind)
    began = time.monotonic()
    state, code, output = "ready", "", None
    try:
        sniffer = Sniffer(MEDIA_TYPE[Format(kind)], name)
        sniffer.feed(data)
        format_ = sniffer.finish()
        output = redact_document(
            sandbox, DirectDetector(detector), format_, data, max_pages=_MOST_PAGES, readers=readers
        ).data
    except UnsupportedFormat as refusal:
        state, code = "refused", str(refusal.detail)
    except StageFailed as failure:
        state, code = "failed", str(failure.code)
    return Ending(name, kind, row["expected"], state, code, time.monotonic() - began, output)


def table(results: Iterable[Ending]) -> str:
    """Counts by format and ending, then what deviates."""
    results = list(results)
    lines = ["format  documents  ready  refused  failed  deviating  seconds"]
    for kind in sorted({result.format for result in results}):
        own = [result for result in results if result.format == kind]
        states = Counter(result.state for result in own)
        deviating, seconds = sum(result.deviates for result in own), sum(result.seconds for result in own)
        counts = (states["ready"], states["refused"], states["failed"], deviating)
        lines.append(
            f"{kind:7} {len(own):9}  {counts[0]:5}  {counts[1]:7}  {counts[2]:6}  {counts[3]:9}  {seconds:7.0f}"
        )
    lines += [f"{r.file}: {r.state} {r.code}, expected {r.expected}" for r in results if r.deviates]
    return "\n".join(lines)


if __name__ == "__main__":
    documents, kinds = Path(__file__).parents[2] / "../shared/data/documents", sys.argv[1:]
    wanted = [row for row in rows_of(documents) if not kinds or row["file"].split("/")[0] in kinds]
    print(table(endings(documents, wanted)))
