"""A model provider on loopback that answers with the prompt it was sent, whole or as a stream, and keeps every body."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PIECE = 7  # characters of a frame: tokens come in pieces


class Provider(ThreadingHTTPServer):
    """Serves in a thread until it is closed. `heard`: the bodies that came."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Messages)
        self.heard: list[bytes] = []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Ends it."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A caller that is killed cuts its connection."""


class _Messages(BaseHTTPRequestHandler):
    """Messages in Anthropic's format."""

    protocol_version = "HTTP/1.1"
    server: Provider

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.heard.append(body)
        asked = json.loads(body)
        said = asked["messages"][-1]["content"]
        self.send_response(200)
        if asked.get("stream"):
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for frame in _frames(said):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(frame), frame))
            self.wfile.write(b"0\r\n\r\n")
            return
        whole = json.dumps({"type": "message", "content": [{"type": "text", "text": said}]}).encode()
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(whole)))
        self.end_headers()
        self.wfile.write(whole)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def _frames(said: str) -> list[bytes]:
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    pieces = [said[start : start + PIECE] for start in range(0, len(said), PIECE)]
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}} for piece in pieces
    ]
    ends: list[dict[str, Any]] = [{"type": "content_block_stop", "index": 0}, {"type": "message_stop"}]
    return [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in (block, *deltas, *ends)]


def spoken(stream: str) -> str:
    """The text of a streamed answer."""
    events = [json.loads(line.removeprefix("data: ")) for line in stream.splitlines() if line.startswith("data: {")]
    return "".join(each["delta"].get("text", "") for each in events if each["type"] == "content_block_delta")
