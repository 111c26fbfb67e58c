"""Callers in the storm: texts, prompts, terms and files with values of their own, each answer remembered."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import httpx
from ahocorasick_rs import BytesAhoCorasick

from benchmarks.documents.files import luhn
from benchmarks.storm.papers import Paper, Person, paper, readable
from benchmarks.storm.provider import spoken

GIVEN_UP = "given up"  # the status of a call whose caller waited for too long
WORDS = 12  # of every text
BATCH = 3  # texts of a batch
SHARES = {"csv": 55, "docx": 25, "pdf": 12, "png": 8}  # of the kinds of files; a scan takes seconds of a core


class Price(NamedTuple):
    """What a call costs: the reason in the ledger and the tokens."""

    reason: str
    tokens: int


TEXT, TEXTS, PROMPT, TERM = Price("text", WORDS), Price("text", BATCH * WORDS), Price("proxy", 14), Price("text", 6)


@dataclass
class Seen:
    """What the callers saw of one account; shared by its threads."""

    key: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    values: list[str] = field(default_factory=list)
    # By status: GIVEN_UP after the caller's patience, `none` when the connection broke off.
    calls: Counter[tuple[Price, str]] = field(default_factory=Counter)
    answers: list[tuple[float, Price]] = field(default_factory=list)  # calls with 200, and when (monotonic)
    papers: dict[str, Paper] = field(default_factory=dict)  # every file that was sent, by name
    files: dict[str, str] = field(default_factory=dict)  # accepted files and their names
    uploads: Counter[str] = field(default_factory=Counter)
    downloads: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)

    def remark(self, what: str) -> None:
        """Something that must not happen."""
        with self.lock:
            self.remarks.append(what)

    def count(self, price: Price, status: str) -> None:
        """One paid call."""
        with self.lock:
            self.calls[price, status] += 1
            if status == "200":
                self.answers.append((time.monotonic(), price))


class Caller(threading.Thread):
    """Calls until it is told to stop; `work` is one round."""

    def __init__(self, url: str, seen: Seen, seed: int, pause: float) -> None:
        super().__init__(daemon=True)
        self._url, self._pause = url, pause
        self.seen, self.chance = seen, random.Random(seed)
        self.ended = threading.Event()
        self.hooks: dict[str, list[Callable[..., Any]]] = {}  # of httpx, for each call

    def run(self) -> None:
        headers = {"Authorization": f"Bearer {self.seen.key}"}
        with httpx.Client(base_url=self._url, headers=headers, timeout=30, event_hooks=self.hooks) as client:
            try:
                while not self.ended.wait(self._pause * self.chance.uniform(0.5, 1.5)):
                    self.work(client)
            except Exception as error:
                self.seen.remark(f"a caller broke off: {type(error).__name__}")
                raise

    def work(self, client: httpx.Client) -> None:
        """One round. Transport errors are the storm's."""
        raise NotImplementedError

    def person(self) -> Person:
        """A national ID with a valid check digit and an address of mail, seen nowhere before."""
        number = luhn("1" + "".join(str(self.chance.randrange(10)) for _ in range(8)))
        mail = f"storm{self.chance.getrandbits(40):010x}@example.com"
        self.plant(number, mail)
        return number, mail

    def plant(self, *values: str) -> None:
        """Values that nobody may read."""
        with self.seen.lock:
            self.seen.values += values

    def text(self) -> tuple[str, Person]:
        """A text of WORDS words and the values in it."""
        number, mail = self.person()
        return f"The national ID of the customer is {number} and the mail {mail}", (number, mail)

    def pay(
        self, client: httpx.Client, path: str, price: Price, body: dict[str, Any], values: Sequence[str]
    ) -> httpx.Response | None:
        """The answer if it is 200. It is counted in any case, and an error must tell none of the values."""
        try:
            answer = client.post(path, json=body, headers={"X-Provider-Key": "sk-storm"})
        except httpx.TransportError as error:
            self.seen.count(price, GIVEN_UP if isinstance(error, httpx.TimeoutException) else "none")
            return None
        self.seen.count(price, str(answer.status_code))
        if answer.status_code == 200:
            return answer
        if "Traceback" in answer.text or any(value in answer.text for value in values):
            self.seen.remark(f"an error of {path} tells too much: {answer.status_code}")
        return None


class Texts(Caller):
    """Redacts and masks texts of WORDS words."""

    def work(self, client: httpx.Client) -> None:
        text, values = self.text()
        verb = self.chance.choice(("redact", "mask"))
        answer = self.pay(client, f"/api/v1/{verb}", TEXT, {"text": text}, values)
        if answer is not None and any(value in _clean(answer.json()) for value in values):
            self.seen.remark(f"{verb} left a value")


class Batches(Caller):
    """Redacts and masks BATCH texts in one call."""

    def work(self, client: httpx.Client) -> None:
        texts = [self.text() for _ in range(BATCH)]
        verb = self.chance.choice(("redact", "mask"))
        planted = [value for _, values in texts for value in values]
        body = {"items": [{"text": text} for text, _ in texts]}
        answer = self.pay(client, f"/api/v1/{verb}/batch", TEXTS, body, planted)
        if answer is None:
            return
        for (_, values), result in zip(texts, answer.json()["results"], strict=True):
            if any(value in _clean(result) for value in values):
                self.seen.remark(f"a batch of {verb} left a value")


