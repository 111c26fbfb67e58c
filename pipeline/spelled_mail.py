"""How people write an e-mail address that no program shall read: `sara (at) example dot com`."""

from collections.abc import Iterator

_AT = ("at", "ات", "ايت")  # who looks for them knows the letters that careless spelling exchanges: `آت`, `أت`
_DOT = ("dot", "دوت", "نقطة")
_LEAST = 8  # letters and digits of an address that is looked for in words


def spelled(address: str) -> Iterator[str]:
    """The address in words, blanks between them; nothing for what is none. Brackets and capitals are the reader's."""
    local, at, domain = address.rpartition("@")
    if not at or not local or sum(map(str.isalnum, address)) < _LEAST:
        return
    for at in _AT:
        yield f"{local} {at} {domain}"
        for dot in _DOT if at != "at" else _DOT[:1]:
            yield f"{local} {at} {domain.replace('.', f' {dot} ')}"
            if "." in local:
                yield f"{local.replace('.', f' {dot} ')} {at} {domain.replace('.', f' {dot} ')}"
