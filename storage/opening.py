"""Opens the database, broker, queue, object store and keys that the settings name, for API and workers."""

from dataclasses import dataclass
from typing import Self

from dramatiq import Broker
from pydantic import SecretStr

from schemas.settings import InvalidSettings, Settings, decode_master_key
from storage.broker import open_broker
from storage.database import Database
from storage.encryption import Keyring, load_keyring
from storage.objects.directory import DirectoryStore
from storage.objects.sealed import SealedStore
from storage.objects.store import ObjectStore
from storage.queue import StageQueue


@dataclass(frozen=True, slots=True)
class Storage:
    """What API and workers share. One per process, safe from many threads."""

    database: Database
    keyring: Keyring
    objects: SealedStore
    broker: Broker
    queue: StageQueue

    @classmethod
    def open(cls, settings: Settings) -> Self:
        """Reads or creates the master key and chooses the implementations; connects to nothing. InvalidSettings.

        MasterKeyInvalid when the key file of the embedded mode is damaged.
        """
        try:
            keyring, objects = open_keyring(settings), open_objects(settings)
        except OSError as error:
            raise InvalidSettings(f"MASKER_DATA_DIR: {error.strerror}") from None
        broker = open_broker(settings.redis_url)
        return cls(
            database=Database(settings.database_url),
            keyring=keyring,
            objects=SealedStore(objects, keyring),
            broker=broker,
            queue=StageQueue(broker),
        )

    def close(self) -> None:
        """Closes connections."""
        self.broker.close()
        self.objects.close()
        self.database.dispose()


def open_keyring(settings: Settings) -> Keyring:
    """The keyring of the settings; a missing key file of the embedded mode is created. MasterKeyInvalid."""
    master = settings.master_key
    return load_keyring(
        settings.data_dir,
        None if master is None else decode_master_key(master),
        [decode_master_key(key) for key in settings.previous_master_keys],
    )


def open_objects(settings: Settings) -> ObjectStore:
    """The bucket, or without one the directory, without encryption."""
    if settings.s3_bucket is None:
        return DirectoryStore(settings.data_dir / "objects")
    from storage.objects.s3 import (
        S3Store,  # boto3 takes a third of a second to load, and the embedded mode never needs it
    )

    return S3Store(
        settings.s3_bucket,
        endpoint_url=settings.s3_endpoint_url,
        region=settings.s3_region,
        access_key_id=_revealed(settings.s3_access_key_id),
        secret_access_key=_revealed(settings.s3_secret_access_key),
    )


def _revealed(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
