"""Trains one recognizer on lines that other processes draw as they are needed.

Usage: python -m scripts.scans.train recurrent|convolutional --texts FILE --out FOLDER [--lines N] [--seed N]
[--rate RATE] [--drawers N] [--start WEIGHTS]

It trains on a GPU where PyTorch finds one, else on one core. Sums on a GPU have no fixed order: weights differ in bits.
"""

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from pipeline.ocr.engines import line_recognizer as first
from pipeline.verification import number_recognizer as second
from scripts.scans import texts
from scripts.scans.drawing import Mark, numbers_only
from scripts.scans.lines import line
from scripts.scans.networks import NETWORKS, STRIDE

PREPARED = {"recurrent": first.prepared, "convolutional": second.prepared}
_BATCHES = {"cpu": 32, "cuda": 256}  # lines of a batch
# Batches drawn at once: each gets lines of like widths.
_DRAWN = 16
_DAMAGED = 0.75
_IGNORED = -100
_WIDEST = 1500
# Pictures of a batch are as wide as a multiple of this.
_WIDTHS = 64
_MEAN = 0.998  # of the weights so far, that the mean keeps at each step


class Example(NamedTuple):
    """A prepared line (height, width) of ink from 0 to 255, its classes, and those of columns where they are plain."""

    picture: NDArray[np.uint8]
    classes: list[int]
    columns: NDArray[np.int64]


class Batch(NamedTuple):
    """Pictures (lines, height, width) with paper to the right of the shorter; classes one line after another."""

    pictures: Tensor
    columns: Tensor
    lengths: Tensor
    classes: Tensor
    counts: Tensor


def example(image: NDArray[np.uint8], marks: Sequence[Mark], kind: str) -> Example | None:
    """What a network learns from a line. None where its columns are too few for its characters, or too many."""
    names = NETWORKS[kind].CLASSES
    picture = PREPARED[kind](image)
    scale = picture.shape[1] / image.shape[1] / STRIDE
    count = picture.shape[1] // STRIDE
    classes = [names.index(mark.text) for mark in marks]
    repeats = sum(before == after for before, after in pairwise(classes))
    if len(classes) + repeats > count or picture.shape[1] > _WIDEST:
        return None
    return Example(np.rint(picture * 255).astype(np.uint8), classes, _columns(marks, classes, scale, count))


