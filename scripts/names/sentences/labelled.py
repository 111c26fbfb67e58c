"""Turns a labelled message into words with tags."""

from pipeline.detect.tagger.pieces import words
from scripts.names.generator.messages import Labelled
from scripts.names.sentences.corpora import IGNORED, TAG

UNJUDGED = "?"  # the label of words that teach nothing


def sentence_of(message: Labelled) -> tuple[list[str], list[int]]:
    """The words of a message with their tags."""
    texts, places = words(message.text)
    tags: list[int] = []
    spans = iter(message.spans)
    span = next(spans, None)
    is_open = False  # whether the span has begun
    for start, end in places:
        while span is not None and start >= span[1]:
            span, is_open = next(spans, None), False
        tag = 0
        if span is not None and end > span[0]:
            tag = IGNORED if span[2] == UNJUDGED else TAG[f"{'I' if is_open else 'B'}-{span[2]}"]
            is_open = True
        tags.append(tag)
    return texts, tags
