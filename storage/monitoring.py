"""Serves the metrics of this process, and of the API's also what waits in the database, on a port of their own."""

import logging
from collections.abc import Iterator

from prometheus_client import start_http_server
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from schemas.clock import utc_now
from schemas.errors import MaskerUnavailable
from schemas.settings import InvalidSettings, Settings
from schemas.stages import Queue
from schemas.telemetry.metrics import REGISTRY
from storage.jobs.backlog import backlog
from storage.opening import Storage

log = logging.getLogger("masker.metrics")
_PORTS = 64  # processes of one worker command


class Backlog(Collector):
    """By queue: how many stages and parts of file jobs wait for a worker, and for how long the oldest of them.

    It is the same in every process that tells it: take the maximum, never the sum.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def collect(self) -> Iterator[Metric]:
        """Asks the database; nothing while it is unavailable."""
        waiting = GaugeMetricFamily(
            "masker_queue_waiting", "Stages and parts that wait for a worker.", labels=["queue"]
        )
        oldest = GaugeMetricFamily(
            "masker_queue_oldest_seconds", "For how long the oldest of them waits: what to scale by.", labels=["queue"]
        )
        try:
            with self._storage.database.reading() as session:
                found = backlog(session, utc_now())
        except MaskerUnavailable:
            return
        for queue in Queue:
            count, seconds = found.get(queue, (0, 0.0))
            waiting.add_metric([queue.value], count)
            oldest.add_metric([queue.value], seconds)
        yield waiting
        yield oldest


def serve_metrics(settings: Settings, *also: Collector) -> None:
    """Starts the thread that answers at `http://METRICS_HOST:METRICS_PORT/metrics`, if a port is set. InvalidSettings.

    Several processes of one machine take the ports from there on, one each. `also`: what else this process tells.
    """
    if settings.metrics_port is None:
        return
    for collector in also:
        REGISTRY.register(collector)
    for port in range(settings.metrics_port, settings.metrics_port + _PORTS):
        try:
            start_http_server(port, settings.metrics_host, REGISTRY)
        except OSError:  # another process of ours has it
            continue
        log.info("metrics are served", extra={"port": port})
        return
    raise InvalidSettings(
        f"MASKER_METRICS_PORT: no free port of {_PORTS}, or MASKER_METRICS_HOST is not of this machine"
    )
