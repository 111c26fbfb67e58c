"""Reads the weights of an exported text detector back, so that training can go on from what was released.

Usage: python -m scripts.scans.released FILE [FILE ...] --out FILE

writes the mean of several passes of one training: it keeps much of what each of them does well.

An export holds each convolution with the normalization after it folded in. Here the two are parted again: a channel's
weights get the length that they have before training, and the normalization scales them back.
"""

import argparse
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import nn

from scripts.scans.detector import Detector

_PREFIX = "detector."  # of what the export names as the network does


def load(network: Detector, path: Path) -> None:
    """Give the network saved weights, or those of an exported one. ValueError where that is another network."""
    if path.suffix != ".onnx":
        network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        return
    stored = {one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}
    named = {name.removeprefix(_PREFIX): value for name, value in stored.items() if name.startswith(_PREFIX)}
    folded = iter([value for name, value in stored.items() if not name.startswith(_PREFIX)])
    state = network.state_dict()
    state.update({name: torch.from_numpy(np.array(value)) for name, value in named.items()})
    modules = [(name, module) for name, module in network.named_modules() if not list(module.children())]
    try:
        for (name, layer), (after, normal) in pairwise(modules):
            if isinstance(layer, nn.Conv2d) and isinstance(normal, nn.BatchNorm2d):
                state.update(_parted(name, layer, after, normal, next(folded), next(folded)))
        network.load_state_dict(state)
    except (StopIteration, RuntimeError) as mismatch:
        raise ValueError(f"{path} holds another network") from mismatch


def _parted(name: str, layer: nn.Conv2d, after: str, normal: nn.BatchNorm2d, weight: Any, bias: Any) -> dict[str, Any]:
    length = math.sqrt(1 / 3)  # of a channel's weights as PyTorch draws them
    scales = np.maximum(np.sqrt((weight.reshape(len(weight), -1) ** 2).sum(axis=1)) / length, 1e-4)
    return {
        f"{name}.weight": torch.from_numpy(weight / scales[:, None, None, None]),
        f"{after}.weight": torch.from_numpy(scales * math.sqrt(1 + normal.eps)),
        f"{after}.bias": torch.from_numpy(np.array(bias)),
        f"{after}.running_mean": torch.zeros(len(bias)),
        f"{after}.running_var": torch.ones(len(bias)),
    }


def main() -> None:
    """Write the mean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="weights, saved or exported")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    states = []
    for path in options.files:
        load(network := Detector(), path)
        states.append(network.state_dict())
    means = {name: sum(state[name] for state in states) / len(states) for name in states[0]}
    torch.save({name: value.to(states[0][name].dtype) for name, value in means.items()}, options.out)


if __name__ == "__main__":
    main()
