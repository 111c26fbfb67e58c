"""Objects that were changed at random: what opens is what was sealed, as it was; all else is refused."""

from collections.abc import Callable
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.encryption import Keyring, SealBroken
from storage.objects import sealed
from storage.objects.sealed import SealedStore
from storage.objects.store import ObjectStore
from tests.storage.objects.memory import MemoryStore

CHUNK = 32  # bytes; the code's own size would only make the changes rarer
HEADER, SEALED_CHUNK = 4 + 2 + 89, CHUNK + 16
KEY = "jobs/a/input"
Segments = list[bytes]  # header, then chunks
Change = Callable[[Segments, Segments], Segments]
place = st.integers(0, 7)
SIZES = [chunks * CHUNK + rest for chunks in range(6) for rest in (0, 1, CHUNK - 1)]


@pytest.fixture(autouse=True, scope="module")
def small_chunks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealed, "CHUNK_BYTES", CHUNK)
        yield


def segments(raw: bytes) -> Segments:
    return [raw[:HEADER], *(raw[start : start + SEALED_CHUNK] for start in range(HEADER, len(raw), SEALED_CHUNK))]


def at(found: Segments, number: int) -> int:
    return number % len(found)


def drop(number: int) -> Change:
    return lambda ours, _: [part for index, part in enumerate(ours) if index != at(ours, number)]


def repeat(number: int) -> Change:
    return lambda ours, _: [*ours[: at(ours, number) + 1], *ours[at(ours, number) :]]


def swap(first: int, second: int) -> Change:
    def swapped(ours: Segments, _: Segments) -> Segments:
        one, other = at(ours, first), at(ours, second)
        found = list(ours)
        found[one], found[other] = ours[other], ours[one]
        return found

    return swapped


def graft(number: int) -> Change:
    """The part of the other object in the same place."""
    return lambda ours, other: [
        other[index] if index == at(ours, number) and index < len(other) else part for index, part in enumerate(ours)
    ]


def splice(number: int) -> Change:
    """The beginning of ours and the end of the other."""
    return lambda ours, other: [*ours[: at(ours, number)], *other[at(ours, number) :]]


def reorder(order: list[int]) -> Change:
    return lambda ours, _: [ours[0], *(part for _, part in sorted(zip(order, ours[1:], strict=False)))]


def flip(number: int, bit: int) -> Change:
    def flipped(ours: Segments, _: Segments) -> Segments:
        raw = bytearray(b"".join(ours))
        if raw:
            raw[number % len(raw)] ^= 1 << bit
        return segments(bytes(raw))

    return flipped


def cut(length: int) -> Change:
    return lambda ours, _: segments(b"".join(ours)[:length])


def extend(data: bytes) -> Change:
    return lambda ours, _: segments(b"".join(ours) + data)


CHANGES = st.one_of(
    st.builds(drop, place),
    st.builds(repeat, place),
    st.builds(swap, place, place),
    st.builds(graft, place),
    st.builds(splice, place),
    st.builds(reorder, st.permutations(range(8))),
    st.builds(flip, st.integers(0, 600), st.integers(0, 7)),
    st.builds(cut, st.integers(0, 600)),
    st.builds(extend, st.binary(min_size=1, max_size=2 * SEALED_CHUNK)),
)
# Sizes are drawn, not bytes: random bytes are mostly short, and changes of chunks need several of them.
CONTENT = st.builds(lambda size, fill: bytes([fill]) * size, st.sampled_from(SIZES), st.integers(0, 255))


def opened(store: SealedStore) -> tuple[bytes, bool]:
    """What was handed out, and whether to its end."""
    found = b""
    try:
        for piece in store.read(KEY):
            found += piece
    except SealBroken:
        return found, False
    return found, True


@pytest.mark.parametrize("other_key", ["jobs/b/input", KEY])
@settings(max_examples=500, deadline=None)
@given(ours=CONTENT, other=CONTENT, changes=st.lists(CHANGES, min_size=1, max_size=3))
def test_what_opens_is_what_was_sealed_and_nothing_else(
    other_key: str, ours: bytes, other: bytes, changes: list[Change]
) -> None:
    """The other object is in another place, or an earlier one in this place."""
    bare = MemoryStore()
    store = SealedStore(cast("ObjectStore", bare), Keyring(bytes(32)))
    store.put(other_key, other)
    raw_other = bare.objects[other_key]
    store.put(KEY, ours)
    raw = bare.objects[KEY]
    changed = segments(raw)
    for change in changes:
        changed = change(changed or [b""], segments(raw_other))
    bare.objects[KEY] = b"".join(changed)
    # A whole earlier object of the same place opens: who may write to the store can put it back.
    whole = {raw: ours} | ({raw_other: other} if other_key == KEY else {})
    found, is_whole = opened(store)
    if bare.objects[KEY] in whole:
        assert (found, is_whole) == (whole[bare.objects[KEY]], True)
    else:
        assert not is_whole
        assert any(plaintext.startswith(found) for plaintext in whole.values())


@settings(max_examples=100, deadline=None)
@given(raw=st.binary(max_size=300), head=st.sampled_from([b"", b"MSK1", b"MSK1\x00\x59", b"MSK1\x00\x00"]))
def test_what_was_never_sealed_is_refused(head: bytes, raw: bytes) -> None:
    bare = MemoryStore()
    bare.objects[KEY] = head + raw
    assert opened(SealedStore(cast("ObjectStore", bare), Keyring(bytes(32)))) == (b"", False)
