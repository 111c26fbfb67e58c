"""What hides in pictures beside the pixels does not come out, and the second reading alone would notice if it did."""

import io

import pytest
from PIL import Image

from pipeline.documents.document import Extraction, Findings, Reading
from pipeline.documents.image import handler as image
from pipeline.verification.image import reader as second
from schemas.errors import StageFailed
from tests.hiding_places.image import metadata, tiff
from tests.hiding_places.image.making import ImagePlace
from tests.hiding_places.proof import inspection

PLACES = (*metadata.PLACES, *tiff.PLACES)
# What only looks like part of the picture: the second reading takes a palette and a resolution for what they are.
_PART_OF_THE_PICTURE = {
    "png unused palette entries",
    "png after the compressed pixels",
    "png resolution that is a number",
    "tiff unused colours",
    "tiff fourth sample",
    "tiff resolution that is a number",
    "tiff slack of a strip",
}


def traces(place: ImagePlace, data: bytes) -> list[str]:
    """Where planted values can still be read."""
    found = [trace for value in place.planted for trace in inspection.traces(data, value)]
    if place.look is not None:
        said = inspection.plain(place.look(data))
        found += [f"{value} by a closer look" for value in place.planted if inspection.plain(value) in said]
    return found


def unread(extraction: Extraction) -> tuple[Reading, ...]:
    """Readings of pictures in which there is nothing to read."""
    return tuple(Reading(raster.id, "", ()) for raster in extraction.rasters)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_nothing_beside_the_pixels_comes_out(place: ImagePlace) -> None:
    data = place.build()
    assert traces(place, data), "the looks do not see what was planted"
    extraction, _ = image.extract(data)
    output = image.redact(data, Findings(()), unread(extraction))
    assert traces(place, output) == []
    reading, _ = second.read(output)
    assert reading.texts == () and reading.readers[0].startswith("Pillow ")
    assert same_picture(data, output)


def same_picture(data: bytes, output: bytes) -> bool:
    """Whether both have the same frames, sides and modes, and look alike."""
    with Image.open(io.BytesIO(data)) as before, Image.open(io.BytesIO(output)) as after:
        frames = getattr(after, "n_frames", 1)
        hidden = bool(before.info.get("default_image"))
        if getattr(before, "n_frames", 1) - hidden != frames:
            return False
        for number in range(frames):
            before.seek(number + hidden)
            after.seek(number)
            if (before.size, before.mode) != (after.size, after.mode):
                return False
    return True


@pytest.mark.parametrize("place", [place for place in PLACES if place.name not in _PART_OF_THE_PICTURE], ids=str)
def test_the_second_reading_notices_what_was_left(place: ImagePlace) -> None:
    """Redaction switched off: the file comes as it is."""
    try:
        reading, _ = second.read(place.build())
    except StageFailed:
        return  # refused
    said = "\n".join(passage.text for passage in reading.texts).encode()
    assert all(inspection.traces(said, value) for value in place.planted)


def test_there_are_many_places() -> None:
    assert len({place.name for place in PLACES}) == len(PLACES) >= 55
