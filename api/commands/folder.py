"""`masker redact-file -r`: redacts every document of a folder into another folder, several at once."""

import secrets
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from api.commands import publishing
from api.commands.console import plain, printable, say, stop
from api.commands.document import Refused, Run
from api.commands.finished import Finished
from api.commands.progress import Display, display
from api.commands.publishing import Names
from api.commands.summary import Row
from api.commands.tree import Item, items

_TRIES = 100
REPORT_ENDING = ".report.json"


class Made(NamedTuple):
    """A redacted document before its final name: its draft, the wanted name, its figures and its report."""

    draft: Path
    name: str
    figures: Mapping[str, Any]
    report: bytes | None


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of the outputs, the folder of the reports (or None), and whether existing files may be replaced."""

    root: Path
    reports: Path | None
    force: bool


def check(source: Path, others: Sequence[Path]) -> None:
    """Ends the command when the source is not a folder, or when the folders lie inside each other."""
    if not source.is_dir():
        stop(f"{printable(str(source))}: {'Not a directory' if source.exists() else 'No such file or directory'}", 2)
    for other in others:
        inside, outside = other.resolve(), source.resolve()
        if inside.is_relative_to(outside) or outside.is_relative_to(inside):
            stop(f"{printable(str(other))}: must lie apart from {printable(str(source))}", 2)
        try:
            other.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            stop(f"{printable(str(other))}: {error.strerror}", 2)


def redact_folder(run: Run, source: Path, place: Place, jobs: int) -> list[Row]:
    """Redacts all documents of the folder and returns one row for each entry. An interrupt leaves no draft."""
    found = list(items(source))
    documents = [item for item in found if not item.skipped_because]
    finished = Finished.of(place.root)
    done_before = {} if place.force else _done_before(finished, source, documents, place)
    drafts = place.root / f".masker-{secrets.token_hex(8)}"
    drafts.mkdir(mode=0o700)
    threads = ThreadPoolExecutor(jobs, thread_name_prefix="document")
    try:
        run.expect(len(documents) - len(done_before))
        with display(len(documents) - len(done_before)) as shown:
            making = {
                item.path: threads.submit(
                    _make, run, source, item.path, drafts, shown, wants_report=place.reports is not None
                )
                for item in documents
                if item.path not in done_before
            }
            rows = _published(found, making, place, _folders(run, documents), done_before, finished, source)
        threads.shutdown()
        return rows
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for _ in range(_TRIES):  # an abandoned thread may still write in it
            if drafts.exists():
                shutil.rmtree(drafts, ignore_errors=True)


def _make(run: Run, source: Path, path: Path, drafts: Path, shown: Display, *, wants_report: bool) -> Made:
    """Redacts one document into a draft. Refused, OSError."""
    name = str(path)
    heard = shown.begin(name)
    try:
        done = run.redact(source / path, plain(path.name), heard, follow=False)
        written = done.report() if wants_report else None
        return Made(publishing.draft(drafts, done.data), done.name, done.figures, written)
    finally:
        shown.end(name)


def _folders(run: Run, documents: Sequence[Item]) -> dict[Path, Path]:
    """For each folder with documents, its output folder below the root."""
    parents = sorted({parent for item in documents for parent in item.path.parents}, key=lambda path: path.parts)
    named = run.folder_names(plain(parent.name) for parent in parents)
    names, placed = Names(), {Path(): Path()}
    for parent in parents[1:]:
        placed[parent] = names.free(placed[parent.parent], named[plain(parent.name)])
    return placed


def _done_before(finished: Finished, source: Path, documents: Sequence[Item], place: Place) -> dict[Path, Path]:
    """The outputs of documents that an earlier run finished, with their reports where reports are wanted."""
    outputs = {item.path: finished.output(source, item.path) for item in documents}
    return {
        path: output
        for path, output in outputs.items()
        if output is not None
        if place.reports is None or (place.reports / output.with_name(output.name + REPORT_ENDING)).exists()
    }


def _published(
    found: Sequence[Item],
    making: dict[Path, Future[Made]],
    place: Place,
    folders: dict[Path, Path],
    done_before: dict[Path, Path],
    finished: Finished,
    source: Path,
) -> list[Row]:
    """The rows in the order of the tree. Drafts get their names in that order: the result is always the same."""
    names = Names()
    for path in (*folders.values(), *done_before.values()):
        names.free(path.parent, path.name)
    rows = []
    for item in found:
        if item.path in done_before:
            row = Row(plain(str(item.path)), "skipped", str(done_before[item.path]), code="done before")
        elif item.skipped_because:
            row = Row(plain(str(item.path)), "failed" if item.failed else "skipped", code=item.skipped_because)
        else:
            row = _ended(item.path, making.pop(item.path), place, folders, names)
            if row.output is not None:
                finished.add(source, item.path, Path(row.output))
        if row.result != "skipped":
            say(f"{printable(row.file)}: {row.outcome}")
        rows.append(row)
    return rows


def _ended(path: Path, making: Future[Made], place: Place, folders: dict[Path, Path], names: Names) -> Row:
    file, error = plain(str(path)), making.exception()
    if isinstance(error, Refused):
        return Row(file, "failed", code=error.code, reason=None if error.reason is None else error.reason.value)
    if error is not None:  # a defect or a full disk: this document has no output, the others may have one
        return Row(file, "failed", code="unwritable" if isinstance(error, OSError) else "internal_error")
    made = making.result()
    target = names.free(folders[path.parent], made.name)
    try:
        _move(made, target, place)
    except FileExistsError:
        return Row(file, "failed", code="exists", **made.figures)
    except OSError:
        return Row(file, "failed", code="unwritable", **made.figures)
    return Row(file, "ready", str(target), **made.figures)


def _move(made: Made, target: Path, place: Place) -> None:
    """Gives a draft and its report their names. OSError; FileExistsError when a name is taken or leads elsewhere."""
    moves = []
    for root, ending, content in ((place.root, "", None), (place.reports, REPORT_ENDING, made.report)):
        if root is None:
            continue
        final = root / target.with_name(target.name + ending)
        final.parent.mkdir(parents=True, exist_ok=True)
        if not final.parent.resolve().is_relative_to(root.resolve()):
            raise FileExistsError
        moves.append((made.draft if content is None else publishing.draft(made.draft.parent, content), final))
    publishing.publish(moves, force=place.force)  # a report never stays without its file
