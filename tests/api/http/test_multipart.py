"""The streamed form: however its bytes are cut, the same parts come out."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.types import Message

from api.http.errors import Invalid
from api.http.multipart import PartBegin, PartData, events
from tests.api.forms import BOUNDARY, FORM_TYPE, Part, file_part, form

DATA = st.one_of(
    st.binary(max_size=200),
    st.lists(st.sampled_from([b"\r\n", b"--", BOUNDARY.encode(), b"\r", b"-", b"x"]), max_size=12).map(b"".join),
).filter(lambda data: b"--" + BOUNDARY.encode() not in data)


def parsed(pieces: list[bytes]) -> list[tuple[PartBegin, bytes]]:
    """Every part of a form that arrives in these pieces."""
    messages = iter([*({"type": "http.request", "body": piece, "more_body": True} for piece in pieces), None])

    async def receive() -> Message:
        return next(messages) or {"type": "http.request", "body": b"", "more_body": False}

    async def collect() -> list[tuple[PartBegin, bytes]]:
        request = Request({"type": "http", "headers": [(b"content-type", FORM_TYPE.encode())]}, receive)
        parts: list[tuple[PartBegin, bytes]] = []
        async for event in events(request, 100_000):
            if isinstance(event, PartBegin):
                parts.append((event, b""))
            elif isinstance(event, PartData):
                parts[-1] = (parts[-1][0], parts[-1][1] + event.data)
        return parts

    return asyncio.run(collect())


@given(st.lists(DATA, min_size=1, max_size=4), st.integers(1, 40))
def test_parts_survive_any_cut(contents: list[bytes], size: int) -> None:
    body = form(*(file_part(data, f"{number}.csv") for number, data in enumerate(contents)))
    parts = parsed([body[start : start + size] for start in range(0, len(body), size)])
    assert [data for _, data in parts] == contents
    assert [part.filename for part, _ in parts] == [f"{number}.csv" for number in range(len(contents))]


@given(st.binary(max_size=300))
def test_garbage_is_refused_or_empty_and_never_breaks(body: bytes) -> None:
    try:
        assert parsed([body]) == []
    except Invalid as refused:
        assert refused.status == 422


@pytest.mark.parametrize(
    ("parameters", "filename"),
    [
        ('name="file"; filename="a\\"b.csv"', 'a"b.csv'),
        ("name=\"file\"; filename*=UTF-8''%D8%B1%D8%A7%D8%AA%D8%A8.csv", "راتب.csv"),
        ("name=\"file\"; filename*=iso-8859-1'en'%E9.csv", "é.csv"),
        ('name="file"; filename="plain.csv"; filename*=UTF-8\'\'%C3%A9.csv', "plain.csv"),
        ('name="file"; more="; filename*=UTF-8\'\'b"', None),
        ('name="file"; filename="رواتب.csv"', "رواتب.csv"),
        ('name="file"; filename="../../etc/passwd"', "../../etc/passwd"),
        ('name="file"; filename=plain.csv', "plain.csv"),
        ('name="file"; filename="a;b.csv"', "a;b.csv"),
        ('name="file"', None),
        ('name="file"; filename=""', ""),
    ],
)
def test_file_names(parameters: str, filename: str | None) -> None:
    ((part, _),) = parsed([form(Part(parameters, "text/csv", b"x"))])
    assert part == PartBegin("file", filename, "text/csv")
