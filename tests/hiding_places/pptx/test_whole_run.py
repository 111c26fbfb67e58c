"""Presentations through the whole job, what it costs, what is taken out of them, and what is refused."""

import io
import re
import zipfile

import pptx as powerpoint
import pytest

from pipeline.documents.document import Findings, Unread
from pipeline.documents.pptx import handler as pptx
from schemas.errors import ErrorCode, StageFailed
from schemas.files import Format, JobState
from tests.hiding_places.office_build import ID, KEPT, KEPT_ARABIC, MAIL, NAME, PHONE, SLIDEML, Part
from tests.hiding_places.pptx.places import (
    MAIN,
    PLACES,
    Deck,
    frame,
    notes,
    on_slide,
    para,
    picture,
    presentation,
    shape,
)
from tests.hiding_places.proof.inspection import said, traces
from tests.workers.workshop import Workshop

_OLE = "http://schemas.openxmlformats.org/presentationml/2006/ole"


def built(name: str) -> bytes:
    return next(place for place in PLACES if place.name == name).build()


def cleaned(data: bytes) -> bytes:
    return pptx.redact(data, Findings(()), ())


def test_a_presentation_is_billed_by_slide_and_by_the_words_of_slides_and_notes(workshop: Workshop) -> None:
    deck = Deck(
        shape(para(f"Mobile: {PHONE}")),
        parts=(notes(shape(para(f"Write to {MAIL} soon"))),),
        master=shape(para(f"Master of {NAME}")),
        layout=shape(para("Click to edit")),
        name=NAME,
    )
    job_id = workshop.upload(presentation(deck), Format.PPTX, filename="plan.pptx")
    workshop.run()
    job, output = workshop.job(job_id), workshop.result(job_id)
    assert (job.state, job.error_code) == (JobState.READY, None)
    words = f"{KEPT} Mobile: {PHONE} {KEPT_ARABIC} End Write to {MAIL} soon".split()
    assert (job.page_count, job.word_count) == (2, len(words))
    assert [entry.free_tokens for entry in workshop.entries()] == [-(len(words) + 2 * 10), 0]
    assert not [value for value in (PHONE, MAIL, NAME) if traces(output, value)]
    slides = powerpoint.Presentation(io.BytesIO(output)).slides
    texts = [box.text_frame.text for box in slides[0].shapes]
    assert texts == [KEPT, "Mobile: PHONE_01", KEPT_ARABIC]


def test_slides_are_read_in_the_order_in_which_they_are_shown() -> None:
    data = presentation(Deck(shape(para("middle")), parts=(notes(shape(para("said"))),)))
    billed = [unit.text for unit in pptx.extract(data)[0].units if unit.billed]
    assert billed == [KEPT, "middle", KEPT_ARABIC, "End", "said"]


def test_hidden_slides_count_and_unlisted_ones_do_not() -> None:
    assert pptx.inspect(built("a hidden slide")) == 2
    assert pptx.inspect(built("a slide that is not listed")) == 2


@pytest.mark.parametrize(
    "main",
    [
        "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml",
        f"{SLIDEML}.slideshow.main+xml",
        f"{SLIDEML}.template.main+xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    ],
)
def test_other_kinds_of_presentations_are_refused(main: str) -> None:
    data = presentation(Deck(parts=(Part(MAIN, "<p/>", "x", main),)))
    with pytest.raises(StageFailed) as failure:
        pptx.extract(data)
    assert failure.value.code == ErrorCode.UNSUPPORTED_FORMAT


def test_an_embedded_object_leaves_the_picture_that_stands_for_it() -> None:
    shown = picture('r:embed="rIdP"')
    deck = Deck(
        frame(f'<p:oleObj name="x" r:id="rIdB" progId="Package"><p:embed/>{shown}</p:oleObj>', _OLE),
        parts=(
            on_slide("ppt/embeddings/oleObject1.bin", ID, "oleObject"),
            on_slide("ppt/media/image1.emf", "nothing", "image", id_="rIdP"),
        ),
    )
    output = cleaned(presentation(deck))
    slide = powerpoint.Presentation(io.BytesIO(output)).slides[0]
    assert [type(item).__name__ for item in slide.shapes] == ["Shape", "Picture", "Shape"]
    assert dict(pptx.extract(presentation(deck))[0].unread) == {Unread.ATTACHMENT: 1, Unread.PICTURE: 1}


def test_what_a_program_of_today_alone_can_show_leaves_what_others_show() -> None:
    for name in ("a 3D model", "ink"):
        output = cleaned(built(name))
        assert "seen" in said(Format.PPTX, output)
        assert b"AlternateContent" not in output
        slide = powerpoint.Presentation(io.BytesIO(output)).slides[0]
        assert [box.text_frame.text for box in slide.shapes] == [KEPT, "seen", KEPT_ARABIC]


def test_masters_and_layouts_keep_legal_numbers() -> None:
    main = powerpoint.Presentation(io.BytesIO(cleaned(built("a master")))).part._element
    ids = [int(item.get("id")) for item in main.iter("{*}sldMasterId")]
    assert min(ids) >= 2_147_483_648


def test_comments_keep_legal_moments_and_initials() -> None:
    for name in ("comments and their authors", "threaded comments and their authors"):
        with zipfile.ZipFile(io.BytesIO(cleaned(built(name)))) as archive:
            markup = " ".join(archive.read(part).decode() for part in archive.namelist())
        assert not re.search(r'(dt|created)="(?!1601-01-01T00:00:00")', markup)
        assert re.search(r'(dt|created)="1601', markup)
        assert 'initials="A"' in markup


def test_what_goes_unread_is_told() -> None:
    unread = {place.name: dict(pptx.extract(place.build())[0].unread) for place in PLACES}
    assert unread["an embedded font"] == {Unread.FONT: 1}
    assert unread["a thumbnail"] == {Unread.THUMBNAIL: 1}
    assert unread["a signature"] == {Unread.SIGNATURE: 1}
    assert unread["a sound of a transition"] == {Unread.MEDIA: 1}
    assert unread["what others changed"] == {Unread.HISTORY: 2}
    assert unread["a part that nothing leads to"] == {Unread.PRIVATE: 2}  # and what says where it would lead
    assert unread["a shape"] == {}
