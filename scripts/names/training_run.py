"""What all steps of a training run share: how much is trained, the base, the words, and the files between the steps."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from scripts.names import base
from scripts.names.base import Base
from scripts.names.fitting import device, figures
from scripts.names.network import word_embeddings
from scripts.names.pool import Pool
from scripts.names.readings import Vocabulary, load, unlabelled_lines


class Amount(NamedTuple):
    """How much is trained: readings are of all labelled text, passes of the pool that the teachers read."""

    teachers: int = 6
    teacher_readings: int = 12
    pool_readings: int = 24
    accurate_passes: float = 2.5
    rounded_passes: float = 0.3
    fast_passes: float = 8.0
    share: float = 1.0  # of the corpora and the generated messages that a reading has
    teacher_pieces: int = 4_096  # of a batch
    pieces: int = 16_384


class Run(NamedTuple):
    """What all steps of a run share, each in a process of its own: small batches do not fill a GPU."""

    base: Path
    out: Path
    amount: Amount

    def open(self) -> tuple[Base, list[int], Tensor]:
        """The base, the rows of its pieces that are kept, and their embeddings."""
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for each shape
        source = base.read(self.base)
        kept: list[int] = json.loads((self.out / "vocabulary.json").read_text())
        return source, kept, word_embeddings(source, kept)

    def vocabulary(self, text: Path | None) -> Vocabulary:
        """The pieces with their probabilities, and unlabelled lines."""
        source, kept, _ = self.open()
        return Vocabulary([source.pieces[row] for row in kept], source.scores[kept].tolist(), unlabelled_lines(text))

    def pool(self, name: str) -> Pool:
        """Chunks that were kept under this name."""
        return Pool(load(self.out / f"{name}.npz"), device())


def said_of_held(run: Run, name: str, said: Callable[[Pool, int], Tensor]) -> dict[str, NDArray[np.float32]]:
    """What a network says of the held-back words, whose figures it prints."""
    found = {}
    for path in sorted(run.out.glob("held-*.npz")):
        pool = run.pool(path.stem)
        answer = said(pool, run.amount.pieces)
        print(f"{name} on {path.stem}: {figures(answer, pool.tags)}", flush=True)
        found[path.stem] = answer.cpu().numpy()
    return found


def keep_small(model: nn.Module, path: Path) -> None:
    """Keep all but the embeddings of the base, in 16 bits."""
    keep({name: value.half() for name, value in model.state_dict().items() if name != "embedding.weight"}, path)


def keep(state: dict[str, Tensor], path: Path) -> None:
    """Write weights, whole or not at all."""
    part = path.with_suffix(".part")
    torch.save({name: value.cpu() for name, value in state.items()}, part)
    part.rename(path)
