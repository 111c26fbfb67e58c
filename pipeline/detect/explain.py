"""Puts together what made each surviving span: its shape, its check, its cue word, and whom it outranked."""

from collections import defaultdict
from collections.abc import Iterable

from pipeline.detect.normalize import NormalizedText
from pipeline.detect.resolve import Contest
from pipeline.detect.shapes import holds, shape_of
from pipeline.detect.trace import Trace
from schemas.spans import Cue, Span, Why


def reasons(text: NormalizedText, survivors: list[Span], contest: Contest) -> dict[Span, Why]:
    """Why each of `survivors` (normalized offsets) stands, and what made those who lost to it.

    Everything in the answer is in offsets of the original.
    """
    trace = text.trace or Trace()
    if text.expanded:
        trace = trace.widened(text.whole)
    beaten = beaten_by(contest)
    losers = [loser for loser, _ in contest.lost]
    why: dict[Span, Why] = {}
    for span in (*survivors, *losers):
        made = contest.rests.get(span, span)
        shape = shape_of(made.recognizer, made.type)
        note = trace.of((made.start, made.end), shape.source or made.recognizer)
        passed = shape.check is not None and holds(shape.check, text.text[made.start : made.end])
        reason = Why(
            shape=note.shape or shape.text,
            check=shape.check if passed else None,
            cue=_cue(text, note.cue),
            whole=made == span,
            outranked=tuple(_moved(text, loser) for loser in others(span, beaten.get(span, ()))),
        )
        why.setdefault(_moved(text, span), reason)
    return why


def beaten_by(contest: Contest) -> dict[Span, list[Span]]:
    """Those who lost, by whom they lost to."""
    beaten: dict[Span, list[Span]] = defaultdict(list)
    for loser, winners in contest.lost:
        for winner in winners:
            beaten[winner].append(loser)
    return beaten


def others(winner: Span, losers: Iterable[Span]) -> list[Span]:
    """The losers by position, each once, without those that say of the place what the winner says."""
    same = winner[:3]
    return sorted({loser[:3]: loser for loser in losers if loser[:3] != same}.values())


def _cue(text: NormalizedText, cue: Cue | None) -> Cue | None:
    return None if cue is None else Cue(*text.original_span(cue.start, cue.end), cue.certain)


def _moved(text: NormalizedText, span: Span) -> Span:
    start, end = text.original_span(span.start, span.end)
    return span._replace(start=start, end=end)
