"""Says lines with groups of digits again, in the other order in which an Arabic line may mean them."""

from collections.abc import Iterator
from dataclasses import replace

from pipeline.documents.bidi import other_orders
from pipeline.documents.document import Reading, Word


def said_again(reading: Reading) -> Reading:
    """The reading with the lines that have another order once more at its end, in that order, each word at its place.

    Lines without letters belong to those around them, so the whole text decides.
    """
    parts, words, position = [reading.text], list(reading.words), len(reading.text)
    for order in other_orders(reading.text):
        for start, end in _lines(reading.text):
            if order.text[start:end] == reading.text[start:end]:
                continue
            parts.append(order.text[start:end])
            now = {place: number for number, place in enumerate(order.places[start:end])}
            words += [_moved(word, now, position + 1) for word in reading.words if start <= word.start < end]
            position += 1 + end - start
    return replace(reading, text="\n".join(parts), words=tuple(words)) if len(parts) > 1 else reading


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _moved(word: Word, now: dict[int, int], offset: int) -> Word:
    """The word where its characters stand in the other order, and whatever came between them."""
    places = [now[place] for place in range(word.start, word.end)]
    return replace(word, start=offset + min(places), end=offset + max(places) + 1)
