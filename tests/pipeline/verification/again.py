"""The second reading of a raster, as the sandbox child does it, and what is burned after it."""

from collections.abc import Iterable, Mapping, Sequence

from pipeline.codec import decode, encode
from pipeline.documents.document import Raster, Reading
from pipeline.geometry.strip import Box
from pipeline.sandbox.child import answer
from pipeline.verification.doubtful_numbers import numbers_in_doubt
from pipeline.verification.raster_matching import counterparts
from pipeline.verification.reading import Leftover
from pipeline.verification.remedy import with_leftovers_burned


def read_again(raster: Raster, pixels: bytes) -> Reading:
    return decode(Reading, answer("read_raster_again", {"raster": encode(raster), "threads": 1}, {"pixels": pixels})[0])


def with_burned(
    rasters: Sequence[Raster],
    readings: Sequence[Reading],
    second: Sequence[Raster],
    again: Sequence[Reading],
    left: Iterable[Leftover],
    unread: Mapping[str, Sequence[Box]] | None = None,
) -> tuple[Reading, ...]:
    """As `with_leftovers_burned`, of rasters that are matched."""
    matches = counterparts(rasters, second, (*readings, *again))
    return with_leftovers_burned(matches, readings, second, again, left, unread or {})


def in_doubt(
    rasters: Sequence[Raster], readings: Sequence[Reading], second: Sequence[Raster], again: Sequence[Reading]
) -> dict[str, list[Box]]:
    """As `numbers_in_doubt`, of rasters that are matched."""
    return numbers_in_doubt(counterparts(rasters, second, (*readings, *again)), readings, second, again)
