"""Trains one recognizer on lines that are drawn as they are needed; the same seed and machine give the same weights.

Usage: python -m scripts.scans.train recurrent|convolutional --out FOLDER [--lines N] [--seed N] [--rate RATE]
[--start WEIGHTS]
"""

import argparse
import math
import random
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from pipeline.ocr.engines import number_recognizer as first
from pipeline.verification import number_recognizer as second
from scripts.scans.drawing import Mark
from scripts.scans.lines import Line, line
from scripts.scans.networks import CLASSES, NETWORKS, STRIDE

PREPARED = {"recurrent": first.prepared, "convolutional": second.prepared}
_BATCH = 32
# Lines drawn at once, of which those of like widths make a batch.
_DRAWN = 512
_DAMAGED = 0.75
_IGNORED = -100
_WIDEST = 1200
# Pictures of a batch are as wide as a multiple of this.
_WIDTHS = 64


class Example(NamedTuple):
    """A prepared line (height, width), its classes, and the class of each column where it is plain."""

    picture: NDArray[np.float32]
    classes: list[int]
    columns: NDArray[np.int64]


def example(made: Line, kind: str) -> Example | None:
    """What a network learns from a line. None where its columns are too few for its characters, or too many."""
    picture = PREPARED[kind](made.image)
    scale = picture.shape[1] / made.image.shape[1] / STRIDE
    count = picture.shape[1] // STRIDE
    classes = [CLASSES.index(mark.text) for mark in made.marks]
    repeats = sum(before == after for before, after in pairwise(classes))
    if len(classes) + repeats > count or picture.shape[1] > _WIDEST:
        return None
    return Example(picture, classes, _columns(made.marks, classes, scale, count))


def _columns(marks: Sequence[Mark], classes: list[int], scale: float, count: int) -> NDArray[np.int64]:
    """The class at the middle of each character, blank half-way between two and far from all."""
    columns = np.zeros(count, np.int64)
    places = [min(count - 1, max(0, int(mark.middle * scale))) for mark in marks]
    for place in places:
        columns[max(0, place - 1) : place + 2] = _IGNORED
    for before, after in pairwise(places):
        columns[(before + after) // 2] = 0
    for place, number in zip(places, classes, strict=True):
        columns[place] = number
    return columns


def loss_of(scores: Tensor, examples: Sequence[Example], share: float) -> Tensor:
    """CTC, and the cross-entropy of the plain columns by a share. `scores`: (lines, columns, classes)."""
    logs = scores.float().log_softmax(-1)
    lengths = torch.tensor([len(one.columns) for one in examples])
    targets = torch.tensor([number for one in examples for number in one.classes])
    target_lengths = torch.tensor([len(one.classes) for one in examples])
    ctc = functional.ctc_loss(logs.transpose(0, 1), targets, lengths, target_lengths, zero_infinity=True)
    columns = torch.full(logs.shape[:2], _IGNORED)
    for row, one in enumerate(examples):
        columns[row, : len(one.columns)] = torch.from_numpy(one.columns)
    plain = functional.cross_entropy(logs.flatten(0, 1), columns.flatten(), ignore_index=_IGNORED)
    return ctc + share * plain


def padded(examples: Sequence[Example]) -> Tensor:
    """Pictures (lines, 1, height, width) with paper to the right of the shorter."""
    # few widths: the layers are compiled anew for each
    width = -(-max(len(one.columns) for one in examples) * STRIDE // _WIDTHS) * _WIDTHS
    batch = np.zeros((len(examples), 1, examples[0].picture.shape[0], width), np.float32)
    for row, one in enumerate(examples):
        used = len(one.columns) * STRIDE
        batch[row, 0, :, :used] = one.picture[:, :used]
    return torch.from_numpy(batch).contiguous(memory_format=torch.channels_last)


def _batches(draw: random.Random, kind: str) -> list[list[Example]]:
    examples: list[Example] = []
    while len(examples) < _DRAWN:
        one = example(line(draw, "train", draw.random() < _DAMAGED), kind)
        if one is not None:
            examples.append(one)
    examples.sort(key=lambda one: len(one.columns))
    batches = [examples[at : at + _BATCH] for at in range(0, _DRAWN, _BATCH)]
    draw.shuffle(batches)
    return batches


def train(kind: str, out: Path, lines: int, seed: int, start: Path | None, most: float) -> None:
    """Train from the start or from weights, at a rate of at most `most`.

    Writes the mean of the latest weights after every 20,000 lines and at the end.
    """
    torch.manual_seed(seed)
    draw = random.Random(seed)
    network = NETWORKS[kind]().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if start is not None:
        network.load_state_dict(torch.load(start, weights_only=True))
    mean = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.995), use_buffers=True
    )
    steps = lines // _BATCH
    optimizer = torch.optim.AdamW(network.parameters(), lr=most, weight_decay=0.01)
    begun, seen, step = time.monotonic(), 0, 0
    shown: list[float] = []
    while step < steps:
        for batch in _batches(draw, kind):
            done = step / steps
            rate = most * min(1.0, step / 200 + 0.02) * (0.02 + 0.98 * (1 + math.cos(math.pi * min(1.0, done))) / 2)
            for group in optimizer.param_groups:
                group["lr"] = rate
            with torch.autocast("cpu", dtype=torch.bfloat16):
                scores = network(padded(batch))
            loss = loss_of(scores, batch, 1.0 if start is None and done < 0.3 else 0.3)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
            optimizer.step()
            mean.update_parameters(network)
            shown.append(loss.item())
            step += 1
            seen += len(batch)
            if step % 100 == 0:
                print(f"{seen} lines, loss {sum(shown) / len(shown):.4f}, {time.monotonic() - begun:.0f} s", flush=True)
                shown.clear()
            if step % 625 == 0 or step == steps:
                torch.save(mean.module.state_dict(), out / "weights.pt")
            if step == steps:
                break


def main() -> None:
    """Train one network on one core."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=NETWORKS)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--rate", type=float, default=2e-3, help="of learning, at most")
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    train(options.kind, options.out, options.lines, options.seed, options.start, options.rate)


if __name__ == "__main__":
    main()
