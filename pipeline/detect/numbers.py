"""Every digit-bearing token of a shadow, sorted by shape, so that recognizers look only at theirs."""

import re
from collections import defaultdict

# Digits joined by one of / . : - without a blank: dates, clock times, addresses of hosts, codes.
# No possessive group anywhere in this project: before 3.11.5 Python matches them wrongly (its issue 106052).
_TOKEN = re.compile(rb"\d+(?:[/.:\-]\d+)*")
# Two or more digit groups joined by blanks, hyphens, dots, slashes, parentheses: phones, cards, spaced identifiers.
_CHAIN = re.compile(rb"\d(?<!\d\d)\d*+(?:[ \-./()]{1,3}\d++)+")
_ATOM = re.compile(rb"\d+")
_DIGITS = b"0123456789"
_SHORTEST_CHAIN = 10  # characters: nine digits in two groups
_SHORTEST_ATOM = 8  # digits that mean something by themselves inside a longer token

Token = tuple[int, int]


class Numbers:
    """The tokens of one shadow.

    `plain[n]`: starts of unbroken runs of n digits (8 or more also where they are part of a longer token).
    `shaped[separators]`: tokens by the separators between their digit groups, such as b"//" or b"...".
    `chains`: runs of digit groups with blanks and the like between them, as the groups' places.
    """

    __slots__ = ("chains", "plain", "shaped")

    def __init__(self, shadow: bytes) -> None:
        self.plain: dict[int, list[int]] = defaultdict(list)
        self.shaped: dict[bytes, list[Token]] = defaultdict(list)
        plain, shaped = self.plain, self.shaped
        for match in _TOKEN.finditer(shadow):
            start, end = match.span()
            token = match.group()
            if token.isdigit():
                plain[end - start].append(start)
                continue
            shaped[token.translate(None, _DIGITS)].append((start, end))
            if end - start > _SHORTEST_ATOM:
                for atom in _ATOM.finditer(token):
                    if len(atom.group()) >= _SHORTEST_ATOM:
                        plain[len(atom.group())].append(start + atom.start())
        self.chains = [
            [(match.start() + atom.start(), match.start() + atom.end()) for atom in _ATOM.finditer(match.group())]
            for match in _CHAIN.finditer(shadow)
            if match.end() - match.start() >= _SHORTEST_CHAIN
        ]
