"""Callers in the storm: texts and files with values of their own, each answer remembered."""

import io
import random
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from docx import Document

from benchmarks.documents.files import luhn

WORDS = 12  # of every text: what a call costs


@dataclass
class Seen:
    """What the callers saw of one account; shared by its threads."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    values: list[str] = field(default_factory=list)
    texts: Counter[str] = field(default_factory=Counter)  # answers by status, `none` without one
    files: dict[str, list[str]] = field(default_factory=dict)  # accepted files and the values in them
    uploads: Counter[str] = field(default_factory=Counter)
    downloads: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)

    def remark(self, what: str) -> None:
        """Something that must not happen."""
        with self.lock:
            self.remarks.append(what)


class Caller(threading.Thread):
    """Calls until it is told to stop; `work` is one round."""

    def __init__(self, url: str, key: str, seen: Seen, seed: int, pause: float) -> None:
        super().__init__(daemon=True)
        self._key, self._url, self._pause = key, url, pause
        self.seen, self.chance = seen, random.Random(seed)
        self.ended = threading.Event()
        self.hooks: dict[str, list[Callable[..., Any]]] = {}  # of httpx, for each call

    def run(self) -> None:
        headers = {"Authorization": f"Bearer {self._key}"}
        with httpx.Client(base_url=self._url, headers=headers, timeout=30, event_hooks=self.hooks) as client:
            while not self.ended.wait(self._pause * self.chance.uniform(0.5, 1.5)):
                self.work(client)

    def work(self, client: httpx.Client) -> None:
        """One round. Transport errors are the storm's."""
        raise NotImplementedError

    def person(self) -> tuple[str, str]:
        """A national ID with a valid check digit and an address of mail, seen nowhere before."""
        number = luhn("1" + "".join(str(self.chance.randrange(10)) for _ in range(8)))
        mail = f"storm{self.chance.getrandbits(40):010x}@example.com"
        with self.seen.lock:
            self.seen.values += [number, mail]
        return number, mail


class Texts(Caller):
    """Redacts and masks texts of `WORDS` words."""

    def work(self, client: httpx.Client) -> None:
        number, mail = self.person()
        text = f"The national ID of the customer is {number} and the mail {mail}"
        verb = self.chance.choice(("redact", "mask"))
        try:
            answer = client.post(f"/api/v1/{verb}", json={"text": text})
        except httpx.TransportError:
            with self.seen.lock:
                self.seen.texts["none"] += 1
            return
        with self.seen.lock:
            self.seen.texts[str(answer.status_code)] += 1
        if answer.status_code == 200:
            clean = answer.json()["redacted_text" if verb == "redact" else "masked_text"]
            if number in clean or mail in clean:
                self.seen.remark(f"{verb} left a value")
        elif "Traceback" in answer.text or number in answer.text:
            self.seen.remark(f"an error of {verb} tells too much: {answer.status_code}")


class Files(Caller):
    """Uploads documents, and fetches those that are ready."""

    def work(self, client: httpx.Client) -> None:
        people = [self.person() for _ in range(3)]
        name, data = self._document(people)
        try:
            answer = client.post("/api/v1/files/redact", files={"file": (name, data)})
        except httpx.TransportError:
            with self.seen.lock:
                self.seen.uploads["none"] += 1
            return
        with self.seen.lock:
            self.seen.uploads[str(answer.status_code)] += 1
            if answer.status_code == 201:
                self.seen.files[answer.json()["file_id"]] = [value for person in people for value in person]
        with suppress(httpx.TransportError):
            self._fetch_some(client)

    def _document(self, people: list[tuple[str, str]]) -> tuple[str, bytes]:
        if self.chance.random() < 0.7:
            rows = "".join(f"{number},{mail}\n" for number, mail in people)
            return "people.csv", f"National ID,Mail\n{rows}".encode()
        document, buffer = Document(), io.BytesIO()
        for number, mail in people:
            document.add_paragraph(f"National ID {number}, mail {mail}")
        document.save(buffer)
        return "people.docx", buffer.getvalue()

    def _fetch_some(self, client: httpx.Client) -> None:
        with self.seen.lock:
            accepted = list(self.seen.files)
        for file_id in self.chance.sample(accepted, min(3, len(accepted))):
            fetch(client, file_id, self.seen)


def fetch(client: httpx.Client, file_id: str, seen: Seen) -> str:
    """The state of a file; a ready one is downloaded and searched for its values."""
    answer = client.get(f"/api/v1/files/{file_id}")
    if answer.status_code == 404:
        seen.remark("an accepted file is not there")
        return "lost"
    if answer.status_code != 200:
        return str(answer.status_code)
    record = answer.json()
    if record["state"] == "ready":
        content = client.get(record["download_url"])
        with seen.lock:
            seen.downloads[str(content.status_code)] += 1
        if content.status_code == 200:
            said = _text(content.content)
            if any(value.encode() in said for value in seen.files[file_id]):
                seen.remark("a file that is ready holds a value")
            if b"NATIONAL_ID_01" not in said:
                seen.remark("a file that is ready is not the redacted one")
    return str(record["state"])


def _text(data: bytes) -> bytes:
    """A CSV as it is, a DOCX with its parts unpacked."""
    if not data.startswith(b"PK"):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return b"".join(package.read(name) for name in package.namelist())


def run_for(callers: list[Caller], seconds: float) -> None:
    """Lets them call for some seconds."""
    for caller in callers:
        caller.start()
    time.sleep(seconds)
    for caller in callers:
        caller.ended.set()
    for caller in callers:
        caller.join(60)
