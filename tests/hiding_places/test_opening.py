"""Every output of every place opens in LibreOffice, all in one batch, and the render shows nothing that was planted."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import pytest

from schemas.files import Format
from tests import hiding_places
from tests.hiding_places.proof import inspection
from tests.hiding_places.proof.running import Place, run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
_OFFICE = (Format.DOCX, Format.XLSX, Format.PPTX, Format.CSV)


def tables() -> Iterator[Place]:
    """The places of every module here that has a table of them."""
    for module in walk_packages(hiding_places.__path__, "tests.hiding_places."):
        if not module.name.rpartition(".")[2].startswith("test_"):
            yield from getattr(import_module(module.name), "PLACES", ())


def every_place() -> list[Place]:
    """Each place once, however many modules list it."""
    return list({(place.format, place.name): place for place in tables()}.values())


@cache
def finished() -> dict[str, tuple[Place, bytes]]:
    """The outputs by a name that LibreOffice can use; places that are meant to fail have none."""
    done: dict[str, tuple[Place, bytes]] = {}
    for number, place in enumerate(every_place()):
        if place.format in _OFFICE and (output := run(place.format, place.build()).output) is not None:
            name = re.sub(r"[^a-z0-9]+", "-", place.name.lower())[:60]
            done[f"{number:04d}-{name}.{place.format.value}"] = (place, output)
    return done


@cache
def printed() -> dict[str, bytes]:
    return inspection.converted({name: output for name, (_, output) in finished().items()})


def test_every_output_opens() -> None:
    closed = sorted(finished().keys() - printed().keys())
    if closed:  # what did not open before may stay closed
        before = inspection.converted({name: finished()[name][0].build() for name in closed})
        closed = [name for name in closed if name in before]
    assert not closed, closed
    assert len(printed()) > 100


def test_no_render_says_what_was_planted() -> None:
    seen = {}
    for name, pdf in printed().items():
        place = finished()[name][0]
        text = inspection.said(Format.PDF, pdf)
        seen[name] = [value for value in place.planted if _is_in(value, text, place)]
    assert not {name: values for name, values in seen.items() if values}


def _is_in(value: str, text: str, place: Place) -> bool:
    if place.whole_tokens:
        return inspection.tokens(value) <= inspection.tokens(text)
    return inspection.plain(value) in inspection.plain(text)
