"""The network that finds text: a page (1, 1, height, width) of ink from -1 to 1 to probabilities at half of its size.

Height and width are multiples of 32. Convolutions with one kernel a channel, and sums of what four scales see.
"""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional


def _layer(inputs: int, outputs: int, size: int, *, stride: int = 1, alone: bool = False) -> list[nn.Module]:
    """A convolution with normalization; `alone`: each channel by itself."""
    groups = inputs if alone else 1
    return [
        nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]


class _Block(nn.Module):
    """Adds what a channel sees around it, mixed with what others see."""

    def __init__(self, width: int) -> None:
        super().__init__()
        wide = 2 * width
        self.inner = nn.Sequential(
            *_layer(width, width, 5, alone=True), *_layer(width, wide, 1), nn.ReLU(inplace=True),
            *_layer(wide, width, 1),
        )  # fmt: skip

    def forward(self, maps: Tensor) -> Tensor:
        return maps + self.inner(maps)


def _scale(inputs: int, outputs: int, blocks: int) -> nn.Sequential:
    """Halves the size."""
    down = [*_layer(inputs, outputs, 3, stride=2), nn.ReLU(inplace=True)]
    return nn.Sequential(*down, *(_Block(outputs) for _ in range(blocks)))


class Detector(nn.Module):
    """Gives logits (1, height / 2, width / 2)."""

    WIDTHS = (24, 48, 96, 128)

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(*_layer(1, 16, 3, stride=2), nn.ReLU(inplace=True))
        widths, blocks = (16, *self.WIDTHS), (1, 2, 4, 3)
        self.scales = nn.ModuleList(_scale(*pair, count) for pair, count in zip(pairwise(widths), blocks, strict=True))
        self.sides = nn.ModuleList(nn.Conv2d(width, 32, 1) for width in self.WIDTHS)
        self.head = nn.Sequential(
            *_layer(32, 32, 5, alone=True), *_layer(32, 48, 1), nn.ReLU(inplace=True),
            *_layer(48, 48, 3, alone=True), *_layer(48, 48, 1), nn.ReLU(inplace=True),
            nn.Conv2d(48, 4, 1), nn.PixelShuffle(2),
        )  # fmt: skip

    def forward(self, pages: Tensor) -> Tensor:
        maps = self.first(pages)
        seen = []
        for scale in self.scales:
            maps = scale(maps)
            seen.append(maps)
        total = self.sides[-1](seen[-1])
        for side, here in zip(list(self.sides)[-2::-1], seen[-2::-1], strict=True):
            total = functional.interpolate(total, scale_factor=2.0, mode="nearest") + side(here)
        logits: Tensor = self.head(total)[:, 0]
        return logits


class Probabilities(nn.Module):
    """The network as it is exported."""

    def __init__(self, detector: Detector) -> None:
        super().__init__()
        self.detector = detector

    def forward(self, pages: Tensor) -> Tensor:
        return torch.sigmoid(self.detector(pages))
