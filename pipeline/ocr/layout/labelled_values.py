"""Lines that follow again with a value behind its label: cells below headings, and numbers behind misread labels."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipeline.detect.text.headings import has_label, label_of
from pipeline.documents.document import Reading, Word
from pipeline.ocr.layout.headed_cells import LabelledValue, headed_cells
from pipeline.ocr.layout.lines import words_by_line

_STOPS = " .:#"  # at the end of a label
_MOST_WORDS = 4  # of a label
_BEHIND = 6  # words of a value, which may stand in groups


def with_labelled_values(reading: Reading) -> Reading:
    """The reading with each such value again at its end, in a line behind the label.

    The words keep their boxes; a label has that of the first word that says it. O(words log words).
    """
    lines = list(words_by_line(reading))
    parts, words, position = [reading.text], list(reading.words), len(reading.text)
    for label, said, own in (*headed_cells(reading.text, lines), *_behind_misread_labels(reading.text, lines)):
        value = reading.text[own[0].start : max(word.end for word in own)]
        line = f"{label.rstrip(_STOPS)}:\t{value}"
        offset = position + 1 + len(line) - len(value) - own[0].start
        words.append(replace(said[0], start=position + 1, end=position + 1 + len(line) - len(value) - 2))
        words += [replace(word, start=word.start + offset, end=word.end + offset) for word in own]
        parts.append(line)
        position += 1 + len(line)
    return replace(reading, text="\n".join(parts), words=tuple(words)) if len(parts) > 1 else reading


def _behind_misread_labels(text: str, lines: Sequence[tuple[int, int, list[Word]]]) -> Iterator[LabelledValue]:
    """The numbers in lines behind words that are a label but for a letter, each with that label."""
    for _, _, words in lines:
        said = [text[word.start : word.end] for word in words]
        for place, one in enumerate(said):
            if not any(map(str.isdigit, one)) or not place or any(map(str.isdigit, said[place - 1])):
                continue
            before = said[max(0, place - _MOST_WORDS) : place]
            if has_label(" ".join(before)):
                continue
            phrases = (" ".join(before[first:]).strip(_STOPS) for first in range(len(before)))
            label = next(filter(None, map(label_of, phrases)), "")
            if label:
                yield LabelledValue(label, words[place - 1 : place], words[place : place + _BEHIND])
