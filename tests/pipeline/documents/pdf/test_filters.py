"""Pictures in a PDF whose list of filters is empty are sanitized like any other."""

import io

import pikepdf

from pipeline.documents.pdf.sanitize.rewrite import sanitized


def test_a_picture_with_an_empty_list_of_filters() -> None:
    document = pikepdf.new()
    page = document.add_blank_page()
    picture = document.make_stream(
        bytes(12), Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Image, Width=2, Height=2, BitsPerComponent=8,
        ColorSpace=pikepdf.Name.DeviceRGB, Filter=pikepdf.Array(),
    )  # fmt: skip
    page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Im0=picture))
    page.Contents = document.make_stream(b"q 10 0 0 10 0 0 cm /Im0 Do Q")
    stream = io.BytesIO()
    document.save(stream, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    assert b"/Filter [ ]" in stream.getvalue()
    with pikepdf.open(io.BytesIO(sanitized(stream.getvalue()))) as clean:
        assert "/Im0" in clean.pages[0].Resources.XObject
