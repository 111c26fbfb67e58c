"""Other detectors on the development messages and the corpora of `make eval`, scored as ours are.

    .venv-bench/bin/python -m benchmarks.peers

presidio-analyzer's recognizers without a language model, and tabayyan-privacy's detectors; `scripts/setup bench`
installs both. Types that have no counterpart in the catalogue do not count.
"""

import importlib
import logging
from collections.abc import Callable, Iterable, Iterator

from benchmarks import accuracy, names
from benchmarks.detect import presidio
from pipeline.detect.recognizer import span
from schemas.entities import EntityType
from schemas.spans import Detection, DetectOptions, Span

_T = EntityType
_TYPES = {
    "arabic_name": _T.PERSON, "credit_card": _T.CREDIT_CARD, "date_time": _T.DATE_TIME, "email": _T.EMAIL_ADDRESS,
    "email_address": _T.EMAIL_ADDRESS, "iban_code": _T.IBAN, "ip_address": _T.IP_ADDRESS, "location": _T.LOCATION,
    "medical_license": _T.MEDICAL_LICENSE, "medical_record_number": _T.MRN, "organization": _T.ORGANIZATION,
    "person": _T.PERSON, "phone_number": _T.PHONE_NUMBER, "saudi_cr": _T.BUSINESS_ID, "saudi_iban": _T.IBAN,
    "saudi_iqama": _T.RESIDENCE_PERMIT, "saudi_landline": _T.PHONE_NUMBER, "saudi_mobile": _T.PHONE_NUMBER,
    "saudi_national_address": _T.ADDRESS, "saudi_national_id": _T.NATIONAL_ID, "saudi_passport": _T.PASSPORT,
    "saudi_unified_number": _T.BUSINESS_ID, "saudi_vat": _T.TAX_ID, "us_passport": _T.PASSPORT, "us_ssn": _T.SSN,
}  # fmt: skip


class Peer:
    """Another detector with the interface of ours. `find` yields the type's name in small letters, start and end."""

    def __init__(self, find: Callable[[str], Iterable[tuple[str, int, int]]]) -> None:
        self._find = find

    def detect(self, text: str, _options: DetectOptions = DetectOptions()) -> Detection:
        """Spans by position; of the same type they may overlap."""
        return Detection(text, tuple(sorted(self._spans(text))))

    def _spans(self, text: str) -> Iterator[Span]:
        for name, start, end in self._find(text):
            if name in _TYPES:
                yield span(start, end, _TYPES[name], 1.0, "peer")


def peers() -> dict[str, Peer]:
    """The two detectors. ImportError where `scripts/setup bench` has not installed them."""
    analyze = presidio()
    scan = importlib.import_module("tabayyan").DetectionEngine().scan
    return {
        "presidio": Peer(lambda text: [(found.entity_type.lower(), found.start, found.end) for found in analyze(text)]),  # type: ignore[attr-defined]
        "tabayyan": Peer(lambda text: [(found.entity_type.value, found.start, found.end) for found in scan(text)]),
    }


def main() -> None:
    """Prints the tables in Markdown."""
    logging.disable(logging.CRITICAL)  # they report what they skip
    found = peers()
    for name, peer in found.items():
        tallies, _ = accuracy.evaluate(accuracy.read_jsonl(accuracy.MESSAGES), peer, frozenset(EntityType))
        print(f"### Development messages, {name}\n\n{accuracy.table(tallies)}\n")
    print(f"### Names on text of others\n\n{names.table(names.scores(found, names.CORPORA))}")


if __name__ == "__main__":
    main()
