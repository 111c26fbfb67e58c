"""The `masker` command: serve, worker, migrate and sweep; all other subcommands are in api/commands.

The only module of api that may import workers. Commands import what they need when they run, so that --help is quick.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from api.commands import console
from api.commands.accounts import account, key
from api.commands.console import Json, load, show, stores
from api.commands.documents import redact_file_command
from api.commands.reports import verify_report_command
from api.commands.texts import mask_command, redact_command, restore_command

if TYPE_CHECKING:
    from schemas.settings import Settings
    from storage.opening import Storage

app = typer.Typer(
    help="Finds personal data, Saudi first, in Arabic and English, and takes it out of text and documents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # they print local variables, and those hold text
)
app.add_typer(account, name="account")
app.add_typer(key, name="key")
app.command("mask")(mask_command)
app.command("redact")(redact_command)
app.command("restore")(restore_command)
app.command("redact-file")(redact_file_command)
app.command("verify-report")(verify_report_command)


def _print_version(is_wanted: bool) -> None:
    from schemas.version import VERSION

    if is_wanted:
        typer.echo(f"masker {VERSION}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None: ...


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    processes: Annotated[
        int, typer.Option(min=1, max=64, help="API processes; more than one need MASKER_REDIS_URL.")
    ] = 1,
) -> None:
    """Serve the API. Without MASKER_REDIS_URL the workers run in this process too (embedded mode)."""
    import logging
    from contextlib import nullcontext

    from api.access_rules import AccessRules
    from api.app import create_app
    from api.http import server
    from api.http.processes import ApiProcesses, share_of
    from api.http.server import address, is_loopback, listen
    from pipeline.detect.detector import Detector
    from schemas.telemetry import logs, tracing
    from storage.monitoring import Backlog, serve_metrics
    from storage.opening import Storage

    settings = load()
    rules = AccessRules.of(settings)  # invalid settings end the command before any connection
    if processes > 1 and settings.is_embedded:
        console.stop("MASKER_REDIS_URL: several API processes need it to count limits together", 2)
    log = logging.getLogger("masker.api")
    with listen(host, port) as listener:
        logs.configure(settings.log_format)
        if processes > 1:
            Storage.open(settings).close()  # invalid settings end the command before any process starts
            log.info("serving on %s, by %d processes; Ctrl-C stops them", address(listener), processes)
            Detector(names=settings.names)  # loaded before the processes are forked, so that they share it
            if not ApiProcesses(processes).run():
                return
            settings = share_of(settings, processes)
        with stores(settings) as storage:
            serve_metrics(settings, Backlog(storage))
            tracing.configure(settings.traces_url, settings.traces_ratio, "masker-api")
            if settings.geo_database is None and not settings.is_sqlite:
                log.warning("callers from every country are served: MASKER_GEO_DATABASE is not set")
            if settings.dashboard_url is None and not is_loopback(listener):
                log.warning("browsers on other computers are refused: MASKER_DASHBOARD_URL is not set")
            application = create_app(settings, storage, rules)
            application.state.services.detection.warm()
            with _embedded_workers(settings, storage) if settings.is_embedded else nullcontext():
                mode = "with its workers (embedded mode)" if settings.is_embedded else "workers run apart"
                log.info("serving on %s, %s; Ctrl-C stops it", address(listener), mode)
                server.serve(application, listener)


@app.command()
def worker(
    queues: Annotated[str, typer.Option(help="Comma-separated; every queue when left out.")] = "",
    processes: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads per process; one more than cores.")] = None,
) -> None:
    """Run workers for the named queues, through Dramatiq's own runner."""
    from schemas.stages import Queue
    from storage.opening import Storage
    from workers import processes as worker_processes

    settings = load()
    Storage.open(settings).close()  # invalid settings end the command before any process starts
    names = [name.strip() for name in queues.split(",") if name.strip()]
    if not set(names) <= {queue.value for queue in Queue}:
        console.stop(f"--queues: only {', '.join(Queue)}", 2)
    raise SystemExit(worker_processes.run(settings, [Queue(name) for name in names], processes, threads))


@app.command()
def migrate(as_json: Json = False) -> None:
    """Bring the database schema to the newest revision."""
    with stores(load()) as storage:
        storage.database.migrate()
    show({"migrated": True}, as_json=as_json)


@app.command()
def sweep(as_json: Json = False) -> None:
    """Run the TTL sweep once."""
    from schemas.clock import utc_now
    from workers.sweep import sweep as sweep_once

    settings = load()
    with stores(settings) as storage:
        swept = sweep_once(storage, settings, utc_now())
    show(swept._asdict(), as_json=as_json)


@contextmanager
def _embedded_workers(settings: "Settings", storage: "Storage") -> Iterator[None]:
    """Worker threads and the sweeper in this process, on the broker that the API uses."""
    from workers.processes import Embedded

    workers = Embedded(settings, storage)
    workers.start()
    try:
        yield
    finally:
        workers.stop()


def main() -> None:
    """The console script. A failure that the operator can mend is one line on standard error, without a traceback."""
    try:
        app()
    except Exception as error:
        regret = _regret(error)
        if regret is None:
            raise
        if isinstance(error, OSError):
            sys.stdout = None  # else the exit flushes it again, and fails again
        console.stop(*regret)


def _regret(error: Exception) -> tuple[str, int] | None:
    """Message and exit status of a failure that the operator can mend; None for a defect of the program."""
    from api.http.server import AddressUnavailable
    from pipeline.detect.tagger.release import WrongWeights
    from pipeline.sandbox.parent import ChildFailed, SandboxUnavailable
    from schemas.errors import MaskerError, MaskerUnavailable, StageFailed, Unprocessable
    from schemas.settings import InvalidSettings
    from storage.encryption import MasterKeyInvalid, SealBroken

    if isinstance(error, (InvalidSettings, MasterKeyInvalid, SandboxUnavailable, AddressUnavailable, WrongWeights)):
        return str(error), 2
    if isinstance(error, Unprocessable):
        return str(error.errors[0]["msg"]), 2
    if isinstance(error, SealBroken):
        return "MASKER_MASTER_KEY: it does not open what another one sealed (MASKER_PREVIOUS_MASTER_KEYS may)", 2
    if isinstance(error, StageFailed):
        return str(error.code), 1
    if isinstance(error, ChildFailed):
        return "a process of the sandbox ended before it had answered", 1
    if isinstance(error, OSError):  # standard output, most often: closed, or its disk is full
        return error.strerror or type(error).__name__, 1
    if isinstance(error, MaskerUnavailable):
        return "the database, the broker or the object store does not answer", 1
    return (error.detail, 1) if isinstance(error, MaskerError) else None


if __name__ == "__main__":
    main()
