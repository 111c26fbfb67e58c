"""The allow-list in detection: which spans an allowed term removes, which come back, and which it never removes."""

from collections.abc import Iterator

import pytest

from pipeline.detect.detector import Detector
from pipeline.detect.recognizer import Rule
from pipeline.detect.text.normalize import NormalizedText
from schemas.entities import ALL_TYPES, GLOSSARY_RANK, RANK, EntityType
from schemas.spans import Action, DetectOptions, MatchMode, Span, Term, TermSet

T = EntityType
ID, PLACE = T.NATIONAL_ID, T.LOCATION
TEXT = "alpha beta gamma delta"


def found(
    spans: list[tuple[str, EntityType]], *terms: Term, text: str = TEXT, masked: tuple[str, ...] = ()
) -> list[tuple[str, str]]:
    """What survives of `spans` (surface, type), and of `masked` as a glossary would mark them."""

    def find(normalized: NormalizedText, _: DetectOptions) -> Iterator[Span]:
        for surface, type_ in spans:
            start = normalized.text.index(surface)
            yield Span(start, start + len(surface), type_, 1.0, "planted", RANK[type_])
        for surface in masked:
            start = normalized.text.index(surface)
            yield Span(start, start + len(surface), T.CUSTOM_TERM, 1.0, "glossary", GLOSSARY_RANK)

    detector = Detector([Rule("planted", ALL_TYPES, find)])
    result = detector.detect(text, DetectOptions(terms=(TermSet(terms),) if terms else ()))
    return [(text[span.start : span.end], span.type.value) for span in result.spans]


def allow(term: str, **more: object) -> Term:
    return Term(term, action=Action.ALLOW, **more)  # type: ignore[arg-type]


CASES = [
    # Alone: gone. Listed in part, or as part of something longer: stays.
    ([("beta", T.PERSON)], [allow("beta")], []),
    ([("beta gamma", T.PERSON)], [allow("beta")], [("beta gamma", "PERSON")]),
    ([("beta", T.PERSON)], [allow("beta gamma")], [("beta", "PERSON")]),
    # What it outranked inside itself does not come back, whatever its rank.
    ([("beta gamma", T.PERSON), ("gamma", PLACE)], [allow("beta gamma")], []),
    ([("beta gamma", T.ADDRESS), ("gamma", T.PERSON)], [allow("beta gamma")], []),
    # A span that it outranked and that extends beyond it comes back whole: its own surface was not allowed.
    ([("beta gamma", ID), ("gamma delta", PLACE)], [allow("beta gamma")], [("gamma delta", "LOCATION")]),
    ([("beta", ID), ("alpha beta gamma", T.DATE_TIME)], [allow("beta")], [("alpha beta gamma", "DATE_TIME")]),
    ([("beta gamma", T.IBAN), ("gamma delta", T.PERSON)], [allow("beta gamma")], [("gamma delta", "PERSON")]),
    # What a higher rank leaves of a name or an address is a detection of its own, with a surface of its own.
    ([("alpha beta", T.PERSON), ("alpha", ID)], [allow("beta")], [("alpha", "NATIONAL_ID")]),
    ([("alpha beta gamma", T.ADDRESS), ("beta", T.IBAN)], [allow("alpha")], [("beta", "IBAN"), ("gamma", "ADDRESS")]),
    # An allowed one that lost anyway changes nothing.
    ([("alpha beta", ID), ("beta gamma", PLACE)], [allow("beta gamma")], [("alpha beta", "NATIONAL_ID")]),
    # One type alone: another of the same extent is still found, and nothing inside it.
    ([("beta", T.PERSON), ("beta", PLACE)], [allow("beta", type=T.PERSON)], [("beta", "LOCATION")]),
    ([("beta", T.PERSON), ("beta", PLACE)], [allow("beta", type=PLACE)], [("beta", "PERSON")]),
    ([("beta", T.PERSON), ("beta", PLACE)], [allow("beta")], []),
    ([("beta gamma", T.PERSON), ("gamma", PLACE)], [allow("beta gamma", type=T.PERSON)], []),
    ([("beta", T.PERSON), ("beta", PLACE)], [allow("beta", type=T.PERSON), allow("beta", type=PLACE)], []),
    # Attached letters, in every mode.
    ([("bet", T.PERSON)], [allow("bet")], [("bet", "PERSON")]),
    ([("bet", T.PERSON)], [allow("bet", match_mode=MatchMode.SUBSTRING)], []),
]  # fmt: skip


