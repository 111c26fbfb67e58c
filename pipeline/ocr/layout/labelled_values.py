"""Lines that follow again with a value behind its label.

Cells below headings, numbers behind misread labels, beside labels in two lines, above labels in parentheses, and below
those that end a line of a column. Names and addresses that may go on in the next line of their column follow as one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipeline.detect.text.headings import has_known_label, labels_as_misread
from pipeline.documents.document import Reading, Word
from pipeline.ocr.layout.headed_cells import LabelledValue, headed_cells
from pipeline.ocr.layout.lines import with_further_lines, words_by_line
from pipeline.ocr.layout.stacked_labels import stacked_labels
from pipeline.ocr.layout.wrapped_lines import (
    captioned_values,
    line_pairs,
    wrapped_addresses,
    wrapped_names,
    wrapped_values,
)

_STOPS = " .:#"  # at the end of a label
_MOST_WORDS = 4  # of a label
_BEHIND = 6  # words of a value, which may stand in groups


def with_labelled_values(reading: Reading) -> Reading:
    """The reading with each such value again at its end, in a line behind the label, and names in two lines as one.

    The words keep their boxes; a label has that of the first word that says it. O(words log words).
    """
    lines = list(words_by_line(reading))
    text = reading.text
    pairs = line_pairs(text, lines)
    found = (
        *headed_cells(text, lines),
        *_behind_misread_labels(text, lines),
        *stacked_labels(text, lines),
        *wrapped_values(text, pairs),
        *captioned_values(text, pairs),
    )
    wrapped = (*wrapped_names(text, pairs), *wrapped_addresses(text, pairs))
    return with_further_lines(reading, [*(_line(text, *one) for one in found), *wrapped])


def _line(text: str, label: str, said: Sequence[Word], own: Sequence[Word]) -> tuple[str, list[Word]]:
    """The label and the words of the value, in the order of the text; what stands between them there stays away."""
    label = label.rstrip(_STOPS)
    line, words = f"{label}:\t", [replace(said[0], start=0, end=len(label))]
    end = own[0].start
    for word in own:
        between = text[end : word.start]
        line += ("\t" if between.strip() else between) + text[word.start : word.end]
        words.append(replace(word, start=len(line) - (word.end - word.start), end=len(line)))
        end = word.end
    return line, words


def _behind_misread_labels(text: str, lines: Sequence[tuple[int, int, list[Word]]]) -> Iterator[LabelledValue]:
    """The numbers in lines behind words that are a label but for a letter, each with that label."""
    for _, _, words in lines:
        said = [text[word.start : word.end] for word in words]
        for place, one in enumerate(said):
            if not any(map(str.isdigit, one)) or not place or any(map(str.isdigit, said[place - 1])):
                continue
            before = said[max(0, place - _MOST_WORDS) : place]
            if has_known_label(" ".join(before)):
                continue
            phrases = (" ".join(before[first:]).strip(_STOPS) for first in range(len(before)))
            for label in next(filter(None, map(labels_as_misread, phrases)), ()):
                yield LabelledValue(label, words[place - 1 : place], words[place : place + _BEHIND])
