"""Traces, if the operator names a collector: spans of calls, stages, sandboxed children, stores and providers.

A file's trace begins with its upload and goes through the queue: each message carries a `traceparent` (W3C Trace
Context). Spans have names and attributes that the code gives them, of an exception only its type, and nothing that a
caller sent: of the caller's own headers `traceparent` counts, `tracestate` and `baggage` do not.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final
from uuid import uuid4

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import INVALID_SPAN, Span, SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from schemas.errors import type_name
from schemas.telemetry.metrics import STORE_SECONDS
from schemas.version import VERSION

TRACEPARENT: Final = "traceparent"  # W3C Trace Context, section 3.2
_W3C = TraceContextTextMapPropagator()
_EXPORT_SECONDS = 2  # for one batch; a collector that is away must not hold up the end of a process
_NOTHING: AbstractContextManager[Any] = nullcontext(INVALID_SPAN)

_provider: Any = None  # opentelemetry.sdk.trace.TracerProvider, which costs memory and is imported when it is needed
_tracer: Tracer | None = None


def configure(url: str | None, share: float, service: str) -> None:
    """Sends a share of this process's traces to a collector (OTLP over HTTP), in batches, by a thread of its own.

    Spans that the collector does not take are lost, and nothing waits for them.
    """
    global _provider, _tracer  # noqa: PLW0603 - one for each process, as the log
    if url is None or _provider is not None:
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    sampler = TraceIdRatioBased(share)
    resource = Resource.create(
        {"service.name": service, "service.version": VERSION, "service.instance.id": str(uuid4())}
    )
    # A caller can ask for no trace, but not for more of them than the operator wants.
    _provider = TracerProvider(sampler=ParentBased(sampler, remote_parent_sampled=sampler), resource=resource)
    _provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(url, timeout=_EXPORT_SECONDS)))
    _tracer = _provider.get_tracer("masker", VERSION)


def close() -> None:
    """Sends what is left. Without a collector it gives up after seconds."""
    global _provider, _tracer  # noqa: PLW0603
    if _provider is not None:
        _provider.shutdown()
        _provider = _tracer = None


def span(
    name: str, kind: SpanKind = SpanKind.INTERNAL, *, parent: str | None = None, **attributes: str | int
) -> AbstractContextManager[Span]:
    """A span around the block: under the one that is open here, or under `parent`, a traceparent from outside."""
    return _NOTHING if _tracer is None else _opened(_tracer, name, kind, parent, attributes)


def inner_span(name: str, kind: SpanKind = SpanKind.INTERNAL, **attributes: str | int) -> AbstractContextManager[Span]:
    """As `span`, but only inside another: what the background does begins no traces."""
    if _tracer is None or not trace.get_current_span().is_recording():
        return _NOTHING
    return _opened(_tracer, name, kind, None, attributes)


def traceparent() -> str | None:
    """The open span, as the header that others continue its trace by. None when there is none."""
    carrier: dict[str, str] = {}
    if _tracer is not None:
        _W3C.inject(carrier)
    return carrier.get(TRACEPARENT)


def trace_id() -> str | None:
    """The id of the open trace, as 32 hexadecimal digits. None when there is none."""
    if _tracer is None:
        return None
    around = trace.get_current_span().get_span_context()
    return trace.format_trace_id(around.trace_id) if around.is_valid else None


@contextmanager
def timed_store(store: str) -> Iterator[None]:
    """Measures a transaction, a request or a question to one of the stores, as a metric and in the trace."""
    with STORE_SECONDS.labels(store).time(), inner_span(store, SpanKind.CLIENT):
        yield


@contextmanager
def _opened(
    tracer: Tracer, name: str, kind: SpanKind, parent: str | None, attributes: dict[str, str | int]
) -> Iterator[Span]:
    around = None if parent is None else _W3C.extract({TRACEPARENT: parent}, Context())
    named = {f"masker.{key}": value for key, value in attributes.items()}
    with tracer.start_as_current_span(
        name, around, kind, named, record_exception=False, set_status_on_exception=False
    ) as opened:
        try:
            yield opened
        except BaseException as error:
            opened.set_attribute("error.type", type_name(error))
            opened.set_status(Status(StatusCode.ERROR))
            raise