@pytest.mark.parametrize(("spans", "terms", "left"), CASES)
def test_what_is_left(spans: list[tuple[str, EntityType]], terms: list[Term], left: list[tuple[str, str]]) -> None:
    assert found(spans, *terms) == left


def test_a_term_that_says_mask_is_never_touched() -> None:
    spans = [("alpha beta gamma", T.PERSON)]
    assert found(spans, allow("beta"), masked=("beta",)) == [
        ("alpha", "PERSON"), ("beta", "CUSTOM_TERM"), ("gamma", "PERSON"),
    ]  # fmt: skip
    assert found(spans, allow("alpha beta gamma"), masked=("beta",)) == [("beta", "CUSTOM_TERM")]
    # What it left of a name is a detection of its own, which can be allowed.
    assert found(spans, allow("gamma"), masked=("beta",)) == [("alpha", "PERSON"), ("beta", "CUSTOM_TERM")]


@pytest.mark.parametrize(
    ("text", "surface", "type_", "term", "stays"),
    [
        ("ID 1000-000-008.", "1000-000-008", T.NATIONAL_ID, "1000000008", True),
        ("ID 1000-000-008.", "1000-000-008", T.NATIONAL_ID, "1000 000 008", True),
        ("ID ١٠٠٠٠٠٠٠٠٨.", "١٠٠٠٠٠٠٠٠٨", T.NATIONAL_ID, "1000-000008", True),
        ("ID 1000-000-008.", "1000-000-008", T.DATE_TIME, "1000000008", False),
        ("to SA03 8000 0000.", "SA03 8000 0000", T.IBAN, "sa0380000000", True),
        ("to SA03 8000 0000.", "SA03 8000 0000", T.IBAN, "SA03800000001", False),
        ("call +966 50 123 4567.", "+966 50 123 4567", T.PHONE_NUMBER, "00966501234567", True),
        ("call +966 50 123 4567.", "+966 50 123 4567", T.PHONE_NUMBER, "0501234567", False),
        ("at A.B@EXAMPLE.com.", "A.B@EXAMPLE.com", T.EMAIL_ADDRESS, "a.b@example.com", True),
        ("السيد مُحمّد العتيبي.", "مُحمّد العتيبي", T.PERSON, "محمد  العتيبي", True),
        ("والفنار هنا", "الفنار", T.ORGANIZATION, "الفنار", True),
        ("no\u200bura.", "no\u200bura", T.PERSON, "Noura", True),
    ],
)
def test_surfaces_are_compared_as_detection_reads_them(
    text: str, surface: str, type_: EntityType, term: str, stays: bool
) -> None:
    start = text.index(surface)
    end = start + len(surface)

    def find(normalized: NormalizedText, _: DetectOptions) -> Iterator[Span]:
        places = [normalized.original_span(index, index + 1) for index in range(len(normalized.text))]
        inside = [index for index, (first, last) in enumerate(places) if first >= start and last <= end]
        yield Span(inside[0], inside[-1] + 1, type_, 1.0, "planted", RANK[type_])

    detector = Detector([Rule("planted", ALL_TYPES, find)])
    for case in (term, term.upper()):
        options = DetectOptions(terms=(TermSet((allow(case),)),))
        assert (detector.detect(text, options).spans == ()) is stays
    assert detector.detect(text).spans != ()
