"""ObjectStore on an S3-compatible service, using only the portable subset of the protocol."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, InvalidRegionError

from schemas.errors import MaskerUnavailable
from schemas.settings import InvalidSettings
from schemas.telemetry.metrics import UNAVAILABLE
from schemas.telemetry.tracing import timed_store
from storage.objects.store import AbortingWriter, ObjectEntry, ObjectNotFound, checked_key, checked_prefix, primed

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef

_log = logging.getLogger("storage.objects")

PART_BYTES = 8 << 20  # S3 wants at least 5 MiB for every part but the last; 10,000 of these are 80 GB
_CHUNK_BYTES = 1 << 20
_MISSING = {"404", "NoSuchKey", "NotFound"}
_CONFIG = Config(
    signature_version="s3v4",
    s3={"addressing_style": "path"},
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
    retries={"mode": "standard", "total_max_attempts": 4},
    connect_timeout=5,
    read_timeout=30,
    max_pool_connections=32,
)


class S3Store:
    """Objects in one bucket, path-style addressing, signature v4.

    Uses only what every S3 server has: put, get, delete, list and multipart upload. No conditional put, no server-side
    encryption (we seal ourselves), no batch delete (it wants Content-MD5 here and there), no checksum trailers.
    Connects to nothing yet. InvalidSettings when the endpoint is no address or the region no name.
    """

    def __init__(
        self,
        bucket: str,
        *,
        endpoint_url: str | None = None,
        region: str | None = None,
        access_key_id: str | None = None,
        secret_access_key: str | None = None,
    ) -> None:
        self._bucket = bucket
        try:
            self._client: S3Client = boto3.client(
                "s3",
                endpoint_url=endpoint_url,
                region_name=region or "us-east-1",
                aws_access_key_id=access_key_id,
                aws_secret_access_key=secret_access_key,
                config=_CONFIG,
            )
        except InvalidRegionError:
            raise InvalidSettings("MASKER_S3_REGION: not a region's name") from None
        except ValueError:
            raise InvalidSettings("MASKER_S3_ENDPOINT_URL: not a web address") from None

    def writer(self, key: str) -> "_PartWriter":
        """Begins a new object."""
        return _PartWriter(self._client, self._bucket, checked_key(key))

    def read(self, key: str) -> Iterator[bytes]:
        """The bytes in pieces of at most 1 MiB. ObjectNotFound at once."""
        return primed(self._pieces(checked_key(key)))

    def delete(self, key: str) -> None:
        """Removes an object, if there is one."""
        with _reaching():
            self._client.delete_object(Bucket=self._bucket, Key=checked_key(key))

    def delete_prefix(self, prefix: str) -> None:
        """Removes every object under a prefix, which must not be empty."""
        if not prefix:
            raise ValueError("refusing to delete every object")
        for key in list(self.keys(prefix)):
            self.delete(key)

    def entries(self, prefix: str) -> Iterator[ObjectEntry]:
        """Every object under a prefix, in no particular order."""
        with _reaching():
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=checked_prefix(prefix)
            )
            for page in pages:
                for item in page.get("Contents", ()):
                    yield ObjectEntry(item["Key"], item["LastModified"])

    def keys(self, prefix: str) -> Iterator[str]:
        """Every key under a prefix."""
        return (entry.key for entry in self.entries(prefix))

    def discard_unfinished(self, before: datetime) -> None:
        """Discards what dead writers left unfinished before a moment."""
        with _reaching():
            for page in self._client.get_paginator("list_multipart_uploads").paginate(Bucket=self._bucket):
                for upload in page.get("Uploads", ()):
                    if upload["Initiated"] < before:
                        self._client.abort_multipart_upload(
                            Bucket=self._bucket, Key=upload["Key"], UploadId=upload["UploadId"]
                        )

    def ping(self) -> None:
        """MaskerUnavailable when the store does not answer."""
        with _reaching():
            self._client.head_bucket(Bucket=self._bucket)

    def close(self) -> None:
        """Closes the pooled connections."""
        self._client.close()

    def _pieces(self, key: str) -> Iterator[bytes]:
        with _reaching():
            try:
                body = self._client.get_object(Bucket=self._bucket, Key=key)["Body"]
            except ClientError as error:
                if error.response.get("Error", {}).get("Code") in _MISSING:
                    raise ObjectNotFound from None
                raise
            with body:
                yield from body.iter_chunks(_CHUNK_BYTES)


class _PartWriter(AbortingWriter):
    """Holds at most one part in memory; an object smaller than a part is a single put."""

    def __init__(self, client: "S3Client", bucket: str, key: str) -> None:
        self._client, self._bucket, self._key = client, bucket, key
        self._buffer = bytearray()
        self._upload: str | None = None
        self._parts: list[CompletedPartTypeDef] = []

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            room = PART_BYTES - len(self._buffer)
            self._buffer += view[:room]
            view = view[room:]
            if len(self._buffer) == PART_BYTES:
                self._send_part()

    def commit(self) -> None:
        with _reaching():
            if self._upload is None:
                self._client.put_object(Bucket=self._bucket, Key=self._key, Body=bytes(self._buffer))
            else:
                if self._buffer:
                    self._send_part()
                self._client.complete_multipart_upload(
                    Bucket=self._bucket, Key=self._key, UploadId=self._upload, MultipartUpload={"Parts": self._parts}
                )
                self._upload = None
        self._buffer = bytearray()

    def abort(self) -> None:
        self._buffer = bytearray()
        if self._upload is not None:
            upload, self._upload = self._upload, None
            # What is gone already, or cannot be reached now, discard_unfinished finds later.
            with suppress(MaskerUnavailable), _reaching():
                self._client.abort_multipart_upload(Bucket=self._bucket, Key=self._key, UploadId=upload)

    def _send_part(self) -> None:
        with _reaching():
            if self._upload is None:
                self._upload = self._client.create_multipart_upload(Bucket=self._bucket, Key=self._key)["UploadId"]
            number = len(self._parts) + 1
            answer = self._client.upload_part(
                Bucket=self._bucket, Key=self._key, UploadId=self._upload, PartNumber=number, Body=bytes(self._buffer)
            )
        self._parts.append({"PartNumber": number, "ETag": answer["ETag"]})
        self._buffer.clear()


@contextmanager
def _reaching() -> Iterator[None]:
    """Turns the service's failures into MaskerUnavailable: their messages may hold keys and addresses."""
    try:
        with timed_store("objects"):
            yield
    except (ClientError, BotoCoreError, HTTPClientError) as error:
        UNAVAILABLE.labels("objects").inc()
        _log.warning("object store unavailable", extra={"error": type(error).__name__})
        raise MaskerUnavailable from None
