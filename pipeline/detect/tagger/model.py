"""Runs a tagger: an ONNX file made by scripts/names, which holds the network, the pieces and the tags."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from pipeline.detect.tagger import release
from pipeline.detect.tagger.combination import Weights, read_weights
from pipeline.detect.tagger.decode import Decoder, Scores, probabilities
from pipeline.detect.tagger.pieces import Pieces
from pipeline.detect.tagger.windows import Window, windows
from pipeline.detect.tagger.word_rows import ROW, word_row
from pipeline.detect.tagger.word_vectors import WordVectors
from pipeline.networks.onnx_session import session
from schemas.entities import EntityType

_PART = 256  # words that a convolution reads at once
_GATE = "fast"
LEAST_LIKELY = 0.01  # probability of a name, by the gate, of a word that an encoder is asked about

Read = tuple[slice, Scores]
"""Some of the words, and their scores."""
Map = Callable[[Callable[[Window], Read], Iterable[Window]], Iterable[Read]]
"""The built-in `map`, or one that computes in several threads."""


class Tagger:
    """Safe from many threads; what it keeps, vectors of words, changes no result.

    Each window is computed alone, so a result does not depend on what else is computed at the same time.
    """

    def __init__(self, data: bytes, gate: "Tagger | None" = None) -> None:
        """`data`: the content of the ONNX file. `gate`: a faster tagger, which spares an encoder text without names."""
        self._session, self._gate = session(data), gate
        about = self._session.get_modelmeta().custom_metadata_map
        self._pieces = _vocabulary(about["pieces"], about["piece_scores"])
        self._temperature = float(about.get("temperature", "1"))
        self._reach = int(about.get("reach", "0"))  # words on each side that a convolution sees; 0: an encoder
        self._vectors = WordVectors(int(about.get("width", "0")))
        self.decoder = Decoder(about["tags"].split())

    def probabilities(self, words: Sequence[str], is_open: Sequence[bool], map_: Map = map) -> Scores:
        """The probability of each tag for each word: (words, tags). `map_` reads the windows of an encoder.

        `is_open`: for each word whether it could be part of a name. Where no word of a window could, or none could by
        the gate, the window is not computed, and its words have the tag O.
        """
        shares = np.zeros((len(words), self.decoder.tags), dtype=np.float32)
        shares[:, 0] = 1.0
        if not any(is_open):
            return shares
        read = self._convolved(words, is_open) if self._reach else self._encoded(words, is_open, map_)
        for kept, scores in read:
            shares[kept] = probabilities(scores, self._temperature)
        return shares

    def _encoded(self, words: Sequence[str], is_open: Sequence[bool], map_: Map) -> Iterable[Read]:
        """The scores of an encoder, which reads pieces in windows, and the words that they belong to."""
        is_likely = self._likely(words, is_open)
        if not any(is_likely):
            return ()
        rows = [self._pieces.rows(word) for word in words]

        def read(window: Window) -> Read:
            flat = [Pieces.BEGIN]
            first: list[int] = []
            for word_rows in rows[window.first : window.last]:
                first.append(len(flat))
                flat += word_rows
            kept = first[window.kept_from - window.first : window.kept_to - window.first]
            (scores,) = self._session.run(["scores"], {"rows": np.array(flat), "first": np.array(kept)})
            return slice(window.kept_from, window.kept_to), scores

        wanted = (w for w in windows([len(word_rows) for word_rows in rows]) if any(is_likely[w.kept_from : w.kept_to]))
        return map_(read, wanted)

    def _likely(self, words: Sequence[str], is_open: Sequence[bool]) -> Sequence[bool]:
        """Which of the open words the gate does not rule out."""
        if self._gate is None:
            return is_open
        named = 1 - self._gate.probabilities(words, is_open)[:, 0]
        likely: list[bool] = (np.array(is_open) & (named >= LEAST_LIKELY)).tolist()
        return likely

    def _convolved(self, words: Sequence[str], is_open: Sequence[bool]) -> Iterator[Read]:
        """The scores of a convolution over words. The parts overlap by its reach, so it sees no difference."""
        for begin in range(0, len(words), _PART):
            end = min(begin + _PART, len(words))
            if not any(is_open[begin:end]):
                continue
            first, last = max(0, begin - self._reach), min(len(words), end + self._reach)
            known, places, new = self._vectors.of(words[first:last])
            rows = np.array([word_row(self._pieces, word) for word in new], dtype=np.int64).reshape(-1, ROW)
            scores, vectors = self._session.run(["scores", "vectors"], {"rows": rows, "known": known, "index": places})
            self._vectors.keep(new, vectors)
            yield slice(begin, end), scores[begin - first : end - first]


@cache
def _vocabulary(pieces: str, scores: str) -> Pieces:
    """Both released taggers have the same: what the gate has cut into pieces, the encoder need not cut again."""
    return Pieces(pieces.split("\n"), [float(score) for score in scores.split()])


class Names(NamedTuple):
    """A tagger with what decides between it and the rules: weights by type, and the least probability that counts.

    `temperature`: what the logit of that probability is divided by for the score that is shown. `lean`: how far the
    tagger leans towards persons in a text that stands alone (see Decoder). `tier`: its name.
    """

    tagger: Tagger
    weights: Mapping[EntityType, Weights]
    threshold: float
    temperature: float
    lean: float = 1.0
    tier: str = ""


@cache
def load(tier: str) -> Names:
    """The tagger of a tier (`accurate`), loaded once per process. WrongWeights if its file is not as released.

    The fast one is the gate of the accurate one.
    """
    data, manifest = release.read(tier)
    gate = None if tier == _GATE else load(_GATE).tagger
    return Names(
        Tagger(data, gate),
        read_weights(manifest["combination"]),
        manifest["threshold"],
        manifest["temperature"],
        manifest["lean"],
        tier,
    )
