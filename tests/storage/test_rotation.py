"""The master key rotates while the service runs: afterwards the old key opens nothing that is still needed."""

import base64
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemas.settings import Settings
from storage.encryption import Keyring, SealBroken
from storage.objects.sealed import SealedStore
from storage.objects.store import ObjectNotFound, ObjectStore
from storage.opening import Storage
from storage.rotation import Rotated, rotate
from tests.api.serving import Account, settings_for
from tests.contract.shop import UPLOAD, record, shop_of

CSV = b"name,project\nReem Alharbi,Falcon\n"


def key() -> str:
    return base64.b64encode(secrets.token_bytes(32)).decode()


OLD, NEW = key(), key()


def settings(data_dir: Path, database_url: str, master: str, *previous: str) -> Settings:
    more: dict[str, Any] = {
        "database_url": database_url,
        "master_key": master,
        "previous_master_keys": ",".join(previous),
    }
    return settings_for(data_dir).__class__(
        _env_file=None, data_dir=data_dir, webhook_private_addresses=True, rate_limit_per_minute=10_000, **more
    )


@pytest.fixture
def filled(tmp_path: Path, database_url: str) -> Iterator[tuple[Account, str, str]]:
    """An account with a ready file, a queued one and a glossary, all under the old key: bearer and ids."""
    with shop_of(settings(tmp_path, database_url, OLD)) as shop:
        account = shop.account()
        with shop.client(account) as client, shop.served.browser(account) as browser:
            form = {"glossary": "Falcon", "callback_url": "http://127.0.0.1:9/x"}
            ready = client.post(UPLOAD, files={"file": ("reem.csv", CSV, "text/csv")}, data=form).json()["file_id"]
            shop.work()
            assert record(client, ready)["state"] == "ready"
            waiting = client.post(UPLOAD, files={"file": ("two.csv", CSV, "text/csv")}, data=form).json()["file_id"]
            browser.post("/v1/glossaries", json={"name": "Projects", "entries": [{"term": "Kestrel"}]})
        yield account, ready, waiting


def rotated(tmp_path: Path, database_url: str, *keys: str) -> Rotated:
    storage = Storage.open(settings(tmp_path, database_url, *keys))
    try:
        return rotate(storage)
    finally:
        storage.close()


def test_nothing_needs_the_old_key_afterwards(
    tmp_path: Path, database_url: str, filled: tuple[Account, str, str]
) -> None:
    account, ready, waiting = filled
    first = rotated(tmp_path, database_url, NEW, OLD)
    # Two names of a ready file, name and terms of a queued one, two webhooks, a glossary, the pepper of keys.
    assert first == Rotated(fields=2 + 2 + 4 + 2 + 1, objects=1, waiting=1)
    assert rotated(tmp_path, database_url, NEW, OLD) == Rotated(0, 0, 1)
    with shop_of(settings(tmp_path, database_url, NEW, OLD)) as shop, shop.client(account) as client:
        shop.sweep(seconds=120)  # announces the queued file again
        shop.work()
        assert record(client, waiting)["state"] == "ready"
    assert rotated(tmp_path, database_url, NEW, OLD) == Rotated(0, 0, 0)
    with shop_of(settings(tmp_path, database_url, NEW)) as shop, shop.client(account) as client:
        assert record(client, ready)["original_filename"] == "reem.csv"
        for file_id in (ready, waiting):
            assert client.get(f"/api/v1/files/{file_id}/download").text == (
                "name,project\nPERSON_NAME_01,CUSTOM_TERM_01\n"
            )
        assert client.post("/api/v1/redact", json={"text": "the Kestrel plan"}).json()["redacted_text"] == (
            "the CUSTOM_TERM_01 plan"
        )


def test_without_the_old_key_nothing_changes(
    tmp_path: Path, database_url: str, filled: tuple[Account, str, str]
) -> None:
    with pytest.raises(SealBroken):
        rotated(tmp_path, database_url, NEW)
    assert rotated(tmp_path, database_url, OLD) == Rotated(0, 0, 1)


def test_an_object_keeps_its_chunks(objects: ObjectStore) -> None:
    """Directory and S3: the data key is wrapped anew, everything behind it stays byte for byte."""
    old, new = (base64.b64decode(master) for master in (OLD, NEW))
    content = secrets.token_bytes(200_000)
    SealedStore(objects, Keyring(old)).put("results/a/1", content)
    before = b"".join(objects.read("results/a/1"))
    store = SealedStore(objects, Keyring(new, [old]))
    assert store.rewrap("results/a/1") is True
    assert store.rewrap("results/a/1") is False
    after = b"".join(objects.read("results/a/1"))
    assert len(after) == len(before) and after[-200_000:] == before[-200_000:] and after != before
    assert SealedStore(objects, Keyring(new)).get("results/a/1") == content
    with pytest.raises(ObjectNotFound):
        store.rewrap("results/none/1")
    with objects.writer("results/b/1") as writer:
        writer.write(b"no object of ours")
        writer.commit()
    with pytest.raises(SealBroken):
        store.rewrap("results/b/1")