class Prompts(Caller):
    """Asks the provider through the proxy; it answers with the prompt, whose values come back restored."""

    def work(self, client: httpx.Client) -> None:
        text, values = self.text()
        is_streamed = self.chance.random() < 0.5
        messages = [{"role": "user", "content": f"Please repeat: {text}"}]
        body = {"model": "m", "max_tokens": 100, "stream": is_streamed, "messages": messages}
        answer = self.pay(client, "/api/v1/proxy/anthropic/v1/messages", PROMPT, body, values)
        if answer is None or "event: error" in answer.text:
            return
        said = spoken(answer.text) if is_streamed else answer.json()["content"][0]["text"]
        if not all(value in said for value in values):
            self.seen.remark("an answer of the provider was not restored")


class Terms(Caller):
    """Replaces the term of a glossary, and redacts a text with it: a new term holds from the next call on."""

    def __init__(self, url: str, seen: Seen, seed: int, pause: float) -> None:
        super().__init__(url, seen, seed, pause)
        self._glossary: str | None = None

    def work(self, client: httpx.Client) -> None:
        term = f"zarqun{self.chance.getrandbits(40):010x}"
        self.plant(term)
        if not self._saved(client, term):
            return
        text = f"The project {term} begins on Monday"
        answer = self.pay(client, "/api/v1/redact", TERM, {"text": text}, [term])
        if answer is not None and term in _clean(answer.json()):
            self.seen.remark("redact left a term of a glossary")

    def _saved(self, client: httpx.Client, term: str) -> bool:
        entries = [{"term": term}]
        try:
            if self._glossary is None:
                answer = client.post("/v1/glossaries", json={"name": "storm", "entries": entries})
            else:
                answer = client.patch(f"/v1/glossaries/{self._glossary}", json={"entries": entries})
        except httpx.TransportError:
            return False
        if answer.status_code == 201:
            self._glossary = answer.json()["id"]
        return answer.is_success


class Files(Caller):
    """Uploads documents, and fetches some that are ready."""

    def work(self, client: httpx.Client) -> None:
        (kind,) = self.chance.choices(list(SHARES), list(SHARES.values()))
        sent = paper(kind, f"{self.chance.getrandbits(64):016x}", [self.person() for _ in range(3)])
        with self.seen.lock:
            self.seen.papers[sent.name] = sent
        try:
            answer = client.post("/api/v1/files/redact", files={"file": (sent.name, sent.data)})
        except httpx.TransportError:
            with self.seen.lock:
                self.seen.uploads["none"] += 1
            return
        with self.seen.lock:
            self.seen.uploads[str(answer.status_code)] += 1
            if answer.status_code == 201:
                self.seen.files[answer.json()["file_id"]] = sent.name
        with suppress(httpx.TransportError):
            self._fetch_some(client)

    def _fetch_some(self, client: httpx.Client) -> None:
        """Of those without pixels: reading a scan takes a second."""
        with self.seen.lock:
            accepted = [(each, name) for each, name in self.seen.files.items() if name.endswith((".csv", ".docx"))]
        for file_id, name in self.chance.sample(accepted, min(3, len(accepted))):
            fetch(client, file_id, self.seen.papers[name], self.seen)


def _clean(answer: dict[str, Any]) -> str:
    return str(answer.get("redacted_text") or answer.get("masked_text"))


def fetch(client: httpx.Client, file_id: str, sent: Paper, seen: Seen) -> None:
    """Downloads a file if it is ready, and searches it for its values."""
    answer = client.get(f"/api/v1/files/{file_id}")
    if answer.status_code == 404:
        seen.remark("an accepted file is not there")
    if answer.status_code != 200 or answer.json()["state"] != "ready":
        return
    content = client.get(answer.json()["download_url"])
    with seen.lock:
        seen.downloads[str(content.status_code)] += 1
    if content.status_code == 200:
        for remark in judged(
            sent, readable(content.content), BytesAhoCorasick([each.encode() for each in sent.values])
        ):
            seen.remark(remark)


def judged(sent: Paper, said: bytes, search: BytesAhoCorasick) -> list[str]:
    """Remarks on what can be read in a ready file. `search`: for what it may not hold."""
    kind = sent.name.rpartition(".")[2]
    held = [f"a file that is ready holds a value ({kind})"] if search.find_matches_as_indexes(said) else []
    if sent.proof.encode() not in said:
        held.append(f"a file that is ready is not the redacted one ({kind})")
    return held


def callers_of(url: str, seen: Seen, seed: int) -> list[Caller]:
    """The callers of one account. The pauses are seconds."""
    return [
        Texts(url, seen, seed, 0.1),
        Files(url, seen, seed + 1, 1.0),
        Batches(url, seen, seed + 2, 0.6),
        Prompts(url, seen, seed + 3, 0.4),
        Terms(url, seen, seed + 4, 3.0),
    ]


def run_for(callers: list[Caller], seconds: float) -> None:
    """Lets them call for some seconds."""
    for caller in callers:
        caller.start()
    time.sleep(seconds)
    for caller in callers:
        caller.ended.set()
    for caller in callers:
        caller.join(60)
