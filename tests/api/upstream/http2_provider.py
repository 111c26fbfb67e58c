"""A provider that speaks HTTP/2 alone, over TLS with a certificate of its own: what it saw of each stream."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import h2.config
import h2.connection
import h2.events

from tests.servers.certificates import own_certificate


class Second:
    """Answers every call with one frame of a stream, and ends it where `ends` says so; `lost` counts connections."""

    def __init__(self) -> None:
        self.ends = True
        self.connections = 0
        self.requests: list[dict[bytes, bytes]] = []
        self.lost = asyncio.Semaphore(0)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.connections += 1
        http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        http.initiate_connection()
        writer.write(http.data_to_send())
        try:
            while data := await reader.read(65536):
                for event in http.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        self.requests.append(dict(event.headers or ()))
                    if isinstance(event, h2.events.StreamEnded):
                        stream = event.stream_id
                        http.send_headers(stream, [(":status", "200"), ("content-type", "text/event-stream")])
                        http.send_data(stream, b": hello\n\n", end_stream=self.ends)
                writer.write(http.data_to_send())
        except ConnectionError:
            pass
        finally:
            self.lost.release()
            writer.close()

    @asynccontextmanager
    async def listening(self, folder: Path) -> AsyncIterator[tuple[str, ssl.SSLContext]]:
        """Its address, and how a client checks its certificate."""
        certificate, key = own_certificate(folder)
        ours = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        ours.load_cert_chain(certificate, key)
        ours.set_alpn_protocols(["h2"])
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=ours)
        try:
            port = server.sockets[0].getsockname()[1]
            yield f"https://127.0.0.1:{port}", ssl.create_default_context(cafile=str(certificate))
        finally:
            server.close()
