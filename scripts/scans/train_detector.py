"""Trains the text detector of the first reading on parts of pages that scripts.scans.examples wrote.

Usage: python -m scripts.scans.train_detector FOLDER --out FILE [--start FILE] [--parts N] [--seed N] [--rate RATE]

It trains on a GPU where PyTorch finds one, else on all cores. Writes the mean of the latest weights now and then.
"""

import argparse
import math
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import BatchNorm2d, functional
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from pipeline.ocr.engines.text_detector import ink, paper_and_contrast
from scripts.scans import damage, released
from scripts.scans.detector import Detector

_SIDE = 448  # pixels of a part
_BATCH = 8
_MEAN = 0.998  # of the weights so far, that the mean keeps at each step
_MOMENTUM, _FROZEN = 0.02, 0.6  # of statistics of layers; the share of a first pass after which they stay as they are
_LEAST = 0.3  # probability from which on a pixel belongs to a line
_STEEP = 4.0  # how much steeper than probabilities the edges of areas are
_WARM = 150  # steps until the rate is highest
# Shares of parts, where there are some: of documents, of pictures, and of pictures with text that was printed on them.
_SHARES = {"real": 0.22, "picture": 0.25, "printed": 0.22}
_AT_TEXT = 0.7  # share of the parts of these last ones that lie where their text is
_INK = 20  # gray levels
_BLURS = (0.6, 0.25, 0.15)  # shares of blurred parts: a little, more, much
_BLANK = 0.1  # share of parts of which it does not matter what they hold; the others hold ink

Gray = NDArray[np.uint8]


class Page(NamedTuple):
    """A page, and at half of its size the probabilities of text from 0 to 255."""

    image: Gray
    text: Gray
    at_text: float = 0.0


def pages(folder: Path, kind: str) -> list[Page]:
    """The pages of a kind that were written to a folder."""
    found = []
    for path in sorted(folder.glob(f"{kind}-*.page.png")):
        image = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        text = cv2.imread(str(path).replace(".page.", ".map."), cv2.IMREAD_GRAYSCALE)
        found.append(Page(image, text, _AT_TEXT if kind == "printed" else 0.0))
    return found


