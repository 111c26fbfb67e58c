"""EMAIL_ADDRESS: read from the @ in both directions (lengths of RFC 5321), in ASCII or any script (RFC 6531).

Also addresses that are spelled to hide them from machines, `name [at] host [dot] com`, or torn, `name @host.com`.
"""

import re
from collections.abc import Iterator

from pipeline.detect.lexicons.loader import section, table
from pipeline.detect.recognizer import Recognizer, Rule, span
from pipeline.detect.text.context import label_kind_before
from pipeline.detect.text.normalize import NormalizedText
from pipeline.detect.text.shadow import shadow_pattern
from schemas.entities import EntityType
from schemas.spans import DetectOptions, Span

_LONGEST_LOCAL = 64
# Read backwards from the @. A dot cannot begin or end the part.
_LOCAL = re.compile(rb"[a-z0-9_+\-!#$&'*/=?^`{|}~%][a-z0-9_+\-.%&'!#$*/=?^`{|}~]*")
_LOCAL_ANY_SCRIPT = re.compile(rb"[a-z0-9_\x80-\xaf\xfe][a-z0-9_+\-.\x80-\xaf\xfe]*")
_LEADING = b".'`*/=?&{|}!#$^~%-+"  # punctuation of the text or code before it, not of the address
_DOMAIN = re.compile(
    rb"(?:[a-z0-9](?:[a-z0-9\-]{0,61}[a-z0-9])?\.){1,8}(?:xn--[a-z0-9\-]{2,59}|[a-z]{2,24})(?![a-z0-9]|-[a-z0-9]|@)"
    rb"|\[\d{1,3}(?:\.\d{1,3}){3}\]"
)
_DOMAIN_ANY_SCRIPT = re.compile(rb"(?:[a-z0-9\x80-\xaf\xfe\-]{1,63}\.){1,8}[a-z\x80-\xaf\xfe]{2,24}(?![a-z0-9])")

# Spelled and torn addresses. A sign in brackets is enough; words and blanks need a known top-level domain, too.
_IN_BRACKETS = r"[ ]?[\[({<][ ]?(?:%s)[ ]?[\])}>][ ]?"
# Three expressions, because each begins with a few fixed characters, which makes the search several times as fast.
_AT_SIGN = re.compile(rb"[\[({<][ ]?(?:at|@)[ ]?[\])}>][ ]?")
_AT_WORD = re.compile(rb" at ")
_AT = re.compile(rb"@[ ]?")
_DOT = rf"(?:{_IN_BRACKETS % 'dot|[.]'}|[ ]dot[ ]|[.])"
_PART = r"[a-z0-9_+\-]"
_SPELLED_LOCAL = re.compile(rf"(?<![a-z0-9_+.\-])({_PART}{{1,64}}(?:{_DOT}{_PART}{{1,32}}){{0,3}})$".encode())
_SPELLED_DOMAIN = re.compile(
    rf"([a-z0-9\-]{{1,63}}(?:{_DOT}[a-z0-9\-]{{1,63}}){{0,3}}){_DOT}([a-z]{{2,24}})(?![a-z0-9])".encode()
)
_TORN_DOMAIN = re.compile(rb"([a-z0-9\-]{1,63}(?:[.][a-z0-9\-]{1,63}){0,3})[ ]?[.][ ]?([a-z]{2,24})(?![a-z0-9])")
_LONGEST_SPELLED = 110  # characters of a local part
_KNOWN_DOMAINS = frozenset(section("context_words.txt", "top-level domain"))
_NOT_LOCAL = section("context_words.txt", "word before at latin")
_NAMES = frozenset(word.lower() for word, _, ambiguous, _ in table("names_latin.csv") if ambiguous == "0")
_SENT_TO = shadow_pattern(r"""
    (?<![a-z]) (?: e-?mail | mail | write | send | forward | cc ) (?: [ ] [a-z]{1,12} ){0,2}
    [ ] (?: to | us[ ]at | me[ ]at ) [ ] $
  | (?: راسل | ارسل | ايميل | مراسل ) [\x80-\xaf]{0,4} (?: [ ] [\x80-\xaf]{1,8} ){0,2} [ ] $
""")
_LONGEST_CUE = 48
_PLAIN = re.compile(rb"[^ \[({<]+")  # read by _email
_ENDS = re.compile(rb"[ ]?(?:$|[^ a-z0-9])")


def _email(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    """Every `local@domain.tld`."""
    shadow = text.shadow
    at = shadow.find(b"@")
    while at >= 0:
        place = _around(shadow, at)
        if place:
            yield span(*place, EntityType.EMAIL_ADDRESS, 0.95, "email")
        at = shadow.find(b"@", at + 1)


def _around(shadow: bytes, at: int) -> tuple[int, int] | None:
    before = shadow[max(0, at - _LONGEST_LOCAL) : at][::-1]
    local = _LOCAL.match(before)
    domain = _DOMAIN.match(shadow, at + 1)
    if local is None:
        local = _LOCAL_ANY_SCRIPT.match(before)
    if domain is None:
        domain = _DOMAIN_ANY_SCRIPT.match(shadow, at + 1)
    if local is None or domain is None:
        return None
    name = local.group()[::-1].lstrip(_LEADING)
    for joint in (b"=", b"{", b"|", b"/"):  # "user=a.b@c.sa", "mailto/a@b.sa"
        name = name.rpartition(joint)[2].lstrip(_LEADING)
    if not name or name.startswith(b"."):
        return None
    return at - len(name), domain.end()


def _spelled(text: NormalizedText, _options: DetectOptions) -> Iterator[Span]:
    """`name [at] host [dot] com`, `name at host dot com`, `name @ host.com`, `name@host .com`."""
    shadow = text.shadow
    for form in (_AT_SIGN, _AT_WORD, _AT):
        for at in form.finditer(shadow):
            domain = _SPELLED_DOMAIN.match(shadow, at.end()) or _TORN_DOMAIN.match(shadow, at.end())
            if domain is None:
                continue
            start = at.start()
            if form is not _AT_WORD and shadow[start - 1 : start] == b" ":
                start -= 1
            if shadow[start : at.end()] == b"@" and _PLAIN.fullmatch(domain[0]):
                continue
            local = _SPELLED_LOCAL.search(shadow, max(0, start - _LONGEST_SPELLED), start)
            if local and (form is _AT_SIGN or _is_address(text, local, form is _AT_WORD, domain)):
                yield span(local.start(1), domain.end(), EntityType.EMAIL_ADDRESS, 0.8, "email_spelled")


def _is_address(text: NormalizedText, before: re.Match[bytes], by_word: bool, domain: re.Match[bytes]) -> bool:
    """Whether the words around `at` or a torn @ are an address and not a sentence: `we met at noon`."""
    local = before[1]
    if domain[2].decode() not in _KNOWN_DOMAINS or local.decode() in _NOT_LOCAL:
        return False
    if not by_word:
        return True
    is_spelled = b"dot" in domain[0]
    is_like_local = (
        not local.isalpha()
        or local.decode() in _NAMES
        or label_kind_before(text, before.start(1)) == "email"
        or _SENT_TO.search(text.shadow, max(0, before.start(1) - _LONGEST_CUE), before.start(1)) is not None
    )
    return is_spelled and (is_like_local or _ENDS.match(text.shadow, domain.end()) is not None)


RECOGNIZERS: tuple[Recognizer, ...] = (
    Rule("email", frozenset({EntityType.EMAIL_ADDRESS}), _email),
    Rule("email_spelled", frozenset({EntityType.EMAIL_ADDRESS}), _spelled),
)
