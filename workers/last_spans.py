"""Sends the last spans of a worker process when it ends: Dramatiq's runner ends its processes without exit handlers."""

from dramatiq import Broker, Middleware, Worker

from schemas.telemetry import tracing


class LastSpans(Middleware):
    """Closes the traces of the process."""

    def after_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        """Waits seconds at most."""
        tracing.close()
