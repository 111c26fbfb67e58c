"""Trains the fast tier on the probabilities of the accurate one, and on the labels of corpora and generated messages.

The teacher reads noisy versions of the corpora and, if given, unlabelled texts; see unlabelled.py.
"""

import argparse
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from pipeline.detect.tagger.model import Tagger
from pipeline.detect.tagger.pieces import Pieces, words
from pipeline.detect.tagger.word_rows import ROW, word_row
from scripts.names.base import dequantized
from scripts.names.batches import training_sentences
from scripts.names.export import export_student
from scripts.names.generator.messages import generate
from scripts.names.sentences import corpora, written
from scripts.names.sentences.corpora import IGNORED, TAGS, split
from scripts.names.sentences.labelled import sentence_of
from scripts.names.sentences.mentions import Mentions
from scripts.names.sentences.noise import varied
from scripts.names.sentences.other_words import OtherWords
from scripts.names.student import Student
from scripts.names.student_graph import Range
from scripts.names.train import TIMES, known_mentions, written_sentences

_BATCH = 2000  # words
_CHUNK = 120  # words
_LEAST_SHARE = 1e-4
_HARD, _SOFT = 0.4, 1.6  # weights of the two losses
_WARM_UP = 0.05
_UNKNOWN = 0.04  # share of words
_THREADS = 2  # of the teacher
_CALIBRATION, _OUTLIERS = 20, 1e-5  # batches; share of their values
_FLOOR = 0.02  # of the learning rate, at the end

LabelledWords = tuple[Sequence[str], Sequence[int]]


class Example(NamedTuple):
    """Word rows (words, ROW), tags (IGNORED: unlabelled), and the teacher's log shares (words, tags) or None."""

    rows: NDArray[np.int64]
    tags: NDArray[np.int64]
    taught: NDArray[np.float16] | None


def grouped(source: Iterable[LabelledWords]) -> Iterator[LabelledWords]:
    """Consecutive sentences, together up to about _CHUNK words."""
    texts: list[str] = []
    tags: list[int] = []
    for more_texts, more_tags in source:
        if texts and len(texts) + len(more_texts) > _CHUNK:
            yield texts, tags
            texts, tags = [], []
        texts, tags = [*texts, *more_texts], [*tags, *more_tags]
    if texts:
        yield texts, tags


def taught(teacher: Tagger, pieces: Pieces, source: Iterable[LabelledWords]) -> list[Example]:
    """The chunks of a source, read by the teacher in _THREADS threads."""

    def example(chunk: LabelledWords) -> Example:
        texts, tags = chunk
        shares = teacher.probabilities(texts, [True] * len(texts))
        return Example(
            word_rows(pieces, texts), np.array(tags), np.log(np.maximum(shares, _LEAST_SHARE)).astype(np.float16)
        )

    with ThreadPoolExecutor(_THREADS) as threads:
        return list(threads.map(example, grouped(source)))


def word_rows(pieces: Pieces, texts: Sequence[str]) -> NDArray[np.int64]:
    """What the student reads of words: (words, ROW)."""
    return np.array([word_row(pieces, word) for word in texts], dtype=np.int64)


def text_lines(path: Path, limit: int, draw: random.Random) -> Iterator[LabelledWords]:
    """`limit` random lines of an unlabelled text, each cut into words, some of them varied."""
    lines = path.read_text("utf-8", "replace").splitlines()
    for line in draw.sample(lines, min(limit, len(lines))):
        found = words(line).texts
        if draw.random() < 0.3:
            found = varied(found, [0] * len(found), draw)[0]
        if len(found) > 3:
            yield found, [IGNORED] * len(found)


def messages(count: int, mentions: Mentions, pieces: Pieces, draw: random.Random) -> Iterator[Example]:
    """Generated messages, labelled by their grammar alone, and those written by hand, twice."""
    for _ in range(2):
        for texts, tags in written_sentences(mentions, draw):
            yield Example(word_rows(pieces, texts), np.array(tags), None)
    for message in generate(draw.randrange(1 << 30), count):
        texts, tags = sentence_of(message)
        if draw.random() < 0.35:
            texts, tags = varied(texts, tags, draw)
        yield Example(word_rows(pieces, texts), np.array(tags), None)


def batches(examples: Iterable[Example], draw: random.Random) -> list[list[Example]]:
    """Batches of examples of similar length, in random order."""
    groups: list[list[Example]] = [[]]
    for example in sorted(examples, key=lambda example: len(example.tags)):
        if groups[-1] and (len(groups[-1]) + 1) * len(example.tags) > _BATCH:
            groups.append([])
        groups[-1].append(example)
    draw.shuffle(groups)
    return groups


def padded(group: Sequence[Example]) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Word rows, which are words, tags, the teacher's log shares, and which words have them."""
    longest = max(len(example.tags) for example in group)
    rows = np.full((len(group), longest, ROW), Pieces.PAD, dtype=np.int64)
    rows[:, :, 0] = 0
    is_word = np.zeros((len(group), longest, 1), np.float32)
    tags = np.full((len(group), longest), IGNORED)
    shares = np.zeros((len(group), longest, len(TAGS)), np.float32)
    has = np.zeros((len(group), longest), bool)
    for number, example in enumerate(group):
        count = len(example.tags)
        rows[number, :count], tags[number, :count] = example.rows, example.tags
        is_word[number, :count] = 1
        if example.taught is not None:
            shares[number, :count], has[number, :count] = example.taught, True
    return tuple(map(torch.from_numpy, (rows, is_word, tags, shares, has)))  # type: ignore[return-value]


