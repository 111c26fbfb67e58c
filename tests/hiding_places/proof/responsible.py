"""Finds out which function of the handlers is responsible for each hiding place, and keeps that in tables.

`python -m tests.hiding_places.proof.responsible [docx pdf_text …]` completes the tables of `handled_by/`. An entry
that still proves is kept. A missing entry is found by trying the functions that the place's run calls and that few
other runs call. A table is lines of function names, each above the places that go red without them; ` + ` joins two
functions that have to be switched off together.
"""

import argparse
import contextlib
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from types import FrameType
from typing import Any

from tests.hiding_places.proof.proving import Case, cases, ended, verdict
from tests.hiding_places.proof.switching import ALWAYS, NoStandIn, handlers, stand_in

RED = ("stays", "refused")
NOBODY = "nobody"  # stands above the places for which none was found
_FOLDER = Path(__file__).parent / "handled_by"
_JOINT = " + "
_SAMPLE, _MOST, _HOPELESS, _PAIRS = 10, 60, 15, 9
_GENERAL = 0.3  # of the places of a sample that go red without a function: it is asked last
# The handlers' own entrances: without them nothing is redacted at all, which says little.
_ENTRANCES = {f"{package}.handler.{verb}" for package in ("csv", "docx", "image", "ooxml", "pdf", "pptx", "xlsx")
              for verb in ("redact", "extract", "inspect")}  # fmt: skip

Names = tuple[str, ...]


def table(name: str) -> dict[str, Names]:
    """The functions by place, of one table; `(NOBODY,)` for a place that goes red without none."""
    path = _FOLDER / f"{name}.txt"
    found: dict[str, Names] = {}
    names: Names = ()
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("    "):
            found[line.strip()] = names
        elif line and not line.startswith("#"):
            names = tuple(line.split(_JOINT))
    return found


def write(name: str, found: Mapping[str, Names]) -> None:
    """Keeps the comments that stand above names."""
    path = _FOLDER / f"{name}.txt"
    said, above = {}, []
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("#"):
            above.append(line)
        elif line and not line.startswith(" "):
            said[line], above = above, []
    groups = defaultdict(list)
    for place, names in found.items():
        groups[_JOINT.join(names)].append(place)
    blocks = [[*said.get(key, ()), key, *(f"    {place}" for place in sorted(groups[key]))] for key in sorted(groups)]
    path.write_text("\n\n".join("\n".join(block) for block in blocks) + "\n")


def touched(case: Case) -> list[str]:
    """The handlers' functions that a run of the place calls, in the order of their first calls."""
    names = {handler.function.__code__: name for name, handler in handlers().items()}
    seen: dict[str, None] = {}

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (name := names.get(frame.f_code)):
            seen.setdefault(name)

    data = case.place.build()
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        ended(case, data)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(seen)


def _can_be_switched(name: str) -> bool:
    with contextlib.suppress(NoStandIn):
        stand_in(handlers()[name.removeprefix(ALWAYS)].function, always=name.startswith(ALWAYS))
        return True
    return False


class Search:
    """Tries functions on the places of one table."""

    def __init__(self, of: Sequence[Case]) -> None:
        self._of = of
        self._touched = {case.place.name: touched(case) for case in of}
        self._count = Counter(name for names in self._touched.values() for name in names)
        self._said: dict[tuple[str, Names], str] = {}
        self._tries: Counter[str] = Counter()
        self._wins: Counter[str] = Counter()

    def sample(self) -> None:
        """Tries every function on some places, so that the general ones are known."""
        for case in self._of[:: max(1, len(self._of) // _SAMPLE)][:_SAMPLE]:
            for name in filter(_can_be_switched, self._touched[case.place.name]):
                self.is_red(case, (name,))

    def is_red(self, case: Case, names: Names) -> bool:
        """Whether a place goes red without these functions; what breaks without them is not."""
        key = (case.place.name, names)
        if key not in self._said:
            try:
                self._said[key] = verdict(case, names)
            except Exception as error:
                self._said[key] = f"broken: {type(error).__name__}"
            if len(names) == 1:
                self._tries[names[0]] += 1
                self._wins[names[0]] += self._said[key] in RED
        return self._said[key] in RED

    def responsible(self, case: Case) -> Names:
        """The first that the place goes red without, the most particular ones asked first; two if it takes two."""
        for names in self._candidates(case):
            if self.is_red(case, names):
                return names
        return (NOBODY,)

    def _candidates(self, case: Case) -> Iterator[Names]:
        called = self._touched[case.place.name]
        seen = [name for name in called if _can_be_switched(name)]
        share = {name: self._wins[name] / max(1, self._tries[name]) for name in seen}
        general = sorted((name for name in seen if share[name] >= _GENERAL), key=share.__getitem__)
        special = [n for n in seen if share[n] < _GENERAL and (self._wins[n] or self._tries[n] < _HOPELESS)]
        special.sort(key=lambda name: (self._count[name], -called.index(name)))
        rest = [name for name in seen if name not in general and name not in special]
        order = [*special[:_MOST], *general, *rest]
        yield from ((name,) for name in order if name not in _ENTRANCES)
        yield from ((ALWAYS + name,) for name in order if _can_be_switched(ALWAYS + name))
        able = [name for name in seen if self._wins[name] and name not in _ENTRANCES]
        yield from combinations(sorted(able, key=lambda name: -self._wins[name])[:_PAIRS], 2)
        yield from ((name,) for name in order if name in _ENTRANCES)


def complete(name: str) -> dict[str, Names]:
    """The table with an entry for every place; those that prove no more are found anew."""
    of = {case.place.name: case for case in cases() if case.table == name}
    known = {place: names for place, names in table(name).items() if place in of and _proves(of[place], names)}
    if missing := [case for case in of.values() if case.place.name not in known]:
        search = Search(list(of.values()))
        if len(missing) > _SAMPLE:
            search.sample()
        for case in missing:
            known[case.place.name] = search.responsible(case)
            print(f"{name}: {case.place.name}: {_JOINT.join(known[case.place.name])}", flush=True)
    return known


def _proves(case: Case, names: Names) -> bool:
    with contextlib.suppress(Exception):
        return verdict(case, names) in RED
    return False


def main() -> None:
    """Complete the chosen tables, or all."""
    every = sorted({case.table for case in cases()})
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="*", help=f"of {', '.join(every)}; all if none is named")
    chosen = parser.parse_args().table or every
    if unknown := set(chosen) - set(every):
        parser.error(f"no such table: {', '.join(sorted(unknown))}")
    for name in chosen:
        write(name, complete(name))


if __name__ == "__main__":
    main()
