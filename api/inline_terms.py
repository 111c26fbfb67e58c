"""The lists of terms that come with a single request."""

from collections.abc import Iterable
from functools import lru_cache

from schemas.spans import Action, Term, TermSet

_LISTS_REMEMBERED = 32  # at most some 20 MB each once compiled


def inline_terms(terms: Iterable[str]) -> tuple[Term, ...]:
    """Terms of a single request: custom terms, word by word, in any case."""
    return tuple(Term(term) for term in dict.fromkeys(terms))


def inline_sets(mask: Iterable[str] | None, allow: Iterable[str] | None) -> tuple[TermSet, ...]:
    """A request's `glossary` and `allow`, as sets for detection; none where there is nothing in them."""
    masked, allowed = tuple(mask or ()), tuple(allow or ())
    return (_set(masked, allowed),) if masked or allowed else ()


@lru_cache(maxsize=_LISTS_REMEMBERED)
def _set(mask: tuple[str, ...], allow: tuple[str, ...]) -> TermSet:
    """Remembered, because callers send the same lists again and again, and compiling one takes a while."""
    return TermSet((*inline_terms(mask), *(Term(term, action=Action.ALLOW) for term in dict.fromkeys(allow))))
