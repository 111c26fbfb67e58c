"""A cable between processes and a server that can be cut, slowed and mended: a TCP forwarder on a port of its own."""

import socket
import threading
import time
from contextlib import suppress


class Cable:
    """Forwards 127.0.0.1:`port` to `host`:`to`. While cut, every connection is dropped at once.

    `delay`: seconds that each piece of data is held back, in both directions.
    """

    def __init__(self, host: str, to: int) -> None:
        self._target = (host, to)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._is_cut = False
        self.delay = 0.0
        self._ends: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def cut(self) -> None:
        with self._lock:
            self._is_cut = True
            ends, self._ends = self._ends, []
        for end in ends:
            _drop(end)

    def mend(self) -> None:
        with self._lock:
            self._is_cut = False

    def close(self) -> None:
        self.cut()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._is_cut:
                    _drop(near)
                    continue
                try:
                    far = socket.create_connection(self._target)
                except OSError:  # the server is not there
                    _drop(near)
                    continue
                self._ends += [near, far]
                ways = ((near, far), (far, near))
                pumps = [threading.Thread(target=self._pump, args=way, daemon=True) for way in ways]
                self._threads += pumps
            for pump in pumps:
                pump.start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self.delay:
                    time.sleep(self.delay)
                sink.sendall(data)
        _drop(source)
        _drop(sink)


def _drop(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
