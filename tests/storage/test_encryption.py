"""The keyring: boxes open for their own context and under known keys alone, also after a rotation."""

import base64
import multiprocessing
import secrets
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.encryption import MASTER_KEY_FILE, Keyring, MasterKeyInvalid, SealBroken, load_keyring

MASTER = bytes(range(32))
RING = Keyring(MASTER)


@given(st.binary(max_size=300), st.text(max_size=40))
def test_a_box_gives_back_what_was_put_in(plaintext: bytes, context: str) -> None:
    assert RING.open(RING.seal(plaintext, context), context) == plaintext


@given(st.binary(max_size=60), st.data())
def test_a_box_with_one_bit_changed_does_not_open(plaintext: bytes, data: st.DataObject) -> None:
    box = bytearray(RING.seal(plaintext, "x"))
    bit = data.draw(st.integers(0, len(box) * 8 - 1))
    box[bit // 8] ^= 1 << bit % 8
    with pytest.raises(SealBroken):
        RING.open(bytes(box), "x")


@given(st.binary(max_size=60), st.data())
def test_a_cut_or_extended_box_does_not_open(plaintext: bytes, data: st.DataObject) -> None:
    box = RING.seal(plaintext, "x")
    with pytest.raises(SealBroken):
        RING.open(box[: data.draw(st.integers(0, len(box) - 1))], "x")
    with pytest.raises(SealBroken):
        RING.open(box + data.draw(st.binary(min_size=1, max_size=9)), "x")


def test_a_box_opens_only_where_it_was_made_for() -> None:
    with pytest.raises(SealBroken):
        RING.open(RING.seal(b"name", "job:1:filename"), "job:2:filename")
    with pytest.raises(SealBroken):
        RING.open(RING.wrap(b"key", "jobs/1"), "jobs/1")


def test_equal_values_have_different_boxes() -> None:
    assert RING.seal(b"same", "x") != RING.seal(b"same", "x")


def test_after_a_rotation_old_boxes_open_and_new_ones_are_the_new_keys() -> None:
    rotated = Keyring(secrets.token_bytes(32), [MASTER])
    assert rotated.open(RING.seal(b"old", "x"), "x") == b"old"
    assert rotated.unwrap(RING.wrap(b"k" * 32, "x"), "x") == b"k" * 32
    with pytest.raises(SealBroken):
        RING.open(rotated.seal(b"new", "x"), "x")


def test_a_key_that_was_dropped_opens_nothing() -> None:
    with pytest.raises(SealBroken):
        Keyring(secrets.token_bytes(32)).open(RING.seal(b"old", "x"), "x")


@pytest.mark.parametrize("keys", [(b"short",), (MASTER, b"short")])
def test_a_key_of_another_length_is_refused(keys: tuple[bytes, ...]) -> None:
    with pytest.raises(ValueError):
        Keyring(keys[0], keys[1:])


def test_the_embedded_key_is_made_once_and_is_private(tmp_path: Path) -> None:
    box = load_keyring(tmp_path / "data", None).seal(b"x", "c")
    path = tmp_path / "data" / MASTER_KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_keyring(tmp_path / "data", None).open(box, "c") == b"x"
    assert [entry.name for entry in path.parent.iterdir()] == [MASTER_KEY_FILE]


def test_a_given_key_makes_no_file(tmp_path: Path) -> None:
    load_keyring(tmp_path / "data", MASTER)
    assert not (tmp_path / "data").exists()


def test_a_previous_key_may_be_the_file_of_the_embedded_mode(tmp_path: Path) -> None:
    box = load_keyring(tmp_path, None).seal(b"x", "c")
    previous = base64.b64decode((tmp_path / MASTER_KEY_FILE).read_bytes())
    assert load_keyring(tmp_path, MASTER, [previous]).open(box, "c") == b"x"


@pytest.mark.parametrize("content", [b"", b"not base64!", base64.b64encode(b"short")])
def test_a_damaged_key_file_is_named_and_not_shown(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MASTER_KEY_FILE).write_bytes(content)
    with pytest.raises(MasterKeyInvalid) as refusal:
        load_keyring(tmp_path, None)
    assert MASTER_KEY_FILE in str(refusal.value)
    assert not content or content.decode() not in str(refusal.value)
    assert (tmp_path / MASTER_KEY_FILE).read_bytes() == content


def _seal_in_process(
    data_dir: str, barrier: "multiprocessing.synchronize.Barrier", boxes: "multiprocessing.Queue[bytes]"
) -> None:
    barrier.wait()
    boxes.put(load_keyring(Path(data_dir), None).seal(b"x", "c"))


def test_processes_that_start_together_share_one_key(tmp_path: Path) -> None:
    forked = multiprocessing.get_context("fork")
    barrier, boxes = forked.Barrier(6), forked.Queue()
    processes = [
        forked.Process(target=_seal_in_process, args=(str(tmp_path / "data"), barrier, boxes)) for _ in range(6)
    ]
    for process in processes:
        process.start()
    sealed = [boxes.get(timeout=20) for _ in processes]
    for process in processes:
        process.join()
    ring = load_keyring(tmp_path / "data", None)
    assert [ring.open(box, "c") for box in sealed] == [b"x"] * 6
