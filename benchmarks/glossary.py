"""Glossaries: what ten thousand compiled terms add to the detection of a 1 KB text.

    python -m benchmarks.glossary [--seconds 1]

Ten sets of 1,000 terms, as ten enabled glossaries make them: one or two words each, half Arabic, half English, of all
match modes, some with a locale or case rule. The text is that of benchmarks/detect.py. It is measured as it is, with
every tenth word a term, and with ten sets of allowed terms, each beside the same call without terms. One core,
processor time, the best of many calls. Compiling is measured separately.
"""

import argparse
import secrets
import time
from collections.abc import Callable

from benchmarks.detect import sample
from pipeline.detect.detector import Detector
from schemas.entities import CORE_TYPES
from schemas.spans import Action, DetectOptions, MatchMode, Term, TermSet

SETS, TERMS, BYTES = 10, 1000, 1024
TARGET_MS = 1.0
_LETTERS = ("abcdefghiklmnoprstuvwz", "ابتجحدرزسشصطعفقكلمنهوي")
_MODES = (MatchMode.WORD_BOUNDARY, MatchMode.WORD_BOUNDARY, MatchMode.SUBSTRING, MatchMode.EXACT)


def _word(letters: str) -> str:
    return "".join(secrets.choice(letters) for _ in range(5 + secrets.randbelow(5)))


def _term(number: int, action: Action) -> Term:
    letters = _LETTERS[number % 2]
    words = [_word(letters) for _ in range(1 + number // 2 % 2)]
    return Term(
        " ".join(words),
        match_mode=_MODES[number % len(_MODES)],
        case_sensitive=number % 7 == 0,
        locale=(None, None, None, "ar" if number % 2 else "en")[number % 4],
        action=action,
    )


def _sets(action: Action = Action.MASK) -> tuple[TermSet, ...]:
    return tuple(TermSet(tuple(_term(number, action) for number in range(TERMS))) for _ in range(SETS))


def _best(call: Callable[[], object], seconds: float) -> float:
    """Milliseconds of processor time."""
    call()
    best, until = float("inf"), time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.process_time()
        for _ in range(10):
            call()
        best = min(best, (time.process_time() - began) * 100)
    return best


def _with_terms(text: str, sets: tuple[TermSet, ...]) -> str:
    """Every tenth word a term."""
    terms = [term.term for one in sets for term in one.terms]
    words = text.split(" ")
    words[::10] = [secrets.choice(terms) for _ in words[::10]]
    return " ".join(words)[: len(text)]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1.0)
    seconds = parser.parse_args().seconds
    detector, masks, allows = Detector(), _sets(), _sets(Action.ALLOW)
    began = time.process_time()
    for one in masks:
        detector.detect("x", DetectOptions(terms=(one,)))
    spent = (time.process_time() - began) * 1000
    print(f"compiling {SETS} x {TERMS} terms: {spent:.0f} ms")
    print(f"\n{'1 KB text':34}{'without':>9}{'with':>8}{'added':>8}{'ratio':>7}")
    text = sample(BYTES)
    core, worst = frozenset(CORE_TYPES), 0.0
    for name, asked, sets in (
        ("none of the terms in it", text, masks),
        ("every tenth word a term", _with_terms(text, masks), masks),
        ("allowed terms", text, allows),
    ):
        plain = _best(lambda asked=asked: detector.detect(asked, DetectOptions(core)), seconds)
        full = _best(lambda asked=asked, sets=sets: detector.detect(asked, DetectOptions(core, terms=sets)), seconds)
        worst = max(worst, full - plain)
        print(f"{name:34}{plain:7.2f}ms{full:6.2f}ms{full - plain:6.2f}ms{full / plain:6.2f}x")
    print(
        f"\ntarget: {SETS} x {TERMS} terms add less than {TARGET_MS:.0f} ms: {'met' if worst < TARGET_MS else 'MISSED'}"
    )


if __name__ == "__main__":
    main()