def part(page: Page, draw: random.Random) -> tuple[Gray, Gray]:
    """A part of a page and its text, turned and scaled, undamaged."""
    scale = math.exp(draw.uniform(-0.45, 0.45))
    kind = draw.random()
    most = 0 if kind < 0.55 else 4 if kind < 0.86 else 20 if kind < 0.93 else 60
    angle = draw.uniform(-most, most)
    angle += draw.choice([90, 180, 270]) if draw.random() < 0.1 else 0
    matrix = np.eye(3)
    for _ in range(1 if draw.random() < _BLANK else 8):
        middle = _middle(page, draw)
        matrix[:2] = cv2.getRotationMatrix2D(middle, angle, scale)
        matrix[:2, 2] += _SIDE / 2 - np.array(middle)
        image = cv2.warpAffine(page.image, matrix[:2], (_SIDE, _SIDE), borderValue=255, flags=cv2.INTER_LINEAR)
        if np.ptp(image) > _INK:
            break
    half = np.diag([0.5, 0.5, 1.0]) @ matrix @ np.diag([2.0, 2.0, 1.0])
    text = cv2.warpAffine(page.text, half[:2], (_SIDE // 2, _SIDE // 2), borderValue=0, flags=cv2.INTER_LINEAR)
    return image, _sharp(text)


def _middle(page: Page, draw: random.Random) -> tuple[float, float]:
    """Where a part lies: anywhere, or around some text."""
    if draw.random() < page.at_text and len(places := np.flatnonzero(page.text > _LEAST * 255)):
        row, column = divmod(int(places[draw.randrange(len(places))]), page.text.shape[1])
        reach = _SIDE / 3
        return 2 * column + draw.uniform(-reach, reach), 2 * row + draw.uniform(-reach, reach)
    height, width = page.image.shape
    return draw.uniform(0, width), draw.uniform(0, height)


def _sharp(text: Gray) -> Gray:
    """Probabilities as areas."""
    return np.clip((text.astype(np.float32) - _LEAST * 255) * _STEEP + 127.5, 0, 255).astype(np.uint8)


def damaged(image: Gray, draw: random.Random) -> Gray:
    """What printing, scanning and photographing do to a part."""
    if draw.random() < 0.25:
        return image
    if draw.random() < 0.1:
        image = damage.strokes(image, draw)
    if draw.random() < 0.2:
        lower = draw.uniform(0.45, 0.9)
        small = cv2.resize(image, None, fx=lower, fy=lower, interpolation=cv2.INTER_AREA)
        image = cv2.resize(small, image.shape[::-1], interpolation=cv2.INTER_LINEAR)
    if draw.random() < 0.45:
        reach = draw.choices([(0.3, 1.4), (1.0, 3.0), (3.0, 7.0)], _BLURS)[0]
        image = cv2.GaussianBlur(image, (0, 0), draw.uniform(*reach))
    kind = draw.random()
    if kind < 0.45:
        image = damage.exposed(image, draw)
    elif kind < 0.6:
        image = _dim(image, draw)
    if draw.random() < 0.3:
        image = damage.compressed(image, draw)
    return 255 - image if draw.random() < 0.02 else image


def _dim(image: Gray, draw: random.Random) -> Gray:
    """Ink that is hardly darker than the paper."""
    paper = draw.randint(140, 255)
    noise = np.random.default_rng(draw.getrandbits(32)).standard_normal(image.shape, dtype=np.float32)
    made = paper - (255 - image.astype(np.float32)) * draw.uniform(0.1, 0.3) + noise * draw.uniform(0, 4)
    return np.clip(made, 0, 255).astype(np.uint8)


def seen(image: Gray, draw: random.Random) -> NDArray[np.float32]:
    """A part as the network sees it: elsewhere on its page there may be ink with more contrast."""
    paper, contrast = paper_and_contrast(image)
    if draw.random() < 0.5:
        contrast *= draw.uniform(0.9, 3 if draw.random() < 0.3 else 1.3)
    return ink(image, paper, contrast)


class Parts(IterableDataset[tuple[Tensor, Tensor]]):
    """Batches without end; each process that makes them has a seed of its own."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._drawn, self._seed = pages(folder, "drawn"), seed
        self._others = [(pages(folder, kind), share) for kind, share in _SHARES.items()]

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        cv2.setNumThreads(1)
        worker = get_worker_info()
        draw = random.Random(f"{self._seed} {worker.id if worker else 0}")
        while True:
            images, texts = [], []
            for _ in range(_BATCH):
                image, text = part(draw.choice(self._source(draw.random())), draw)
                images.append(seen(damaged(image, draw), draw))
                texts.append(text)
            yield torch.from_numpy(np.stack(images)), torch.from_numpy(np.stack(texts))

    def _source(self, place: float) -> list[Page]:
        for source, share in self._others:
            if source and place < share:
                return source
            place -= share
        return self._drawn


def loss_of(logits: Tensor, text: Tensor) -> Tensor:
    """Cross-entropy of each pixel, and how little what is found and what is there overlap (Dice)."""
    found = torch.sigmoid(logits)
    overlap = (2 * (found * text).sum() + 1) / (found.square().sum() + text.square().sum() + 1)
    return 4 * functional.binary_cross_entropy_with_logits(logits, text) + 1 - overlap


def train(folder: Path, out: Path, count: int, seed: int, rate: float, start: Path | None = None) -> None:
    """Train from the start or from weights."""
    torch.manual_seed(seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = Detector().to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    if start is not None:
        released.load(network, start)
    for module in network.modules():
        if isinstance(module, BatchNorm2d):
            module.momentum = _MOMENTUM
    mean = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(_MEAN), use_buffers=True
    )
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.02)
    steps, begun, shown = count // _BATCH, time.monotonic(), 0.0
    batches = DataLoader(Parts(folder, seed), batch_size=None, num_workers=1, prefetch_factor=4)
    for step, (images, texts) in zip(range(1, steps + 1), batches, strict=False):
        now = rate * min(1.0, step / _WARM) * (0.01 + 0.99 * (1 + math.cos(math.pi * step / steps)) / 2)
        for group in optimizer.param_groups:
            group["lr"] = now
        if step == (1 if start else int(steps * _FROZEN)):
            freeze(network)
        given = images.to(device).unsqueeze(1).contiguous(memory_format=torch.channels_last)
        with torch.autocast(device, dtype=torch.bfloat16):
            logits = network(given).float()
        loss = loss_of(logits, texts.to(device).float() / 255)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimizer.step()
        mean.update_parameters(network)
        shown += float(loss.detach())
        if step % 50 == 0:
            print(f"{step * _BATCH} parts, loss {shown / 50:.4f}, {time.monotonic() - begun:.0f} s", flush=True)
            shown = 0.0
        if step % 200 == 0:
            torch.save(mean.module.state_dict(), out)
    torch.save(mean.module.state_dict(), out)


def freeze(network: Detector) -> None:
    """Let the statistics of layers stay as they are: those of few parts are not those of a page."""
    for module in network.modules():
        if isinstance(module, BatchNorm2d):
            module.eval()


def main() -> None:
    """Train the network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", type=int, default=24_000)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--rate", type=float, default=3e-3, help="of learning, at most")
    parser.add_argument("--start", type=Path, help="weights to go on from, or an exported network")
    options = parser.parse_args()
    train(options.folder, options.out, options.parts, options.seed, options.rate, options.start)


if __name__ == "__main__":
    main()
