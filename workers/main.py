"""The module that Dramatiq's runner loads in every worker process: the broker with actors, sweeper and webhooks."""

import gc

from schemas.settings import load_settings
from schemas.telemetry import logs, tracing
from storage.monitoring import serve_metrics
from storage.opening import Storage
from workers.actors import declare
from workers.context import Context
from workers.last_spans import LastSpans
from workers.orphans import end_with_runner
from workers.sweep import Sweeper
from workers.warming import Warming
from workers.webhooks import WebhookSender

end_with_runner()

settings = load_settings()
logs.configure(settings.log_format)
storage = Storage.open(settings)
context = Context.open(settings, storage)
serve_metrics(settings)
tracing.configure(settings.traces_url, settings.traces_ratio, "masker-worker")
gc.freeze()  # what is loaded lives as long as the process; the collector need not walk it
broker = storage.broker
declare(broker, context)
broker.add_middleware(LastSpans())
broker.add_middleware(Warming(context))
broker.add_middleware(Sweeper(storage, settings))
broker.add_middleware(WebhookSender(storage, settings))
