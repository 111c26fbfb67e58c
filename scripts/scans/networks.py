"""The two networks: pictures of a line (lines, 1, height, width) to scores (lines, width / 2, classes)."""

import torch
from torch import Tensor, nn

from scripts.scans.drawing import CAPITALS, CHARACTERS, DIGITS, EASTERN_DIGITS, OTHER, SEPARATORS

STRIDE = 2
# The first class is the blank of CTC.
_OF_TEXT = "\0 " + CHARACTERS + OTHER
_OF_NUMBERS = "\0" + DIGITS + EASTERN_DIGITS + SEPARATORS + " " + CAPITALS + OTHER


def _convolution(inputs: int, outputs: int, *size: int, **options: object) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, bias=False, **options),  # type: ignore[arg-type]
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class Recurrent(nn.Module):
    """The first reading, of all text: convolutions over pictures of 40 rows, then two recurrent layers both ways."""

    HEIGHT = 40
    CLASSES = _OF_TEXT

    def __init__(self) -> None:
        super().__init__()
        self.columns = nn.Sequential(
            _convolution(1, 24, 3, 3, padding=1),
            nn.MaxPool2d(2),
            _convolution(24, 40, 3, 3, padding=1),
            nn.MaxPool2d((2, 1)),
            _convolution(40, 80, 3, 3, padding=1),
            nn.MaxPool2d((2, 1)),
            _Residual(80),
            _convolution(80, 192, 5, 1),
        )
        self.recurrent = nn.LSTM(192, 112, num_layers=2, bidirectional=True, batch_first=True, dropout=0.1)
        self.head = nn.Linear(224, len(self.CLASSES))

    def forward(self, pictures: Tensor) -> Tensor:
        columns = self.columns(pictures).squeeze(2).transpose(1, 2)
        return self.head(self.recurrent(columns)[0])


class _Around(nn.Module):
    """Adds what a convolution over distant columns sees."""

    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.distant = _convolution(width, width, 1, 3, padding=(0, dilation), dilation=(1, dilation))

    def forward(self, columns: Tensor) -> Tensor:
        return columns + self.distant(columns)


class _Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _convolution(width, width, 3, 3, padding=1)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width))

    def forward(self, maps: Tensor) -> Tensor:
        return torch.relu(maps + self.second(self.first(maps)))


class Convolutional(nn.Module):
    """The second reading, of numbers: residual convolutions over pictures of 40 rows, dilated ones over columns."""

    HEIGHT = 40
    CLASSES = _OF_NUMBERS

    def __init__(self) -> None:
        super().__init__()
        self.columns = nn.Sequential(
            _convolution(1, 24, 5, 5, stride=(2, 2), padding=2),
            _convolution(24, 40, 3, 3, stride=(2, 1), padding=1),
            _Residual(40),
            _convolution(40, 72, 3, 3, stride=(2, 1), padding=1),
            _convolution(72, 112, 5, 1),
            *(_Around(112, dilation) for dilation in (1, 2, 4, 1, 2, 8)),
            nn.Conv2d(112, len(self.CLASSES), 1),
        )

    def forward(self, pictures: Tensor) -> Tensor:
        return self.columns(pictures).squeeze(2).transpose(1, 2)


NETWORKS: dict[str, type[Recurrent] | type[Convolutional]] = {"recurrent": Recurrent, "convolutional": Convolutional}
