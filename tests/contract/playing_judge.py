"""A server on loopback that plays the judge: chat-completions as an operator's model would, and every way to fail."""

import json
import threading
from collections.abc import Callable, Collection, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Asked = dict[str, Any]
Play = Callable[["Turn"], None]


class Turn:
    """One request to the judge: what was asked, and the socket to answer on."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: bytes, over: threading.Event) -> None:
        self.path, self.headers, self.body = handler.path, dict(handler.headers), body
        self.over = over  # set when the test has what it wants: whoever dawdles may go home
        self._handler = handler

    @property
    def request(self) -> Asked:
        """The chat-completions request."""
        return dict(json.loads(self.body))

    @property
    def question(self) -> Asked:
        """What the user message holds."""
        return dict(json.loads(self.request["messages"][-1]["content"]))

    def send(self, status: int, body: bytes, **headers: str) -> None:
        """A whole answer."""
        self.begin(status, {"Content-Length": str(len(body)), **headers})
        self.more(body)

    def begin(self, status: int, headers: dict[str, str]) -> None:
        """The head of an answer."""
        self._handler.send_response(status)
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.end_headers()

    def more(self, body: bytes) -> None:
        """A piece of the answer's body."""
        self._handler.wfile.write(body)
        self._handler.wfile.flush()

    def say(self, content: str) -> None:
        """A chat completion with this content."""
        self.send(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode())


class PlayingJudge:
    """The server. `play` decides what it does with each request; `turns` is what it was asked."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.play: Play = verdict()
        self.over = threading.Event()
        judge = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                turn = Turn(self, body, judge.over)
                judge.turns.append(turn)
                try:
                    judge.play(turn)
                except OSError:  # the caller did not wait
                    self.close_connection = True

            do_GET = do_POST

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """Callers that hang up are no news here."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def begin(self, play: Play) -> None:
        """A new test: nothing was asked yet."""
        self.turns.clear()
        self.play = play
        self.over.clear()

    def close(self) -> None:
        """Ends the server, whatever its threads are at."""
        self.over.set()
        self._server.shutdown()
        self._server.server_close()


def verdict(drop: Collection[str] = (), add: Iterable[tuple[str, str]] = (), *, drop_everything: bool = False) -> Play:
    """Drops the doubted findings of these values, and adds these (type, value) pairs."""
    added = [{"type": type_, "value": value} for type_, value in add]

    def play(turn: Turn) -> None:
        doubted = turn.question["doubted"]
        wanted = [item["id"] for item in doubted if drop_everything or item["value"] in drop]
        turn.say(json.dumps({"drop": list(range(100)) if drop_everything else wanted, "add": added}))

    return play
