"""The network of the fast tier: a vector for each word from its pieces, then dilated convolutions over the words.

Its receptive field is bounded, so a long text may be read in parts that overlap by that field, with the same result.
The vector of a word depends on the word alone, so it is computed once for all places where the word stands.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from pipeline.detect.tagger.pieces import Pieces
from pipeline.detect.tagger.word_rows import SHAPES

DIMENSIONS, SHAPE_DIMENSIONS = 128, 16  # of a piece, of a shape
HIDDEN, WIDTH = 256, 160  # of a word
NARROW = 128  # of what a convolution makes
DILATIONS = (1, 2, 4, 2)


class WordEncoder(nn.Module):
    """The vector of a word: from its shape, its first two pieces, its last and the mean of its first pieces."""

    def __init__(self, rows: int, dropout: float) -> None:
        super().__init__()
        self.pieces = nn.Embedding(rows, DIMENSIONS, padding_idx=Pieces.PAD)
        self.shapes = nn.Embedding(SHAPES, SHAPE_DIMENSIONS)
        inputs = 4 * DIMENSIONS + SHAPE_DIMENSIONS
        self.direct, self.inner, self.outer = (
            nn.Linear(inputs, WIDTH),
            nn.Linear(inputs, HIDDEN),
            nn.Linear(HIDDEN, WIDTH),
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, rows: Tensor) -> Tensor:
        """`rows`: (..., ROW), see word_rows. (..., WIDTH)."""
        return self.joined(self.pieces(rows[..., 1:]), rows)

    def joined(self, embedded: Tensor, rows: Tensor) -> Tensor:
        """The same from the embeddings of the pieces (..., 1 + PIECES, DIMENSIONS)."""
        count = (rows[..., 2:] != Pieces.PAD).sum(dim=-1, keepdim=True).clamp(min=1)
        mean = embedded[..., 1:, :].sum(dim=-2) / count
        last, first, second = embedded[..., 0, :], embedded[..., 1, :], embedded[..., 2, :]
        x = self.dropout(torch.cat([first, second, last, mean, self.shapes(rows[..., 0])], dim=-1))
        return self.direct(x) + self.outer(self.dropout(functional.relu(self.inner(x))))


class Block(nn.Module):
    """Layer norm, a dilated convolution over three words, a linear layer, and a residual."""

    def __init__(self, dilation: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.convolution = nn.Conv1d(WIDTH, NARROW, 3, padding=dilation, dilation=dilation)
        self.mix = nn.Linear(NARROW, WIDTH)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, is_word: Tensor) -> Tensor:
        """`x`: (batch, words, WIDTH); `is_word`: (batch, words, 1), 0 for padding."""
        y = (self.norm(x) * is_word).transpose(1, 2)
        y = torch.relu(self.convolution(y)).transpose(1, 2)
        return x + self.dropout(self.mix(y))


class Student(nn.Module):
    """Scores of the tags for each word."""

    def __init__(self, rows: int, tags: int, dropout: float = 0.15) -> None:
        super().__init__()
        self.words = WordEncoder(rows, dropout)
        self.blocks = nn.ModuleList(Block(dilation, dropout) for dilation in DILATIONS)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, tags)

    def forward(self, rows: Tensor, is_word: Tensor) -> Tensor:
        """`rows`: (batch, words, ROW), see word_rows; `is_word`: (batch, words, 1). (batch, words, tags)."""
        x = self.words(rows)
        for block in self.blocks:
            x = block(x, is_word)
        return self.head(self.norm(x))

    def start_from(self, embeddings: Tensor) -> None:
        """Begin with the principal components of the base model's embeddings (rows, width)."""
        centred = embeddings - embeddings.mean(dim=0)
        _, _, directions = torch.linalg.svd(centred[torch.randperm(len(centred))[:8000]], full_matrices=False)
        projected = centred @ directions[:DIMENSIONS].T
        with torch.no_grad():
            self.words.pieces.weight.copy_(projected / projected.std())
            self.words.pieces.weight[Pieces.PAD] = 0
