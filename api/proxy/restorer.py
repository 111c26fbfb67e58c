"""Puts originals back in the place of their tokens, in whole texts and in text that arrives piece by piece."""

import re
from collections.abc import Sequence

from api.proxy.bent import LOOK_BACK, Hit, LiveTokens
from api.proxy.joints import Minted

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


class Restorer:
    """What one request minted, ready to be restored. One pass: what was put in is never looked at again."""

    def __init__(self, minted: Minted) -> None:
        self.live = LiveTokens(minted.originals)
        self._originals = minted.originals
        self.numbers = frozenset(
            token for token in minted.numbers if _NUMBER.fullmatch(minted.originals.get(token, ""))
        )

    def original(self, token: str) -> str:
        """What the token stands for."""
        return self._originals[token]

    def text(self, text: str) -> str:
        """The text with every token of this request restored."""
        if not self.live:
            return text
        hits, settled = self.live.find(text, 0, final=True)
        return self.rendered(text, 0, settled, hits) if hits else text

    def number(self, text: str) -> str | None:
        """The digits to write when `text` is exactly one token of a number; None otherwise."""
        if not self.numbers:
            return None
        hits, _ = self.live.find(text, 0, final=True)
        whole = len(hits) == 1 and (hits[0].start, hits[0].end) == (0, len(text))
        return self._originals[hits[0].token] if whole and hits[0].token in self.numbers else None

    def rendered(self, text: str, start: int, end: int, hits: Sequence[Hit]) -> str:
        """`text[start:end]` with the hits replaced."""
        out: list[str] = []
        at = start
        for hit in hits:
            out += (text[at : hit.start], self._originals[hit.token])
            at = hit.end
        out.append(text[at:end])
        return "".join(out)


class Channel:
    """One text that arrives in pieces. What is held back is at most LONGEST characters and what decides behind them."""

    __slots__ = ("_before", "_held", "_restorer")

    def __init__(self, restorer: Restorer) -> None:
        self._restorer = restorer
        self._before = ""  # the last characters that were let go, as the model wrote them
        self._held = ""

    def feed(self, text: str) -> str:
        """What can be said now: all but the longest end that may become a token of this request."""
        return self._taken(text, final=False) if self._restorer.live else text

    def flush(self) -> str:
        """What was held back: the text is over, or is to be shown as far as it goes."""
        return self._taken("", final=True) if self._held else ""

    def _taken(self, text: str, *, final: bool) -> str:
        joined = self._before + self._held + text
        start = len(self._before)
        hits, settled = self._restorer.live.find(joined, start, final=final)
        self._before = joined[max(0, settled - LOOK_BACK) : settled]
        self._held = joined[settled:]
        return self._restorer.rendered(joined, start, settled, hits)
