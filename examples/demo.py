"""The main job from end to end, over HTTP, on sample documents: mask, decrypt, restore, redact, and eight files.

Everything runs on this machine in embedded mode (SQLite, a local directory, workers in the server's process) and is
removed afterwards; the redacted files, their signed reports and before-and-after pictures stay in demo-output/. Exit
status 1 when a planted value can still be read anywhere, or a report does not verify.
"""

import hashlib
import json
import re
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

import httpx
from PIL import Image

from examples.envelope import open_envelope, restore
from examples.reread import pages, survivors
from examples.server import Server, embedded_server
from schemas.entities import TOGGLABLE_TYPES
from schemas.reports import parse_signed
from schemas.stages import Stage
from storage.report_key import is_genuine, load_public_key

POLL_SECONDS = 1.0  # each look is a call, and calls are limited
DOCUMENTS = Path(__file__).parent / "documents"
OUTPUT = Path.cwd() / "demo-output"
MEDIA_TYPES = {
    ".csv": "text/csv",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".tiff": "image/tiff",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
MESSAGE = (
    "Hello, I am Noura Salem Almithali, national ID 1058374925. Please send the refund to "
    "SA03 8000 0000 6080 1016 7519 and call me on 0501234567.\n"
    "السلام عليكم، معك فهد عمر التجريبي، رقم الهوية ١٠٧٢٦٤٥١٨٥، وبريدي fahad@example.com، وموعدي يوم 12/03/2025."
)


def title(text: str) -> None:
    """A heading of the tour."""
    print(f"\n== {text} ==")


def text_calls(client: httpx.Client, key: str) -> None:
    """Masks a bilingual message, decrypts the envelope, restores a reply; then redacts the same message."""
    title("A bilingual message, masked")
    answer = client.post("/api/v1/mask", json={"text": MESSAGE}).raise_for_status().json()
    print(answer["masked_text"])
    print(f"{answer['pii_count']} entities: {', '.join(span['type'] for span in answer['spans'])}")
    mapping = open_envelope(answer, key)
    if restore(answer["masked_text"], mapping) != MESSAGE:
        raise SystemExit("the restored text is not the original")
    print(f"envelope opened with the key: {len(mapping)} originals; restored text equals the original")
    title("The same message, redacted")
    answer = client.post("/api/v1/redact", json={"text": MESSAGE}).raise_for_status().json()
    print(answer["redacted_text"])
    print(answer["entity_counts"])


def redact_file(client: httpx.Client, path: Path) -> tuple[dict[str, object], bytes]:
    """Uploads one document, polls until it is done, downloads the result."""
    part = {"file": (path.name, path.read_bytes(), MEDIA_TYPES[path.suffix])}
    job = client.post("/api/v1/files/redact", files=part).raise_for_status().json()
    deadline = time.monotonic() + 180
    while job["state"] in {"queued", "processing"}:
        if time.monotonic() > deadline:
            raise SystemExit(f"{path.name} is not done after 180 s")
        time.sleep(POLL_SECONDS)
        job = client.get(job["poll_url"]).raise_for_status().json()
    if job["state"] != "ready":
        raise SystemExit(f"{path.name} ended {job['state']}: {job['error_code']}")
    return job, client.get(job["download_url"]).raise_for_status().content


def checked_report(client: httpx.Client, file_id: str, content: bytes, target: Path) -> dict[str, int]:
    """Fetches the file's signed report, saves it at `target` and verifies it; returns the findings by type."""
    data = client.get(f"/api/v1/files/{file_id}/report").raise_for_status().content
    target.write_bytes(data)
    raw, signed = parse_signed(data)
    keys = load_public_key(client.get("/api/v1/files/report-key").raise_for_status().content)
    if not any(is_genuine(raw, signed.signature, key) for key in keys):
        raise SystemExit(f"the signature of {target.name} is not good")
    if signed.report.output.sha256 != hashlib.sha256(content).hexdigest():
        raise SystemExit(f"{target.name} speaks of another file")
    return {str(kind): number for kind, number in signed.report.findings.items()}


def timings(server: Server, file_id: str) -> dict[str, int]:
    """Milliseconds by stage of one job, from the worker's log (which names no value)."""
    times: Counter[str] = Counter()
    for line in server.log.read_text().splitlines():
        fields = dict(re.findall(r"(\w+)=(\S+)", line)) if file_id in line else {}
        if "stage" in fields and "ms" in fields:
            times[fields["stage"]] += int(fields["ms"])
    return dict(times)


def side_by_side(before: Path, after: Path, target: Path) -> None:
    """One picture: the first page before and after."""
    left, right = (pages(path)[0].convert("RGB") for path in (before, after))
    sheet = Image.new("RGB", (left.width + right.width + 20, max(left.height, right.height)), "gray")
    sheet.paste(left, (0, 0))
    sheet.paste(right, (left.width + 20, 0))
    sheet.thumbnail((1800, 1800))
    sheet.save(target)


def file_jobs(client: httpx.Client, server: Server) -> list[str]:
    """Redacts every sample document; returns what survived."""
    planted = json.loads((DOCUMENTS / "planted.json").read_text())
    by_type: dict[str, dict[str, int]] = {}
    spent: dict[str, dict[str, int]] = {}
    survived: list[str] = []
    title("Documents")
    for name, values in planted.items():
        started = time.monotonic()
        job, content = redact_file(client, DOCUMENTS / name)
        target = OUTPUT / name
        target.write_bytes(content)
        file_id = str(job["file_id"])
        by_type[name] = checked_report(client, file_id, content, OUTPUT / f"{name}.report.json")
        spent[name] = timings(server, file_id)
        left = survivors(target, values)
        survived += [f"{name}: value {values.index(value) + 1} of {len(values)}" for value in left]
        verdict = "clean" if not left else f"{len(left)} SURVIVED"
        seconds = time.monotonic() - started
        print(f"{name:28}{job['entity_count']:>4} entities {job['word_count']:>5} words {seconds:6.1f} s  {verdict}")
        if target.suffix in {".pdf", ".png", ".tiff"}:
            side_by_side(DOCUMENTS / name, target, OUTPUT / f"{name.replace('.', '-')}-before-after.png")
    print("every report is signed by this server and speaks of the file that came with it")
    table("What was found, by type", by_type, [kind.value for kind in TOGGLABLE_TYPES])
    table("Stage timings, ms", spent, [stage.value for stage in Stage])
    return survived


def table(heading: str, rows: dict[str, dict[str, int]], columns: list[str]) -> None:
    """Prints names down, documents across, leaving out what no document has."""
    title(heading)
    short = [name.replace("residence-permit-", "").replace("customer-", "") for name in rows]
    print(" " * 18 + "".join(f"{name:>15}" for name in short))
    for column in columns:
        if any(column in row for row in rows.values()):
            print(f"{column:18}" + "".join(f"{row.get(column, 0):>15}" for row in rows.values()))


def main() -> int:
    """The tour; 0 when nothing planted survived."""
    if OUTPUT.exists():
        shutil.rmtree(OUTPUT)
    OUTPUT.mkdir()
    with embedded_server() as server:
        print(f"serving on {server.url}, embedded mode")
        headers = {"Authorization": f"Bearer {server.key}"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
            text_calls(client, server.key)
            survived = file_jobs(client, server)
    title("Result")
    print(f"redacted files, reports and pictures: {OUTPUT.name}/")
    if survived:
        print("STILL READABLE:", *survived, sep="\n  ")
        return 1
    print("no planted value can be read in any output")
    return 0


if __name__ == "__main__":
    sys.exit(main())
