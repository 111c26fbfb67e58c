"""Writes a trained recognizer as one ONNX file, with its classes and what its confidence needs as metadata."""

import argparse
import json
from pathlib import Path
from typing import TypeVar

import onnx
import torch
from torch import nn

from scripts.scans.detector import Detector, Probabilities
from scripts.scans.networks import NETWORKS

_OPSET = 18

Network = TypeVar("Network", bound=nn.Module)


def export(kind: str, weights: Path, target: Path) -> None:
    """Write the network, of a temperature of 1 and never sure."""
    network = _loaded(NETWORKS[kind](), weights)
    axes = {"picture": {3: "width"}, "scores": {1: "columns"}}
    _write(network, target, (network.HEIGHT, 256), axes)
    graph = onnx.load(target)
    onnx.helper.set_model_props(graph, {"classes": network.CLASSES.replace("\0", "\ufffd", 1)})
    target.write_bytes(graph.SerializeToString(deterministic=True))
    describe(target, temperature=1.0, sure={"ascii": 1.01, "eastern": 1.01}, words=[0.0, 1.0, 0.0, 0.0, 0.0, 0.0])


def export_detector(weights: Path, target: Path) -> None:
    """Write the network that finds text."""
    axes = {"page": {2: "height", 3: "width"}, "probabilities": {1: "rows", 2: "columns"}}
    _write(Probabilities(_loaded(Detector(), weights)), target, (256, 256), axes)
    describe(target)


def _loaded(network: Network, weights: Path) -> Network:
    network.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    return network


def _write(network: nn.Module, target: Path, size: tuple[int, int], axes: dict[str, dict[int, str]]) -> None:
    """Write what makes one output of one picture of `size` (height, width); `axes`: which of their sides vary."""
    given, made = axes
    torch.onnx.export(
        network.eval(),
        (torch.zeros(1, 1, *size),),
        str(target),
        input_names=[given],
        output_names=[made],
        dynamic_axes=axes,
        opset_version=_OPSET,
        dynamo=False,
    )


def describe(target: Path, **values: object) -> None:
    """Put what confidence needs into the file, beside what it holds: temperature, sure, words."""
    graph = onnx.load(target)
    about = {one.key: one.value for one in graph.metadata_props}
    onnx.helper.set_model_props(graph, about | {name: json.dumps(value) for name, value in values.items()})
    onnx.checker.check_model(graph)
    target.write_bytes(graph.SerializeToString(deterministic=True))


def main() -> None:
    """Export the weights of a training run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=[*NETWORKS, "detector"])
    parser.add_argument("weights", type=Path)
    parser.add_argument("target", type=Path)
    options = parser.parse_args()
    if options.kind == "detector":
        export_detector(options.weights, options.target)
    else:
        export(options.kind, options.weights, options.target)


if __name__ == "__main__":
    main()
