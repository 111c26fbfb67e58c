"""Writes the fast network as an ONNX graph: piece embeddings and convolutions in 8 bits, the rest in 32.

A convolution over three words is a product of the words side by side with a matrix, in integers: the activations are
rounded with a fixed scale, which `Ranges` gives, so the result for a word does not depend on the words out of reach.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import onnx
from numpy.typing import ArrayLike, NDArray
from onnx import TensorProto, helper, numpy_helper

from pipeline.detect.tagger.pieces import Pieces
from pipeline.detect.tagger.word_rows import ROW
from scripts.names.sentences.corpora import TAGS
from scripts.names.student import DILATIONS, WIDTH, Block, Student

_OPSET, _IR = 18, 9
_END = np.iinfo(np.int64).max
_WEIGHT_LIMIT = 63  # 7 bits: two products of 8 bits overflow the 16 bits that processors without VNNI add them in
_SIGNED_ZERO, _UNSIGNED_ZERO = np.uint8(128), np.uint8(0)


class Range(NamedTuple):
    """The largest absolute values that the norm of a block gives, and its convolution behind the rectifier."""

    norm: float
    convolution: float


class _Graph:
    """A graph that grows: each method adds a node and returns the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, values: ArrayLike, name: str = "") -> str:
        name = name or f"constant_{len(self.constants)}"
        self.constants[name] = numpy_helper.from_array(np.asarray(values), name)
        return name

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: object) -> str:
        output = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def linear(self, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32], output: str = "") -> str:
        """`weight`: (out, in)."""
        product = self.add("MatMul", x, self.constant(weight.T.copy()))
        return self.add("Add", product, self.constant(bias), output=output)

    def integer_linear(
        self, x: str, zero: str, scale: np.float32, weight: NDArray[np.float32], bias: NDArray[np.float32]
    ) -> str:
        """The same of an `x` in 8 bits, whose zero point and scale are given. `weight`: (in, out)."""
        scales = np.maximum(np.abs(weight).max(axis=0), 1e-6).astype(np.float32) / _WEIGHT_LIMIT
        rounded = np.round(weight / scales).astype(np.int8)
        product = self.add("MatMulInteger", x, self.constant(rounded), zero, self.constant(np.int8(0)))
        values = self.add("Cast", product, to=TensorProto.FLOAT)
        scaled = self.add("Mul", values, self.constant(scales * scale))
        return self.add("Add", scaled, self.constant(bias))

    def norm(self, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        return self.add("LayerNormalization", x, self.constant(weight), self.constant(bias), axis=-1)

    def slice(self, x: str, begin: int, end: int, axis: int) -> str:
        return self.add("Slice", x, *(self.constant(np.array([part])) for part in (begin, end, axis)))


def graph_of(student: Student, ranges: Sequence[Range]) -> onnx.ModelProto:
    """Inputs: `rows` of new words (k, ROW), vectors of `known` words (m, WIDTH), for each word the `index` of its
    vector in these two (n,). Outputs: `scores` (n, tags) and the `vectors` of the new words (k, WIDTH).
    """
    graph = _Graph()
    state = {name: tensor.detach().numpy() for name, tensor in student.state_dict().items()}
    vectors = _word_vectors(graph, state)
    x = graph.add("Gather", graph.add("Concat", "known", vectors, axis=0), "index", axis=0)
    for number, (dilation, range_) in enumerate(zip(DILATIONS, ranges, strict=True)):
        x = _block(graph, x, dilation, range_, {name: state[f"blocks.{number}.{name}"] for name in _names_of_block()})
    last = graph.norm(x, state["norm.weight"], state["norm.bias"])
    graph.linear(last, state["head.weight"], state["head.bias"], output="scores")
    made = helper.make_graph(
        graph.nodes,
        "fast",
        [
            helper.make_tensor_value_info("rows", TensorProto.INT64, ["new", ROW]),
            helper.make_tensor_value_info("known", TensorProto.FLOAT, ["known", WIDTH]),
            helper.make_tensor_value_info("index", TensorProto.INT64, ["words"]),
        ],
        [
            helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["words", len(TAGS)]),
            helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["new", WIDTH]),
        ],
        list(graph.constants.values()),
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)


def _names_of_block() -> list[str]:
    return list(Block(1, 0).state_dict())


def _word_vectors(graph: _Graph, state: dict[str, NDArray[np.float32]]) -> str:
    weights = state["words.pieces.weight"]
    scales = np.maximum(np.abs(weights).max(axis=1, keepdims=True), 1e-6) / 127
    pieces = graph.slice("rows", 1, ROW, 1)
    rounded = graph.add("Gather", graph.constant(np.round(weights / scales).astype(np.int8)), pieces, axis=0)
    scale = graph.add("Gather", graph.constant(scales.astype(np.float32)), pieces, axis=0)
    embedded = graph.add("Mul", graph.add("Cast", rounded, to=TensorProto.FLOAT), scale)
    last, first, second = (graph.add("Gather", embedded, graph.constant(np.int64(at)), axis=1) for at in range(3))
    padding = graph.add("Equal", graph.slice("rows", 2, ROW, 1), graph.constant(np.int64(Pieces.PAD)))
    is_piece = graph.add("Cast", graph.add("Not", padding), to=TensorProto.FLOAT)
    count = graph.add("Max", graph.add("ReduceSum", is_piece, graph.constant([1])), graph.constant(np.float32(1)))
    total = graph.add("ReduceSum", graph.slice(embedded, 1, _END, 1), graph.constant([1]), keepdims=0)
    mean = graph.add("Div", total, count)
    shape_row = graph.add("Gather", "rows", graph.constant(np.int64(0)), axis=1)
    shape = graph.add("Gather", graph.constant(state["words.shapes.weight"]), shape_row, axis=0)
    x = graph.add("Concat", first, second, last, mean, shape, axis=-1)
    inner = graph.add("Relu", graph.linear(x, state["words.inner.weight"], state["words.inner.bias"]))
    direct = graph.linear(x, state["words.direct.weight"], state["words.direct.bias"])
    outer = graph.linear(inner, state["words.outer.weight"], state["words.outer.bias"])
    return graph.add("Add", direct, outer, output="vectors")


def _block(graph: _Graph, x: str, dilation: int, range_: Range, state: dict[str, NDArray[np.float32]]) -> str:
    signed, unsigned = graph.constant(_SIGNED_ZERO), graph.constant(_UNSIGNED_ZERO)
    scale = np.float32(range_.norm / 127)
    y = graph.add(
        "QuantizeLinear", graph.norm(x, state["norm.weight"], state["norm.bias"]), graph.constant(scale), signed
    )
    padded = graph.add("Pad", y, graph.constant([dilation, 0, dilation, 0]), signed)
    before, after = graph.slice(padded, 0, -2 * dilation, 0), graph.slice(padded, 2 * dilation, _END, 0)
    beside = graph.add("Concat", before, y, after, axis=1)
    kernel = state["convolution.weight"]  # (out, in, 3)
    weight = np.concatenate([kernel[:, :, at].T for at in range(3)])
    y = graph.add("Relu", graph.integer_linear(beside, signed, scale, weight, state["convolution.bias"]))
    scale = np.float32(range_.convolution / 255)
    y = graph.add("QuantizeLinear", y, graph.constant(scale), unsigned)
    y = graph.integer_linear(y, unsigned, scale, state["mix.weight"].T, state["mix.bias"])
    return graph.add("Add", x, y)
