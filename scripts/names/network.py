"""The network of the tagger in PyTorch: a post-LN BERT encoder on frozen word embeddings, and a head per exit layer."""

import math
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from scripts.names.base import Base, dequantized

WIDTH, HEADS = 384, 12
EPSILON = 1e-12


class Layer(nn.Module):
    """One encoder layer: self-attention and feed-forward, each with a residual and a layer norm after it."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.q, self.k, self.v, self.ao = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.fi, self.fo = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.aln, self.oln = (nn.LayerNorm(WIDTH, EPSILON) for _ in range(2))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """`x`: (batch, pieces, width); `mask`: (batch, 1, 1, pieces), 0 or, for padding, very negative."""
        batch, length, _ = x.shape

        def split(y: Tensor) -> Tensor:
            return y.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)

        scores = split(self.q(x)) @ split(self.k(x)).transpose(2, 3) / math.sqrt(WIDTH // HEADS)
        if mask is not None:
            scores = scores + mask
        mixed = torch.softmax(scores, dim=-1) @ split(self.v(x))
        x = self.aln(x + self.dropout(self.ao(mixed.transpose(1, 2).reshape(batch, length, WIDTH))))
        return self.oln(x + self.dropout(self.fo(functional.gelu(self.fi(x)))))


class Tagger(nn.Module):
    """Scores of the tags for the first piece of each word."""

    def __init__(self, layers: int, tags: int, exits: tuple[int, ...], dropout: float = 0.1) -> None:
        super().__init__()
        self.position = nn.Embedding(512, WIDTH)
        self.segment = nn.Parameter(torch.zeros(WIDTH))
        self.norm = nn.LayerNorm(WIDTH, EPSILON)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))
        self.heads = nn.ModuleDict({str(depth): nn.Linear(WIDTH, tags) for depth in exits})
        self.dropout = nn.Dropout(dropout)

    def forward(self, embedded: Tensor, is_piece: Tensor, first: Tensor) -> dict[str, Tensor]:
        """`embedded`: (batch, pieces, width); `is_piece`: (batch, pieces); `first`: (batch, words), piece of each word.

        The scores (batch, words, tags) of each exit.
        """
        length = embedded.shape[1]
        mask = (1.0 - is_piece.float())[:, None, None, :] * -1e4
        x = self.norm(embedded + self.position.weight[:length] + self.segment)
        x = self.dropout(x)
        scores: dict[str, Tensor] = {}
        for depth, layer in enumerate(self.layers, 1):
            x = layer(x, mask)
            if str(depth) in self.heads:
                words = torch.gather(x, 1, first[:, :, None].expand(-1, -1, WIDTH))
                scores[str(depth)] = self.heads[str(depth)](words)
        return scores

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

    def start_from_release(self, path: Path) -> None:
        """Copy the weights of an exported tagger (export.py)."""
        graph = onnx.load(path).graph
        tensor = {item.name: torch.from_numpy(onnx.numpy_helper.to_array(item).copy()) for item in graph.initializer}
        state = self.state_dict()
        for name in state:
            if f"model.{name}" in tensor:
                state[name] = tensor[f"model.{name}"]
        for node in graph.node:
            if node.op_type == "MatMulInteger":
                *parts, _ = node.name.strip("/").split("/")  # /layers.0/q/MatMul_quant, /heads.8/Gemm_MatMul_quant
                name = node.input[1].removesuffix("_quantized")
                values = tensor[f"{name}_quantized"].float() - tensor[f"{name}_zero_point"].float()
                state[f"{'.'.join(parts)}.weight"] = (values * tensor[f"{name}_scale"]).T
        self.load_state_dict(state)


def word_embeddings(base: Base, rows: list[int]) -> Tensor:
    """The embeddings (rows, width) of these pieces of the base."""
    values = dequantized(base.embedding_scales[rows], base.embedding_weights[rows])
    return torch.from_numpy(values.reshape(len(rows), WIDTH))
