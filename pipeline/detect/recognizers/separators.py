"""What stands between two words, as one code letter: grammars read separators as they read words."""

# What follows a word: a blank, a hyphen, an apostrophe, a full stop (joined: i), a comma or table mark, a colon,
# a line end, a slash, an opening bracket or angle, anything else. A pure function of the separator's characters.
SEPARATORS = {
    " ": " ", "  ": " ", "   ": " ", "-": "-", "'": "'", ". ": ".", ".": "i", "/": "/", "/ ": "/", " / ": "/",
    ", ": ",", ",": ",", "، ": ",", "،": ",", "؛ ": ",", " - ": ",", "\t": ",", "|": ",", " | ": ",", ";": ",",
    ": ": ":", ":": ":", " : ": ":", "\n": "n", "\n\n": "n", " \n": "n", "\r\n": "n", ".\n": "n", ",\n": "n",
    " (": "(", "(": "(", " <": "<", "<": "<", "@": "@", '"': "#", ' "': "#", '" ': "#", ") ": "#",
}  # fmt: skip


def separator_code(separator: str) -> str:
    """The code of any separator. `#` ends everything."""
    return SEPARATORS.get(separator) or _of_others(separator)


def _of_others(separator: str) -> str:
    if ":" in separator or "=" in separator:
        return ":"
    if "\n" in separator or "\r" in separator:
        return "n"
    stripped = separator.strip()
    if not stripped:
        return " " if "\t" not in separator else ","
    if stripped in ("،", ",", "|", ";", "؛", "-", "—"):
        return ","
    if stripped in ("(", "[", "<"):
        return "<" if stripped == "<" else "("
    if stripped == "/":
        return "/"
    return "@" if "@" in separator else "#"
