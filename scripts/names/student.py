"""The network of the fast tier: piece embeddings of each word, then dilated convolutions over the words.

Its receptive field is bounded, so a long text may be read in parts that overlap by that field, with the same result.
"""

import torch
from torch import Tensor, nn

from pipeline.detect.tagger.pieces import Pieces
from pipeline.detect.tagger.word_rows import SHAPES

DIMENSIONS, WIDTH, SHAPE_DIMENSIONS = 112, 160, 16
DILATIONS = (1, 2, 4, 2)


class Block(nn.Module):
    """Layer norm, a dilated convolution over three words, and a residual."""

    def __init__(self, dilation: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.convolution = nn.Conv1d(WIDTH, WIDTH, 3, padding=dilation, dilation=dilation)
        self.mix = nn.Linear(WIDTH, WIDTH)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, is_word: Tensor | None) -> Tensor:
        """`x`: (batch, words, width); `is_word`: (batch, words, 1), 0 for padding; None: none."""
        y = self.norm(x)
        if is_word is not None:
            y = y * is_word
        y = y.transpose(1, 2)
        y = torch.relu(self.convolution(y)).transpose(1, 2)
        return x + self.dropout(self.mix(y))


class Student(nn.Module):
    """Scores of the tags for each word."""

    def __init__(self, rows: int, tags: int, dropout: float = 0.15) -> None:
        super().__init__()
        self.pieces = nn.Embedding(rows, DIMENSIONS, padding_idx=Pieces.PAD)
        self.shapes = nn.Embedding(SHAPES, SHAPE_DIMENSIONS)
        self.join = nn.Linear(3 * DIMENSIONS + SHAPE_DIMENSIONS, WIDTH)
        self.blocks = nn.ModuleList(Block(dilation, dropout) for dilation in DILATIONS)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, tags)
        self.dropout = nn.Dropout(dropout)

    def forward(self, rows: Tensor, is_word: Tensor) -> Tensor:
        """`rows`: (batch, words, 2 + PIECES), see word_rows; `is_word`: (batch, words, 1). (batch, words, tags)."""
        return self.scores(self.pieces(rows[:, :, 1:]), rows, is_word)

    def scores(self, embedded: Tensor, rows: Tensor, is_word: Tensor | None) -> Tensor:
        """The same from the embeddings of the pieces (batch, words, 1 + PIECES, DIMENSIONS)."""
        count = (rows[:, :, 2:] != Pieces.PAD).sum(dim=2, keepdim=True).clamp(min=1)
        mean = embedded[:, :, 1:].sum(dim=2) / count
        shape = self.shapes(rows[:, :, 0])
        x = self.join(self.dropout(torch.cat([embedded[:, :, 0], embedded[:, :, 1], mean, shape], dim=-1)))
        for block in self.blocks:
            x = block(x, is_word)
        return self.head(self.norm(x))

    def start_from(self, embeddings: Tensor) -> None:
        """Begin with the principal components of the base model's embeddings (rows, width)."""
        centred = embeddings - embeddings.mean(dim=0)
        _, _, directions = torch.linalg.svd(centred[torch.randperm(len(centred))[:8000]], full_matrices=False)
        projected = centred @ directions[:DIMENSIONS].T
        with torch.no_grad():
            self.pieces.weight.copy_(projected / projected.std())
            self.pieces.weight[Pieces.PAD] = 0
