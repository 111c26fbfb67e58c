"""The teachers: networks of several depths, fine-tuned on labels, whose mean opinion the shipped taggers learn."""

from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from scripts.names.fitting import device, encoded, fit, shares
from scripts.names.network import Tagger
from scripts.names.pool import Batch, Pool
from scripts.names.sentences.corpora import IGNORED, TAGS
from scripts.names.training_run import Run, keep, said_of_held

LAYERS = 8  # of the accurate tagger


class Teacher(NamedTuple):
    """How a teacher is built: layers of the base, and whether the embeddings learn, too."""

    layers: int
    learns_embeddings: bool


ACCURATE = Teacher(LAYERS, learns_embeddings=False)  # the one that becomes the accurate tagger
TEACHERS = (ACCURATE, *(Teacher(12, learns) for learns in (True, True, False)), Teacher(10, True), Teacher(8, True))


def teach(run: Run, number: int) -> dict[str, NDArray[np.float32]]:
    """Fine-tunes a teacher on labels. What it says of the held-back words, by source."""
    source, _, embeddings = run.open()
    torch.manual_seed(number)
    model = teacher(number, embeddings)
    model.start_from(source)
    model.to(device())
    path = run.out / f"teacher-{number}.pt"
    if path.exists():
        model.load_state_dict(torch.load(path))
    else:
        pool, pieces = run.pool("labelled"), run.amount.teacher_pieces

        def loss_of(batch: Batch) -> Tensor:
            scores = encoded(model, batch).flatten(0, 1).float()
            return functional.cross_entropy(scores, batch.tags.flatten(), ignore_index=IGNORED)

        steps = len(pool.groups(pieces, None))
        fit(f"teacher {number}", model, pool, loss_of, steps=steps, rate=1.5e-4, pieces=pieces, seed=number)
        keep(model.state_dict(), path)
    return said_of_held(run, f"teacher {number}", partial(shares, model, encoded))


def teacher(number: int, embeddings: Tensor) -> Tagger:
    """The network of a teacher, not trained."""
    kind = TEACHERS[number]
    model = Tagger(embeddings, kind.layers, len(TAGS))
    model.embedding.weight.requires_grad_(kind.learns_embeddings)
    return model


def label(run: Run, number: int) -> None:
    """A teacher reads the pool."""
    path = run.out / f"shares-{number}.npy"
    if path.exists():
        return
    _, _, embeddings = run.open()
    model = teacher(number, embeddings)
    model.load_state_dict(torch.load(run.out / f"teacher-{number}.pt"))
    said = shares(model.to(device()), encoded, run.pool("pool"), 2 * run.amount.pieces)
    part = run.out / f"shares-{number}.part.npy"
    np.save(part, said.half().cpu().numpy())
    part.rename(path)


def taught_pool(run: Run) -> Pool:
    """The pool with the mean of what the teachers say."""
    pool = run.pool("pool")
    total = torch.zeros((pool.words, len(TAGS)), device=pool.device)
    for number in range(run.amount.teachers):
        total += torch.from_numpy(np.load(run.out / f"shares-{number}.npy")).to(pool.device)
    pool.shares = (total / run.amount.teachers).half()
    return pool
