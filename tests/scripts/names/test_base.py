"""The reader of the base model's file, on a small one."""

import struct
from pathlib import Path

import numpy as np
import pytest

from scripts.names.base import dequantized, read


def small_file() -> bytes:
    """Two pieces, one f32 tensor and the word embeddings of 32 values each."""
    header = b"E5S1" + struct.pack("<I", 1) + struct.pack("<7i", 32, 1, 1, 1, 2, 1, 1) + struct.pack("<fi", 1e-12, 32)
    names = [b"<s>", "\u2581a".encode()]
    offsets = np.cumsum([0, *map(len, names)])
    blob = b"".join(names)
    tokenizer = struct.pack("<5i", 2, 0, 0, 0, 0) + struct.pack("<Q", len(blob)) + offsets.astype("<u4").tobytes()
    tokenizer += np.array([0.0, -1.5], "<f4").tobytes() + blob + struct.pack("<iI", 0, 0)
    values = np.array([1.0, 2.0], "<f4").tobytes()
    blocks = b"".join(struct.pack("<e", scale) + bytes(range(16)) for scale in (1.0, 0.5))
    rows = b""
    at = len(header) + len(tokenizer) + 4 + sum(2 + len(name) + 21 for name in (b"emb.pos", b"emb.word"))
    for name, dtype, count, data in ((b"emb.pos", 0, 2, values), (b"emb.word", 1, 64, blocks)):
        rows += struct.pack("<H", len(name)) + name + struct.pack("<BIQQ", dtype, count, at, len(data))
        at += len(data)
    return header + tokenizer + struct.pack("<i", 2) + rows + values + blocks


def test_pieces_scores_and_tensors(tmp_path: Path) -> None:
    path = tmp_path / "base.bin"
    path.write_bytes(small_file())
    base = read(path)
    assert base.pieces == ["<s>", "\u2581a"] and base.scores.tolist() == [0.0, -1.5]
    assert base.tensors["emb.pos"].tolist() == [1.0, 2.0]
    values = dequantized(base.embedding_scales, base.embedding_weights)
    assert values.shape == (2, 1, 32)
    assert values[0, 0, :16].tolist() == [float(n - 8) for n in range(16)]  # the low nibbles of 0 to 15
    assert values[1, 0, 16:].tolist() == [-4.0] * 16  # the high nibbles, all 0


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(ValueError, match="not a model file"):
        read(path)
