"""The network of the tagger in PyTorch: a post-LN BERT encoder on frozen word embeddings, and a head per exit layer."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from scripts.names.base import Base, dequantized

WIDTH, HEADS = 384, 12
EPSILON = 1e-12


class Linear8(nn.Linear):
    """A linear layer that can be trained to bear what export.py does to it: its products in 8 bits.

    With `is_rounded`, weights and inputs are rounded as ONNX Runtime's dynamic quantization rounds them (weights: 7
    bits, a scale for each output; inputs: 8 bits, a scale for each window); gradients pass as if they were not (Bengio
    et al. 2013, arXiv:1308.3432).
    """

    is_rounded = False

    def forward(self, x: Tensor) -> Tensor:
        """`x`: (batch, ..., inputs)."""
        if not self.is_rounded:
            return super().forward(x)
        scale = self.weight.detach().abs().amax(1, keepdim=True).clamp(min=1e-8) / 64
        weight = (self.weight / scale).round().clamp(-64, 64) * scale
        axes = tuple(range(1, x.dim()))
        low, high = x.detach().amin(axes, keepdim=True).clamp(max=0), x.detach().amax(axes, keepdim=True).clamp(min=0)
        step = (high - low).clamp(min=1e-8) / 255
        zero = (-low / step).round()
        rounded = (((x / step).round() + zero).clamp(0, 255) - zero) * step
        return functional.linear(x + (rounded - x).detach(), self.weight + (weight - self.weight).detach(), self.bias)


class Layer(nn.Module):
    """One encoder layer: self-attention and feed-forward, each with a residual and a layer norm after it."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.q, self.k, self.v, self.ao = (Linear8(WIDTH, WIDTH) for _ in range(4))
        self.fi, self.fo = Linear8(WIDTH, 4 * WIDTH), Linear8(4 * WIDTH, WIDTH)
        self.aln, self.oln = (nn.LayerNorm(WIDTH, EPSILON) for _ in range(2))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """`x`: (batch, pieces, width); `mask`: (batch, 1, 1, pieces), false for padding; none: no padding."""
        batch, length, _ = x.shape

        def split(y: Tensor) -> Tensor:
            return y.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)

        query, key, value = split(self.q(x)), split(self.k(x)), split(self.v(x))
        if mask is None:  # as exported: plain products
            scores = query @ key.transpose(2, 3) / math.sqrt(WIDTH // HEADS)
            mixed = torch.softmax(scores, dim=-1) @ value
        else:
            mixed = functional.scaled_dot_product_attention(query, key, value, mask)
        x = self.aln(x + self.dropout(self.ao(mixed.transpose(1, 2).reshape(batch, length, WIDTH))))
        return self.oln(x + self.dropout(self.fo(functional.gelu(self.fi(x)))))


class Tagger(nn.Module):
    """Scores of the tags for the first piece of each word."""

    def __init__(self, embeddings: Tensor, layers: int, tags: int, dropout: float = 0.1) -> None:
        """`embeddings`: (pieces, width) of the base; they stay as they are unless they are made parameters."""
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(embeddings.clone(), freeze=True)
        self.position = nn.Embedding(512, WIDTH)
        self.segment = nn.Parameter(torch.zeros(WIDTH))
        self.norm = nn.LayerNorm(WIDTH, EPSILON)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        self.head = Linear8(WIDTH, tags)
        self.dropout = nn.Dropout(dropout)

    def forward(self, rows: Tensor, is_piece: Tensor, first: Tensor) -> Tensor:
        """`rows`, `is_piece`: (batch, pieces); `first`: (batch, words), a piece each. (batch, words, tags)."""
        mask = is_piece[:, None, None, :]
        x = self.norm(self.embedding(rows) + self.position.weight[: rows.shape[1]] + self.segment)
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x, mask)
        return self.head(torch.gather(x, 1, first[:, :, None].expand(-1, -1, WIDTH)))

    def rounded(self) -> None:
        """Compute as the exported network will: see Linear8."""
        for module in self.modules():
            if isinstance(module, Linear8):
                module.is_rounded = True

    def start_from(self, base: Base) -> None:
        """Copy the weights of the base model."""
        tensor = {name: torch.from_numpy(values) for name, values in base.tensors.items()}
        with torch.no_grad():
            self.position.weight.copy_(tensor["emb.pos"].view(512, WIDTH))
            self.segment.copy_(tensor["emb.type"].view(-1, WIDTH)[0])
            self.norm.weight.copy_(tensor["emb.ln.w"])
            self.norm.bias.copy_(tensor["emb.ln.b"])
            for number, layer in enumerate(self.layers):
                for part in ("q", "k", "v", "ao", "fi", "fo", "aln", "oln"):
                    module = getattr(layer, part)
                    module.weight.copy_(tensor[f"l{number}.{part}.w"].view_as(module.weight))
                    module.bias.copy_(tensor[f"l{number}.{part}.b"])


def word_embeddings(base: Base, rows: list[int]) -> Tensor:
    """The embeddings (rows, width) of these pieces of the base."""
    values = dequantized(base.embedding_scales[rows], base.embedding_weights[rows])
    return torch.from_numpy(values.reshape(len(rows), WIDTH))