def _columns(marks: Sequence[Mark], classes: list[int], scale: float, count: int) -> NDArray[np.int64]:
    """The class at the middle of each character, blank half-way between two and far from all.

    Of characters whose places are guessed, nothing is known between their neighbours.
    """
    columns = np.zeros(count, np.int64)
    places = [min(count - 1, max(0, int(mark.middle * scale))) for mark in marks]
    for place in places:
        columns[max(0, place - 1) : place + 2] = _IGNORED
    for before, after in pairwise(places):
        columns[(before + after) // 2] = 0
    for place, number in zip(places, classes, strict=True):
        columns[place] = number
    for exact, run in groupby(range(len(marks)), key=lambda n: marks[n].exact):
        if not exact:
            own = list(run)
            left = places[own[0] - 1] + 1 if own[0] else 0
            columns[left : places[own[-1] + 1] if own[-1] + 1 < len(marks) else count] = _IGNORED
    return columns


def loss_of(scores: Tensor, batch: Batch, share: float) -> Tensor:
    """CTC, and the cross-entropy of the plain columns by a share. `scores`: (lines, columns, classes)."""
    logs = scores.float().log_softmax(-1)
    ctc = functional.ctc_loss(logs.transpose(0, 1), batch.classes, batch.lengths, batch.counts, zero_infinity=True)
    plain = functional.cross_entropy(logs.flatten(0, 1), batch.columns.flatten(), ignore_index=_IGNORED)
    return ctc + share * plain


def padded(examples: Sequence[Example]) -> Batch:
    """Examples as a batch."""
    # few widths: the layers are compiled anew for each
    width = -(-max(len(one.columns) for one in examples) * STRIDE // _WIDTHS) * _WIDTHS
    pictures = np.zeros((len(examples), examples[0].picture.shape[0], width), np.uint8)
    columns = np.full((len(examples), width // STRIDE), _IGNORED)
    for row, one in enumerate(examples):
        used = len(one.columns)
        pictures[row, :, : used * STRIDE] = one.picture[:, : used * STRIDE]
        columns[row, :used] = one.columns
    return Batch(
        torch.from_numpy(pictures),
        torch.from_numpy(columns),
        torch.tensor([len(one.columns) for one in examples]),
        torch.tensor([number for one in examples for number in one.classes]),
        torch.tensor([len(one.classes) for one in examples]),
    )


class Drawing(IterableDataset[Batch]):
    """Batches without end; each process that draws has a seed of its own."""

    def __init__(self, kind: str, sentences: Path, seed: int, size: int) -> None:
        self._kind, self._sentences, self._seed, self._size = kind, sentences, seed, size

    def __iter__(self) -> Iterator[Batch]:
        cv2.setNumThreads(1)
        worker = get_worker_info()
        draw = random.Random(f"{self._seed} {worker.id if worker else 0}")
        sentences = texts.read(self._sentences)
        while True:
            examples: list[Example] = []
            while len(examples) < self._size * _DRAWN:
                made = line(draw, "train", draw.random() < _DAMAGED, sentences)
                marks = numbers_only(made.marks) if self._kind == "convolutional" else made.marks
                one = example(made.image, marks, self._kind)
                if one is not None:
                    examples.append(one)
            examples.sort(key=lambda one: len(one.columns))
            batches = [examples[at : at + self._size] for at in range(0, len(examples), self._size)]
            draw.shuffle(batches)
            yield from map(padded, batches)


class Options(NamedTuple):
    """Of one pass. `rate` is the highest of learning; `start`: weights to go on from."""

    kind: str
    texts: Path
    out: Path
    lines: int
    seed: int
    rate: float
    drawers: int
    start: Path | None


def train(options: Options) -> None:
    """Train from the start or from weights. Writes the mean of the latest weights now and then, and at the end."""
    torch.manual_seed(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    size = _BATCHES[device]
    network = NETWORKS[options.kind]().to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    if options.start is not None:
        network.load_state_dict(torch.load(options.start, map_location=device, weights_only=True))
    mean = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(_MEAN), use_buffers=True
    )
    steps = options.lines // size
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.rate, weight_decay=0.01)
    begun = time.monotonic()
    shown = torch.zeros((), device=device)
    drawing = Drawing(options.kind, options.texts, options.seed, size)
    drawn = DataLoader(
        drawing, batch_size=None, num_workers=options.drawers, pin_memory=device == "cuda",
        prefetch_factor=2 * _DRAWN if options.drawers else None,
    )  # fmt: skip
    for step, batch in zip(range(1, steps + 1), drawn, strict=False):
        done = step / steps
        rate = options.rate * min(1.0, step / 200 + 0.02) * (0.02 + 0.98 * (1 + math.cos(math.pi * done)) / 2)
        for group in optimizer.param_groups:
            group["lr"] = rate
        moved = Batch(*(part.to(device, non_blocking=True) for part in batch))
        pictures = (moved.pictures.unsqueeze(1).float() / 255).contiguous(memory_format=torch.channels_last)
        with torch.autocast(device, dtype=torch.bfloat16):
            scores = network(pictures)
        loss = loss_of(scores, moved, 1.0 if options.start is None and done < 0.3 else 0.3)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimizer.step()
        mean.update_parameters(network)
        shown += loss.detach()
        if step % 100 == 0:
            seconds = time.monotonic() - begun
            print(f"{step * size} lines, loss {float(shown) / 100:.4f}, {seconds:.0f} s", flush=True)
            shown.zero_()
        if step % 500 == 0 or step == steps:
            torch.save(mean.module.state_dict(), options.out / "weights.pt")


def main() -> None:
    """Train one network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=NETWORKS)
    parser.add_argument("--texts", type=Path, required=True, help="sentences (scripts.scans.texts)")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-3, help="of learning, at most")
    parser.add_argument("--drawers", type=int, default=1, help="processes that draw")
    parser.add_argument("--start", type=Path, help="weights to go on from")
    options = Options(**vars(parser.parse_args()))
    torch.set_num_threads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    train(options)


if __name__ == "__main__":
    main()
