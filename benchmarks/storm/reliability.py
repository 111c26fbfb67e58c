"""docs/reliability.md: a section for each storm and one for the long load, each written by its own run."""

import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.report import processor

TARGET = Path(__file__).parents[2] / "docs" / "reliability.md"
SECTIONS = ("embedded", "production", "a long load")
HEAD = """# Reliability

Written by `make storm` and `make soak`; no figure here is typed by hand. In a storm two accounts send texts, batches,
prompts to a model provider, terms of a glossary and files (CSV, DOCX, PDF, scans) without a pause while parts of the
system are killed (SIGKILL), frozen (SIGSTOP: there, but silent), cut off, slowed, run out of disk, run with a clock
that is 75 s wrong, and get a new master key, after which the old one is taken out, one fault after the other. Then it
ends, the system finishes what it had accepted, and everything is counted:

- every accepted file is ready, failed or expired; every ready one, also of an upload that was never answered, was
  downloaded and searched for the values of all accounts: its bytes, its parts, its text, and its pixels by OCR;
- the ledger balances to the word: each answered call is paid once; a call is not paid that was answered with an error,
  or not at all because its process was killed; each ready file costs its words and pages, a failed one nothing. Two
  exceptions: calls that their caller gave up may be paid, and calls that were answered within 20 s before a kill may be
  refunded (two seconds, [operating.md](operating.md#money), and faults of the database that come in between);
- no object is left of a file that ended, no process outlives the system, the provider was sent no value, and no value
  of any text or file stands in a log, a temporary file, the data directory, the database's files, the object store or
  Redis, which is searched after each fault, too.

What was not so is a remark, and so is a fault that the machine could not do.
"""


def machine() -> str:
    """When and on what."""
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    return f"{today}, {os.cpu_count()} cores, {processor()}, Python {platform.python_version()}"


def write(title: str, text: str) -> None:
    """Puts a section in place of its last one."""
    pieces = re.split(r"^## (.+)$", TARGET.read_text("utf-8") if TARGET.exists() else "", flags=re.MULTILINE)
    known = dict(zip(pieces[1::2], pieces[2::2], strict=True)) | {title: f"\n\n{text}\n"}
    TARGET.write_text(
        HEAD + "".join(f"\n## {each}{known[each].rstrip()}\n" for each in SECTIONS if each in known), "utf-8"
    )
