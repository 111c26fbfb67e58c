"""Other detectors on the development messages and the corpora of `make eval`, scored as ours are.

    .venv-bench/bin/python -m benchmarks.peers

presidio-analyzer's recognizers without a language model, tabayyan-privacy's detectors, and Arcjet's Rampart, a model
for English with rules beside it; `scripts/setup bench` and `scripts/setup rampart` install them. Types that have no
counterpart in the catalogue do not count.
"""

import importlib
import json
import logging
import re
import subprocess
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
    # Rampart's
    "building_number": _T.ADDRESS, "city": _T.LOCATION, "credit_card_number": _T.CREDIT_CARD, "given_name": _T.PERSON,
    "government_id": _T.NATIONAL_ID, "passport": _T.PASSPORT, "secondary_address": _T.ADDRESS, "ssn": _T.SSN,
    "state": _T.LOCATION, "street_name": _T.ADDRESS, "surname": _T.PERSON, "tax_id": _T.TAX_ID, "zip_code": _T.ADDRESS,
}  # fmt: skip
_PLACES = frozenset({_T.ADDRESS, _T.LOCATION})


class Peer:
    """Another detector with the interface of ours. `find` yields the type's name in small letters, start and end.

    `joins`: it yields names and addresses in parts, and the parts are scored as one, as ours are labelled.
    """

    def __init__(self, find: Callable[[str], Iterable[tuple[str, int, int]]], *, joins: bool = False) -> None:
        self._find = find
        self._joins = joins

    def detect(self, text: str, _options: DetectOptions = DetectOptions()) -> Detection:
        """Spans by position; of the same type they may overlap."""
        spans = sorted(self._spans(text))
        return Detection(text, tuple(joined(text, spans) if self._joins else spans))

    def _spans(self, text: str) -> Iterator[Span]:
        for name, start, end in self._find(text):
            if name in _TYPES:
                yield span(start, end, _TYPES[name], 1.0, "peer")


def joined(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans, which are in order, with parts made one.

    Parts have the same type and blanks between them at most. Those of an address may have commas between them, and
    cities among them; cities without an address stay as they are.
    """
    same = (_one(chain, chain[0].type) for chain in _chains(spans, lambda last, part: _is_same(text, last, part)))
    for chain in _chains(same, lambda last, part: _is_address(text, last, part)):
        if any(part.type == _T.ADDRESS for part in chain):
            yield _one(chain, _T.ADDRESS)
        else:
            yield from chain


def _chains(spans: Iterable[Span], continues: Callable[[Span, Span], bool]) -> Iterator[list[Span]]:
    chain: list[Span] = []
    for part in spans:
        if chain and not continues(chain[-1], part):
            yield chain
            chain = []
        chain.append(part)
    if chain:
        yield chain


def _is_same(text: str, last: Span, part: Span) -> bool:
    return last.type == part.type and not text[last.end : part.start].strip(" ")


def _is_address(text: str, last: Span, part: Span) -> bool:
    return {last.type, part.type} <= _PLACES and re.fullmatch(r"[\s,]*", text[last.end : part.start]) is not None


def _one(chain: list[Span], type_: EntityType) -> Span:
    return span(chain[0].start, chain[-1].end, type_, 1.0, "peer")


def rampart() -> Callable[[str], list[tuple[str, int, int]]]:
    """Asks a process of benchmarks/rampart.py. OSError where `scripts/setup rampart` has not installed it."""
    process = subprocess.Popen(
        [accuracy.RAMPART, "-m", "benchmarks.rampart"],
        cwd=accuracy.ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    questions, answers = process.stdin, process.stdout
    assert questions and answers

    def find(text: str) -> list[tuple[str, int, int]]:
        print(json.dumps(text), file=questions, flush=True)
        return [(name.lower(), start, end) for name, start, end in json.loads(answers.readline())]

    return find


def peers() -> dict[str, Peer]:
    """The three detectors. ImportError or OSError where they are not installed."""
    analyze = presidio()
    scan = importlib.import_module("tabayyan").DetectionEngine().scan
    return {
        "presidio": Peer(lambda text: [(found.entity_type.lower(), found.start, found.end) for found in analyze(text)]),  # type: ignore[attr-defined]
        "tabayyan": Peer(lambda text: [(found.entity_type.value, found.start, found.end) for found in scan(text)]),
        "rampart": Peer(rampart(), joins=True),
    }


def main() -> None:
    """Prints the tables in Markdown."""
    logging.disable(logging.CRITICAL)  # they report what they skip
    found = peers()
    for name, peer in found.items():
        tallies, _ = accuracy.evaluate(accuracy.read_jsonl(accuracy.MESSAGES), peer, frozenset(EntityType))
        print(f"### Development messages, {name}\n\n{accuracy.table(tallies)}\n")
    print(f"### Names on text of others\n\n{names.table(names.scores(names.read_all(found, names.CORPORA)))}")


if __name__ == "__main__":
    main()