def with_unknown(rows: Tensor) -> Tensor:
    """The rows with some words as if their pieces were unknown, so that the network learns to read around them."""
    chosen = torch.rand(rows.shape[:2]) < _UNKNOWN
    changed = rows.clone()
    pieces = changed[:, :, 1:]
    pieces[chosen[:, :, None] & (pieces != Pieces.PAD)] = Pieces.UNKNOWN
    return changed


def losses(student: Student, group: Sequence[Example]) -> tuple[Tensor, Tensor]:
    """The loss against the labels and that against the teacher, each the mean over the words that have them."""
    rows, is_word, tags, shares, has = padded(group)
    got = student(with_unknown(rows), is_word)
    hard = functional.cross_entropy(got.flatten(0, 1), tags.flatten(), ignore_index=IGNORED, reduction="sum")
    soft = functional.kl_div(functional.log_softmax(got[has], -1), shares[has], log_target=True, reduction="sum")
    return hard / max(int((tags != IGNORED).sum()), 1), soft / max(int(has.sum()), 1)


def ranges(student: Student, groups: Iterable[Sequence[Example]]) -> list[Range]:
    """The largest values inside the blocks on these batches, but for one in a hundred thousand."""
    student.eval()
    seen: list[tuple[list[float], list[float]]] = [([], []) for _ in student.blocks]

    def largest(values: Tensor) -> float:
        return float(np.quantile(values.detach().abs().numpy(), 1 - _OUTLIERS))

    for number, block in enumerate(student.blocks):
        block.norm.register_forward_hook(lambda _, __, out, at=seen[number][0]: at.append(largest(out)))
        block.convolution.register_forward_hook(lambda _, __, out, at=seen[number][1]: at.append(largest(out.relu())))
    with torch.no_grad():
        for group in groups:
            rows, is_word, *_ = padded(group)
            student(rows, is_word)
    return [Range(max(norm), max(convolution)) for norm, convolution in seen]


def main() -> None:
    """Train, and write the ONNX file of the fast tier."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("teacher", type=Path, help="the ONNX file of the accurate tier")
    parser.add_argument("out", type=Path, help="the ONNX file to write")
    parser.add_argument("--versions", type=int, default=6, help="noisy readings of the corpora that the teacher labels")
    parser.add_argument("--sentences", type=int, default=0, help="read only so many of each corpus (to measure)")
    parser.add_argument("--messages", type=int, default=9_000, help="generated messages of one epoch")
    parser.add_argument("--text", type=Path, nargs="*", default=[], help="unlabelled texts")
    parser.add_argument("--lines", type=int, default=6_000, help="of each unlabelled text")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    draw = random.Random(arguments.seed)
    teacher = Tagger(arguments.teacher.read_bytes())
    graph = onnx.load(arguments.teacher)
    about = {item.key: item.value for item in graph.metadata_props}
    pieces = Pieces(about["pieces"].split("\n"), [float(score) for score in about["piece_scores"].split()])
    other_words = OtherWords(about["pieces"].split("\n"))
    tensors = {item.name: onnx.numpy_helper.to_array(item) for item in graph.graph.initializer}
    count, blocks = tensors["scales"].shape
    embedded = dequantized(tensors["scales"], tensors["weights"].reshape(count, blocks, -1)).reshape(count, -1)

    begun = time.monotonic()
    train = split(corpora.training())[0]
    mentions = known_mentions(train, [sentence_of(message) for message in [*generate(7, 4000), *written.training()]])
    examples: list[Example] = []
    for version in range(arguments.versions):
        for name, sentences in train.items():
            chosen = sentences[: arguments.sentences or len(sentences)]
            varied_sentences = training_sentences(chosen, TIMES[name], mentions, draw)
            if version % 2:
                varied_sentences = (other_words.exchanged(*sentence, draw) for sentence in varied_sentences)
            examples += taught(teacher, pieces, varied_sentences)
    for _ in range(arguments.versions):
        examples += taught(teacher, pieces, written_sentences(mentions, draw))
    for path in arguments.text:
        examples += taught(teacher, pieces, text_lines(path, arguments.lines, draw))
    read = sum(len(example.tags) for example in examples)
    print(f"{read:,} words read by the teacher in {time.monotonic() - begun:.0f} s", flush=True)

    student = Student(count, len(TAGS))
    student.start_from(torch.from_numpy(embedded))
    optimizer = torch.optim.AdamW(student.parameters(), lr=arguments.rate, weight_decay=0.02, fused=True)
    total, step = 0, 0
    student.train()
    for epoch in range(arguments.epochs):
        groups = batches([*examples, *messages(arguments.messages, mentions, pieces, draw)], draw)
        total = total or len(groups) * arguments.epochs
        sums = np.zeros(2)
        for group in groups:
            for slot in optimizer.param_groups:
                slot["lr"] = arguments.rate * min(step / (_WARM_UP * total), max(_FLOOR, 1 - step / total))
            hard, soft = losses(student, group)
            optimizer.zero_grad(set_to_none=True)
            (_HARD * hard + _SOFT * soft).backward()
            torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
            optimizer.step()
            sums += (float(hard.detach()), float(soft.detach()))
            step += 1
        told = " ".join(f"{value:.4f}" for value in sums / len(groups))
        print(f"epoch {epoch + 1}: labels, teacher {told} {time.monotonic() - begun:.0f} s", flush=True)
    digest = export_student(student, ranges(student, batches(examples, draw)[:_CALIBRATION]), about, arguments.out)
    print(f"{arguments.out}: {arguments.out.stat().st_size:,} bytes, sha256 {digest}")


if __name__ == "__main__":
    main()
