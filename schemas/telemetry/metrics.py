"""What operators watch, as Prometheus metrics of this process. Labels name routes, stages, types and codes.

No label holds an id, an address or a value: their number is bounded by the code.
"""

from prometheus_client import CollectorRegistry, Counter, Histogram

REGISTRY = CollectorRegistry()
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)

REQUEST_SECONDS = Histogram(
    "masker_http_request_duration_seconds",
    "Time from a request's head to the end of its answer.",
    ("method", "route", "status"),
    buckets=_SECONDS,
    registry=REGISTRY,
)
PROVIDER_SECONDS = Histogram(
    "masker_provider_duration_seconds",
    "Time from a call of a model provider to the head of its answer, by status; 0 where none came.",
    ("provider", "status"),
    buckets=_SECONDS,
    registry=REGISTRY,
)
WORDS = Counter("masker_words", "Words of text calls that were charged.", registry=REGISTRY)
REFUNDS = Counter(
    "masker_refunds",
    "Attempts to give the charge of a text call back, by how they ended: refunded, not_charged or failed.",
    ("outcome",),
    registry=REGISTRY,
)
for _outcome in ("refunded", "not_charged", "failed"):  # shown from the start, as 0
    REFUNDS.labels(_outcome)
SHED = Counter("masker_shed_texts", "Texts that were refused because too many waited.", registry=REGISTRY)
ENTITIES = Counter("masker_entities", "Entities found in texts and files, by type.", ("type",), registry=REGISTRY)
STAGE_SECONDS = Histogram(
    "masker_stage_duration_seconds",
    "Time of one attempt at a stage of a file job, by how it ended: done, failed, late or broken.",
    ("stage", "outcome"),
    buckets=_SECONDS,
    registry=REGISTRY,
)
FAILED_JOBS = Counter("masker_failed_jobs", "File jobs that failed, by error code.", ("error_code",), registry=REGISTRY)
PAGES = Counter("masker_pages", "Pages of the files that were opened, by format.", ("format",), registry=REGISTRY)
SANDBOX_FAILURES = Counter(
    "masker_sandbox_failures",
    "Sandboxed children without a valid reply, by what they were asked to do and why: timeout, died, garbage, broke.",
    ("verb", "cause"),
    registry=REGISTRY,
)
STORE_SECONDS = Histogram(
    "masker_store_duration_seconds",
    "Time of one transaction of the database, request to the object store, or question to the rate limiter in Redis.",
    ("store",),
    buckets=_SECONDS,
    registry=REGISTRY,
)
UNAVAILABLE = Counter(
    "masker_unavailable",
    "How often the database, the objects, the queue or the limiter did not answer.",
    ("store",),
    registry=REGISTRY,
)
EVENTS = Counter(
    "masker_swept",
    "What the sweeper did: announced (leases that ended), failed, expired, destroyed, purged, orphans, sessions.",
    ("what",),
    registry=REGISTRY,
)
