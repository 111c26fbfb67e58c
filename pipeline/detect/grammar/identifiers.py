"""Recognizes words inside e-mail addresses, hosts, user names, URLs and file paths. No name is found there."""

import re

_LONGEST = 96  # characters that are read on each side
# The characters of such identifiers. A colon or a backslash counts only as in `https://` and `C:\Users`, not in `\n`.
_BODY = r"[A-Za-z0-9_.%+~&?=#@/$-]|://|:[0-9]|\\(?![nrt\"'])"
_AFTER = re.compile(rf"(?:{_BODY})*")
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")
_FILE = re.compile(r".*[^./]\.[a-z][a-z0-9]{1,4}")
_USER_NAME = re.compile(r"\w+(?:\.\w+)*")
_NO_USER_NAME = frozenset("/(@")  # what follows it
_MARKS = frozenset("@\\/._-")
# The rest of a spelled address: sara [at] example [dot] com.
_OPENS = frozenset(" [({<._-")
_SPELLED_AFTER = re.compile(
    r"(?:[._-][a-z0-9._-]{1,30})?"
    r"(?: ?[\[({<] ?(?:at|@) ?[\])}>] ?[a-z0-9]| at [a-z0-9-]{1,40}(?: dot | ?[\[({<] ?dot))",
    re.IGNORECASE,
)


def in_identifier(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is part of a machine-readable identifier. Reads up to 96 characters on each side."""
    if text[end : end + 1] in _OPENS and " " not in text[start:end] and _SPELLED_AFTER.match(text, end):
        return True
    near = text[max(0, start - 1) : start] + text[end : end + 1]
    if _MARKS.isdisjoint(near):
        return False
    before = text[max(0, start - _LONGEST) : start]
    head = _run_before(before)
    tail = _AFTER.match(text, end, end + _LONGEST)
    token = (head + text[start:end] + (tail.group() if tail else "")).rstrip(".-?")
    if " " in text[start:end]:
        return bool(head.endswith(("\\", "@")) and len(head) > 1) or "@" in (tail.group() if tail else "")
    if "@" in token:
        return not token.startswith("@") or "." in token or "_" in token
    if "\\" in token or "://" in token or token.startswith("www."):
        return True
    glued = before[: len(before) - len(head)][-1:].isalnum()
    if "/" in token:
        path = token.startswith(("/", "~/", "./", "../")) and not glued and len(token) > len(text[start:end]) + 1
        return path or bool(_FILE.fullmatch(token) and "/" in token)
    return bool(_HOST.fullmatch(token) or (_FILE.fullmatch(token) and token[0].isalnum()))


def user_name_around(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The user name (`@example`), without its mark, that `text[start:end]` lies in; None if it lies in none.

    A package (`@scope/name`), a call (`@app.route(...)`) and an e-mail address are none.
    """
    mark = text.rfind("@", max(0, start - _LONGEST), start)
    if mark < 0 or (mark and (text[mark - 1] in _SAFE or text[mark - 1].isalnum())):
        return None
    name = _USER_NAME.match(text, mark + 1, mark + 1 + _LONGEST)
    if name is None or name.end() < end:
        return None
    following = text[name.end() : name.end() + 1]
    return None if following in _NO_USER_NAME or following.isalnum() else name.span()


def _run_before(before: str) -> str:
    """The end of `before` that belongs to one identifier."""
    index = len(before)
    while index and (before[index - 1] in _SAFE or (before[index - 1] in ":\\" and _is_joint(before, index - 1))):
        index -= 1
    return before[index:]


_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.%+~&?=#@/$-")


def _is_joint(text: str, index: int) -> bool:
    """Whether a colon or a backslash belongs to an identifier: `https://`, `CORP\\user`; not `name:`, not `\\n`."""
    following = text[index + 1 : index + 3]
    if text[index] == ":":
        return following == "//" or following[:1] == "\\"
    return following[:1] not in ("n", "r", "t", '"', "'") or text[:index].endswith(":")
