"""HTTP/1.1 (RFC 9112) on uvicorn's protocol over llhttp: bounds, timeouts, and our answers to what is no HTTP.

llhttp refuses lengths that are said twice, or in two ways (section 6.1). What it leaves to its callers is here: the
sizes of heads and trailers, requests that are sent ahead, and offers to speak another protocol.
"""

import asyncio

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from starlette.responses import Response
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from api.http.errors import error_response
from api.http.joined_writes import JoinedWrites
from api.http.middleware import request_id
from schemas.errors import InvalidRequest, MaskerError, RequestTimeout

HEAD_BYTES = 16 * 1024  # of a request's head, and of the trailers and other lines between the parts of a body
# That a connection may be idle: longer than clients and load balancers (60 s) keep one, because a request that is sent
# while the connection is being closed fails.
IDLE_SECONDS = 75
REST_SECONDS = 5  # in which the rest of a body is dropped that was answered before its end
HEAD_SECONDS = 20.0  # from a connection's or a request's first byte to the end of its head
MOST_AHEAD = 100  # requests that may wait for the answer to the one before them
_VERSIONS = ("1.0", "1.1")
_FRAMING = frozenset({b"content-length", b"transfer-encoding"})


class Protocol(HttpToolsProtocol):
    """Answers malformed requests, and heads that take longer than HEAD_SECONDS, in the shape of all other answers.

    An answer that is given before the end of the body (most often an error) is sent at once. The rest of the body is
    read and dropped for REST_SECONDS, so that the client can read the answer, and no longer.
    """

    _head_timer: asyncio.TimerHandle | None = None
    _running: RequestResponseCycle | None = None  # the call that was begun last; `cycle` may wait for its answer
    _in_head = _in_body = False  # what of a request was begun and not ended
    _head_bytes = 0  # of the head and the trailers
    _unseen_bytes = 0  # that came since the parser last told of a head or of a part of a body
    _is_offer = False  # the request offers to speak another protocol
    _is_retold = False  # the parser has been told the head by us
    _is_malformed = False  # nothing more is read: it is answered after the requests before it

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts the timeout of the request head."""
        super().connection_made(JoinedWrites(transport))
        self.access_log = False  # uvicorn's own lines hold paths and queries as sent
        self._start_head_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends the timeouts of the connection, and tells the call that nobody waits for its answer."""
        self._cancel_head_timer()
        if self._running is not None:
            self._running.disconnected = not self._running.response_complete
            self._running.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Passes bytes to the HTTP parser, and starts the head's timeout when a new head begins."""
        if self._is_malformed or self.transport.is_closing():
            return
        if not (self._in_body and self.cycle.response_complete):
            self._unset_keepalive_if_required()
        self._unseen_bytes += len(data)
        try:
            self._feed(data)
            if self._unseen_bytes > HEAD_BYTES:
                raise HttpParserError("longer than HEAD_BYTES")
        except HttpParserError:
            self._end_malformed()
            return
        self._time_head()

    def _feed(self, data: bytes) -> None:
        """HttpParserError."""
        try:
            self.parser.feed_data(data)
        except HttpParserUpgrade as offer:
            # The parser takes what follows for the other protocol. We accept none (RFC 9110, section 7.8), so another
            # parser reads the request's body and the requests after it.
            self._is_offer, self._is_retold = False, True
            self.parser = HttpRequestParser(self)
            self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
            self.parser.feed_data(self._framing())
            self._is_retold = False
            self._feed(data[offer.args[0] :])

    def _framing(self) -> bytes:
        """A head with the length of the last request's body, and nothing else."""
        ends = () if self.cycle.keep_alive else ((b"connection", b"close"),)
        lines = [b"%s: %s" % header for header in (*self.headers, *ends) if header[0] in _FRAMING or header in ends]
        return b"\r\n".join([b"POST / HTTP/1.1", *lines, b"", b""])

    def on_message_begin(self) -> None:
        """A head begins."""
        self._unset_keepalive_if_required()
        self._in_head, self._head_bytes, self._unseen_bytes = True, 0, 0
        if not self._is_retold:
            super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """A part of the request's target. HttpParserError."""
        self._count(url)
        if not self._is_retold:
            super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A line of the head; one behind the body is dropped. HttpParserError."""
        self._count(name, b": ", value, b"\r\n")
        if self._in_head and not self._is_retold:
            super().on_header(name, value)

    def _count(self, *parts: bytes) -> None:
        self._head_bytes += sum(map(len, parts))
        if self._head_bytes > HEAD_BYTES:
            raise HttpParserError("longer than HEAD_BYTES")

    def on_headers_complete(self) -> None:
        """Starts the call, or lets it wait for the one before it. HttpParserError."""
        self._in_head, self._unseen_bytes = False, 0
        if not self._is_retold:
            self._check_head()
            if len(self.pipeline) >= MOST_AHEAD:
                raise HttpParserError("more than MOST_AHEAD")
            self._is_offer = self.parser.should_upgrade()
            super().on_headers_complete()
        self._in_body = True

    def _check_head(self) -> None:
        """What the parser does not check (RFC 9112, sections 2.5, 3.2 and 6.1). HttpParserError."""
        version, hosts = self.parser.get_http_version(), sum(name == b"host" for name, _ in self.headers)
        if version not in _VERSIONS or hosts > 1 or (not hosts and version == "1.1"):
            raise HttpParserError("the version, or the number of hosts")
        if any(name == b"transfer-encoding" and value.lower() != b"chunked" for name, value in self.headers):
            raise HttpParserError("a transfer coding that is not read")

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        self._unseen_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole; one with an offer to speak another protocol not yet."""
        if not self._is_offer:
            self._in_body, self._unseen_bytes = False, 0
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Starts the timeout of the connection, which a further request stops."""
        self.timeout_keep_alive = REST_SECONDS if self._in_body else IDLE_SECONDS
        is_last = not self.pipeline
        super().on_response_complete()
        if is_last and self._is_malformed:
            self._refuse(InvalidRequest())
        elif is_last and self._in_head:
            self._unset_keepalive_if_required()
            self._time_head()

    def _end_malformed(self) -> None:
        """Answers bytes that are not HTTP, which no middleware sees, after the requests before them."""
        self._is_malformed = True
        self._cancel_head_timer()
        if self._is_answered() or (self._in_body and self.cycle is self._running):
            self._refuse(InvalidRequest())
        elif self._in_body and self.pipeline:
            self.pipeline.popleft()  # it waits for a body that will not come
        self.flow.resume_reading()  # bytes that are left unread would reset the connection before its answers are read

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _is_blocked(self) -> bool:
        """Whether the geo restriction lets this peer see nothing but a bare 403."""
        return self.client is not None and self.config.app.state.access_rules.is_blocked(self.client[0])  # type: ignore[union-attr]

    def _path(self) -> str:
        """The path of the request that is refused; empty when its head has not arrived."""
        is_open = self.cycle is not None and not self.cycle.response_complete
        return str(self.cycle.scope["path"]) if is_open else ""

    def _is_answered(self) -> bool:
        """Whether no call is running."""
        return self._running is None or self._running.response_complete

    def _time_head(self) -> None:
        """Lets the head's timeout run while one is awaited: not while a call is running, or a timeout between calls."""
        if self._is_answered() and not self._in_body and self.timeout_keep_alive_task is None:
            self._start_head_timer()
        else:
            self._cancel_head_timer()

    def _start_head_timer(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._time_out)

    def _cancel_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _time_out(self) -> None:
        self._refuse(RequestTimeout())

    def _refuse(self, error: MaskerError) -> None:
        """Writes the error answer directly, because no call may have begun, and closes."""
        is_answered = self.cycle is not None and self.cycle.response_started
        if (
            not (is_answered and (self._in_body or not self.cycle.response_complete))
            and not self.transport.is_closing()
        ):
            refusal = Response(status_code=403) if self._is_blocked() else error_response(error, self._path())
            headers = [item for item in refusal.raw_headers if item[0] != b"connection"]
            headers += [(b"x-request-id", request_id().encode()), (b"connection", b"close")]
            lines = [*(b"%s: %s" % header for header in headers), b"", bytes(refusal.body)]
            self.transport.write(STATUS_LINE[refusal.status_code] + b"\r\n".join(lines))
        self.transport.close()
