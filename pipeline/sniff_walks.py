"""Looks at a stream chunk by chunk, in constant memory: for a mark, for a whole JPEG, for plain text."""

import codecs


class Mark:
    """Whether some bytes occurred in a stream, across chunk borders."""

    def __init__(self, mark: bytes) -> None:
        self._mark = mark
        self._rest = b""
        self.seen = False

    def feed(self, chunk: bytes) -> None:
        if not self.seen:
            joined = self._rest + chunk
            self.seen = self._mark in joined
            self._rest = joined[-len(self._mark) + 1 :]


class JpegWalk:
    """Walks a JPEG's segments up to its first scan, so that a thumbnail's own end mark does not count, then looks for
    the end of image (ITU-T T.81, B.1). Bytes may follow the end."""

    def __init__(self) -> None:
        self._pending = b""
        self._skip = 0
        self._state = "start"

    @property
    def complete(self) -> bool:
        return self._state == "done"

    def feed(self, chunk: bytes) -> None:
        if self._state in ("done", "bad"):
            return
        if self._skip >= len(chunk):
            self._skip -= len(chunk)
            return
        data, self._skip = self._pending + chunk[self._skip :], 0
        position = 0
        while self._state in ("start", "segments"):
            step = self._step(data, position)
            if step is None:
                self._pending = data[position:]
                return
            position += step
            if position > len(data):
                self._skip, self._pending = position - len(data), b""
                return
        if self._state == "scan":
            end = data.find(b"\xff\xd9", position)
            self._state = "done" if end >= 0 else "scan"
            self._pending = data[-1:]

    def _step(self, data: bytes, at: int) -> int | None:
        """How many bytes the next thing takes; None: more bytes are needed to tell."""
        if self._state == "start":
            if len(data) - at < 3:
                return None
            self._state = "segments" if data[at : at + 3] == b"\xff\xd8\xff" else "bad"
            return 2
        if len(data) - at < 4:
            return None
        if data[at] != 0xFF:
            self._state = "bad"
            return 0
        marker = data[at + 1]
        if marker == 0xFF:  # fill byte
            return 1
        if marker == 0xD9:  # an end before any scan: no picture
            self._state = "bad"
            return 0
        if marker == 0x01 or 0xD0 <= marker <= 0xD7:  # markers without a length
            return 2
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if length < 2:
            self._state = "bad"
        elif marker == 0xDA:
            self._state = "scan"
        return 2 + length


class TextWalk:
    """Whether a stream is text without control characters: Unicode with or without a mark, or a code page."""

    def __init__(self) -> None:
        self._first = b""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._single_byte = False
        self._good = True
        self._seen = False

    def feed(self, chunk: bytes) -> None:
        if not self._good or not chunk:
            return
        if self._decoder is None and not self._single_byte:
            self._first += chunk
            if len(self._first) < _FIRST:
                return
            chunk, self._first = self._first, b""
            self._begin(chunk)
        self._look(chunk, final=False)

    def finish(self) -> bool:
        """True when everything fed was text, and something was."""
        if self._first and self._good:
            self._begin(self._first)
            self._look(self._first, final=False)
        if self._good:
            self._look(b"", final=True)
        return self._good and self._seen

    def _begin(self, first: bytes) -> None:
        encoding = next((encoding for mark, encoding in _MARKS if first.startswith(mark)), None) or _unmarked(first)
        self._wide = encoding != "utf-8"
        self._decoder = codecs.getincrementaldecoder(encoding)("strict")

    def _look(self, chunk: bytes, final: bool) -> None:
        if not self._good:
            return
        self._seen = self._seen or bool(chunk)
        if self._decoder is None:
            self._good = not any(control in chunk for control in _CONTROL_BYTES)
            return
        try:
            text = self._decoder.decode(chunk, final)
        except UnicodeDecodeError:
            # Not UTF-8: a single-byte code page then, if it holds no control characters.
            self._decoder, self._good = None, not self._wide
            self._single_byte = True
            if self._good:
                self._look(chunk, final)
            return
        self._good = not any(control in text for control in _CONTROLS)


# Control characters that no text file holds. Tab, line ends, vertical tab, form feed and the old end-of-file mark may.
_CONTROLS = tuple(chr(c) for c in range(32) if chr(c) not in "\t\n\v\f\r\x1a")
_CONTROL_BYTES = tuple(c.encode() for c in _CONTROLS)

_FIRST = 512  # bytes that tell the encoding
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


_HIGH = frozenset(b"\x00\x06\x07\x20\xfb\xfd\xfe")  # high bytes of Latin, Arabic and punctuation in UTF-16
_MOST = 0.9  # share of such bytes from which on text is UTF-16


def _unmarked(first: bytes) -> str:
    """The encoding of text without a mark: in wide ones every delimiter and line end has zeros at the same places."""
    first = first[: len(first) // 4 * 4]
    if 0 not in first:
        return "utf-8"
    for encoding, one, two in (("utf-32-le", 2, 3), ("utf-32-be", 0, 1)):
        if not any(first[one::4]) and not any(first[two::4]):
            return encoding
    for encoding, high, low in (("utf-16-le", first[1::2], first[::2]), ("utf-16-be", first[::2], first[1::2])):
        if 0 in high and 0 not in low and sum(byte in _HIGH for byte in high) >= _MOST * len(high):
            return encoding
    return "utf-8"
