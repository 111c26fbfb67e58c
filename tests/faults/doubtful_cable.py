"""A cable to PostgreSQL that breaks while a ledger entry is committed: nobody hears whether it was."""

import socket
import threading
from contextlib import suppress
from enum import Enum


class Break(Enum):
    """Where the COMMIT after the next ledger entry gets lost: on its way there, or its answer on the way back."""

    BEFORE = "before"
    AFTER = "after"


class DoubtfulCable:
    """Forwards 127.0.0.1:`port` to `host`:`to`; breaks one connection, once, when told to."""

    def __init__(self, host: str, to: int) -> None:
        self._target = (host, to)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._planned: Break | None = None
        self.broke = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def plan(self, place: Break) -> None:
        """Breaks the connection that next writes a ledger entry, at its COMMIT."""
        self._planned = place

    def close(self) -> None:
        """No new connections; those that are open end with their owners."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
            lost = threading.Event()
            for pump, ends in ((self._there, (near, far)), (self._back, (far, near))):
                threading.Thread(target=pump, args=(*ends, lost), daemon=True).start()

    def _there(self, near: socket.socket, far: socket.socket, lost: threading.Event) -> None:
        wrote = False  # a ledger entry, in the transaction that is open
        with suppress(OSError):
            while data := near.recv(65536):
                wrote = wrote or b"INSERT INTO ledger_entries" in data
                place = None
                if b"COMMIT\0" in data:
                    place, wrote = self._take() if wrote else None, False
                if place is Break.BEFORE:
                    break
                if place is Break.AFTER:
                    lost.set()
                far.sendall(data)
        _drop(near, far)

    def _back(self, far: socket.socket, near: socket.socket, lost: threading.Event) -> None:
        with suppress(OSError):
            while (data := far.recv(65536)) and not lost.is_set():
                near.sendall(data)
        _drop(near, far)

    def _take(self) -> Break | None:
        """The plan, for the first connection that comes to it."""
        with self._lock:
            place, self._planned = self._planned, None
        if place is not None:
            self.broke.set()
        return place


def _drop(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
