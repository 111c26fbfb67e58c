"""A model provider on loopback: a real HTTP/1.1 server that keeps every byte it receives and answers by script."""

import json
import queue
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 20.0  # seconds after which whatever a test waits for is not going to happen
Play = Callable[["Turn"], None]


@dataclass
class Turn:
    """One request, as it came over the wire, and the socket to answer on."""

    raw: bytes
    wire: socket.socket
    over: threading.Event  # set when the test ends: whoever dawdles may go home
    gone: threading.Event = field(default_factory=threading.Event)  # set when its client has hung up
    _is_chunked: bool = False

    @property
    def path(self) -> str:
        """Path and query as sent."""
        return self.raw.split(b" ", 2)[1].decode()

    @property
    def headers(self) -> dict[str, str]:
        """Names in lower case; the values of one name joined."""
        found: dict[str, str] = {}
        for line in self.raw.partition(b"\r\n\r\n")[0].split(b"\r\n")[1:]:
            name, _, value = line.decode("latin-1").partition(":")
            name = name.strip().lower()
            found[name] = f"{found[name]}, {value.strip()}" if name in found else value.strip()
        return found

    @property
    def body(self) -> bytes:
        """As it came."""
        return self.raw.partition(b"\r\n\r\n")[2]

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)

    def send(self, status: int, body: bytes, headers: Iterable[tuple[str, str]] = ()) -> None:
        """A whole answer; JSON unless the headers say otherwise."""
        named = {name.lower() for name, _ in headers}
        lines = [*headers, ("Content-Length", str(len(body)))]
        if "content-type" not in named:
            lines.append(("Content-Type", "application/json"))
        self._head(status, lines)
        self.wire.sendall(body)

    def begin(self, status: int = 200, headers: Iterable[tuple[str, str]] = ()) -> None:
        """The head of an answer in chunks, an event stream unless the headers say otherwise."""
        lines = [*headers, ("Transfer-Encoding", "chunked")]
        if "content-type" not in {name.lower() for name, _ in headers}:
            lines.append(("Content-Type", "text/event-stream; charset=utf-8"))
        self._head(status, lines)
        self._is_chunked = True

    def more(self, *pieces: bytes) -> None:
        """Pieces of the answer, each in a network chunk of its own."""
        for piece in pieces:
            self.wire.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if piece else b"")

    def end(self) -> None:
        """The answer's ordinary end."""
        self.wire.sendall(b"0\r\n\r\n")

    def stream(self, pieces: Iterable[bytes], headers: Iterable[tuple[str, str]] = ()) -> None:
        """A whole streamed answer."""
        self.begin(headers=headers)
        self.more(*pieces)
        self.end()

    def die(self) -> None:
        """The connection is cut."""
        self.wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.wire.close()

    def wait_until_gone(self) -> bool:
        """Whether the client hung up, in reasonable time; sends nothing meanwhile."""
        self.wire.settimeout(PATIENCE)
        try:
            if self.wire.recv(1) == b"":
                self.gone.set()
        except TimeoutError:
            pass
        except OSError:
            self.gone.set()
        return self.gone.is_set()

    def _head(self, status: int, lines: Iterable[tuple[str, str]]) -> None:
        head = f"HTTP/1.1 {status} Whatever\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines) + "\r\n"
        self.wire.sendall(head.encode("latin-1"))


class ScriptedProvider:
    """The server. `play` decides what it does with each request; `turns` is what it was sent."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.came: queue.SimpleQueue[Turn] = queue.SimpleQueue()
        self.play: Play = lambda turn: turn.send(500, b"{}")
        self.connections = 0
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def begin(self, play: Play) -> None:
        """A new test: nothing was sent yet."""
        self._over.set()
        self._over = threading.Event()
        self.turns = []
        self.came = queue.SimpleQueue()
        self.play = play

    @property
    def turn(self) -> Turn:
        """The one request that came."""
        (turn,) = self.turns
        return turn

    @property
    def received(self) -> bytes:
        """Everything that came."""
        return b"".join(turn.raw for turn in self.turns)

    def next(self) -> Turn:
        """The next request, as soon as it is here."""
        return self.came.get(timeout=PATIENCE)

    def close(self) -> None:
        """Ends the server, whatever its threads are at."""
        self._over.set()
        self._listener.close()

    def _listen(self) -> None:
        while True:
            try:
                wire, _ = self._listener.accept()
            except OSError:
                return
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            threading.Thread(target=self._serve, args=(wire,), daemon=True).start()

    def _serve(self, wire: socket.socket) -> None:
        with wire:
            try:
                while (raw := _request(wire)) is not None:
                    turn = Turn(raw, wire, self._over)
                    self.turns.append(turn)
                    self.came.put(turn)
                    try:
                        self.play(turn)
                    except OSError:
                        turn.gone.set()
                        raise
            except (OSError, ValueError):
                return  # cut by either side


def _request(wire: socket.socket) -> bytes | None:
    """One request's bytes; None when no more come."""
    raw = bytearray()
    while b"\r\n\r\n" not in raw:
        piece = wire.recv(65536)
        if not piece:
            return None
        raw += piece
    head, _, _ = bytes(raw).partition(b"\r\n\r\n")
    lines = [line.lower() for line in head.split(b"\r\n")]
    length = next((int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:")), 0)
    while len(raw) < len(head) + 4 + length:
        piece = wire.recv(65536)
        if not piece:
            return None
        raw += piece
    return bytes(raw)
