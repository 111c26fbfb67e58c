"""All settings: each `MASKER_` variable with its unit, default and meaning, from the environment and `.env`."""

import base64
import binascii
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from ipaddress import IPv6Address
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from dotenv import dotenv_values
from platformdirs import user_data_path
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PREFIX = "MASKER_"
_OF_CLIENTS = frozenset({"MASKER_SERVER", "MASKER_API_KEY"})  # whose commands use a server instead of settings
_UNREADABLE = ".env cannot be read, or is not UTF-8"


class InvalidSettings(Exception):
    """A variable is missing or invalid. The message names it and never contains its value."""


class LogFormat(StrEnum):
    """`auto`: text at a terminal, else JSON."""

    AUTO = "auto"
    JSON = "json"
    TEXT = "text"


class SandboxMode(StrEnum):
    """`strict`: workers do not start without the required measures. `best-effort`: they use the measures that the
    kernel allows, at least one, and warn. `off`: the same, with none if there is none."""

    STRICT = "strict"
    BEST_EFFORT = "best-effort"
    OFF = "off"


def _split(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _data_dir() -> Path:
    """The user's own directory for this program's data (XDG Base Directory Specification: $XDG_DATA_HOME/masker)."""
    return user_data_path("masker", appauthor=False)


Listed = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Count = Annotated[int, Field(ge=1)]
_WEB_PORTS = {"http": 80, "https": 443}
_MAX_SECONDS = 10**9  # 31 years: timers and dates can hold it
Seconds = Annotated[int, Field(ge=1, le=_MAX_SECONDS)]


class Settings(BaseSettings):
    """All settings. Commas separate the items of lists; booleans are `true` or `false`; an empty string means unset."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    # Storage
    data_dir: Path = Field(
        default_factory=_data_dir,
        description="where the embedded mode keeps database, objects and master key; unset: the user's data directory",
    )
    database_url: str = Field(
        "", description="SQLAlchemy URL; unset: SQLite in DATA_DIR; in production postgresql+psycopg://..."
    )
    redis_url: str | None = Field(
        None, description="redis:// URL; unset: broker, limiter and caches live in the process"
    )
    s3_bucket: str | None = Field(
        None, pattern=r"^[A-Za-z0-9._-]{3,255}$", description="unset: files under <DATA_DIR>/objects"
    )
    s3_endpoint_url: str | None = Field(None, description="unset: the provider's own address")
    s3_region: str | None = Field(None, description="region name for request signing")
    s3_access_key_id: SecretStr | None = Field(None, description="unset: the usual credential chain")
    s3_secret_access_key: SecretStr | None = Field(None, description="secret of the access key")
    master_key: SecretStr | None = Field(
        None, description="32 bytes in base64; encrypts the data key of every stored object"
    )
    previous_master_keys: Annotated[tuple[SecretStr, ...], NoDecode, BeforeValidator(_split)] = Field(
        (), description="earlier master keys, which still decrypt"
    )

    # Money and limits
    free_tokens_per_day: int = Field(10000, ge=0, description="tokens per account and Asia/Riyadh day")
    rate_limit_per_minute: Count = Field(120, description="calls per key (cookie: per account) in a sliding 60 s")
    max_text_bytes: Count = Field(67108864, description="bytes of a JSON body")
    max_upload_bytes: Count = Field(104857600, description="bytes of an uploaded file")
    max_file_pages: Count = Field(500, description="pages of a document")
    proxy_max_body_bytes: Count = Field(4194304, description="bytes of a proxied request body")
    file_ttl_seconds: Seconds = Field(86400, description="seconds from upload until the bytes are destroyed")
    expired_row_retention_days: Count = Field(
        30, le=_MAX_SECONDS // 86400, description="days that expired and failed rows are kept"
    )
    sweep_interval_seconds: Seconds = Field(60, description="seconds between two sweeps")
    daily_uploads: Count = Field(100, description="uploads per account and Asia/Riyadh day")
    concurrent_jobs: Count = Field(2, description="files queued or processing per account")
    active_files: Count = Field(50, description="files queued, processing or ready per account")
    pinned_files: Count = Field(5, description="pinned files per account")
    lease_seconds: float = Field(
        60,
        gt=0,
        le=_MAX_SECONDS,
        allow_inf_nan=False,
        description="seconds a stage owns its job, renewed while it works",
    )
    max_attempts: Count = Field(3, description="claims of one stage before internal_error")
    ocr_pages_at_once: Count = Field(
        8, description="pages of a file that wait to be read at once; others come in between"
    )

    # Access
    geo_database: Path | None = Field(None, description="MaxMind-format country database; unset: no restriction")
    geo_countries: Listed = Field(("SA",), description="ISO 3166-1 alpha-2 codes that may call")
    trusted_proxies: Listed = Field((), description="address ranges of proxies whose X-Forwarded-For counts")
    cors_origins: Listed = Field((), description="web origins whose pages may call")
    dashboard_url: str | None = Field(
        None, description="origin of the dashboard; unset: the server on 127.0.0.1 and localhost"
    )
    open_registration: bool = Field(True, description="whether POST /auth/register is open")
    login_attempts_per_minute: Count = Field(
        10, description="logins, and registrations, for each address and each account"
    )
    cookie_secure: bool | None = Field(None, description="unset: yes for a DASHBOARD_URL with https")
    session_ttl_seconds: Seconds = Field(43200, description="seconds a browser session lasts")
    auth_cache_seconds: Seconds = Field(60, description="seconds an authenticated key is remembered")

    # Detection
    entity_toggles_since: datetime = Field(
        datetime(2026, 1, 1, tzinfo=UTC), description="accounts created before it start with every type on"
    )
    legacy_spans: bool = Field(False, description="also report retired type names in spans")
    names: Literal["rules", "fast", "accurate"] = Field(
        "fast", description="names: rules alone, or with a tagger: in texts this one, in files the accurate one"
    )
    judge_base_url: str | None = Field(None, description="chat-completions endpoint ending with /v1; unset: no judge")
    judge_api_key: SecretStr | None = Field(None, description="bearer for the judge's endpoint")
    judge_models: Listed = Field((), description="allow-list; the first is the default")
    judge_timeout_seconds: float = Field(
        2, gt=0, le=_MAX_SECONDS, allow_inf_nan=False, description="seconds the judge may take"
    )
    detect_max_concurrency: Count = Field(
        default_factory=lambda: os.cpu_count() or 1, description="texts scanned at once, per process"
    )
    detect_max_queue: int = Field(256, ge=0, description="texts waiting, per process; past it 503")

    # The model providers
    anthropic_base_url: str = Field("https://api.anthropic.com", description="base of /v1/messages")
    openai_base_url: str = Field("https://api.openai.com/v1", description="base of /chat/completions")
    demo_provider: Literal["anthropic", "openai"] | None = Field(
        None, description="managed demo's provider, anthropic or openai; unset: no demo"
    )
    demo_provider_key: SecretStr | None = Field(None, description="managed demo's provider key; unset: no demo")
    demo_models: Listed = Field(
        ("claude-haiku-4-5", "gpt-5-mini"), description="models that the managed demo may be asked for"
    )
    demo_calls_per_day: Count = Field(20, description="calls of the managed demo per account in any 24 hours")

    # Webhooks
    webhook_private_addresses: bool = Field(
        False, description="whether a callback_url may be http, or lead to addresses that are not public"
    )

    # Monitoring
    log_format: LogFormat = Field(
        LogFormat.AUTO, description="auto, json or text, on standard error; auto: text at a terminal, else JSON lines"
    )
    metrics_port: Annotated[int, Field(ge=1, le=65_000)] | None = Field(
        None, description="port of /metrics; unset: none. Further processes of one machine take the next ports"
    )
    metrics_host: str = Field("127.0.0.1", description="address that /metrics listens on; it has no authentication")

    traces_url: str | None = Field(
        None,
        description="where traces go (OTLP over HTTP), such as http://127.0.0.1:4318/v1/traces; unset: nowhere",
    )
    traces_ratio: float = Field(1, ge=0, le=1, allow_inf_nan=False, description="share of the traces that is sent")
    traces_to_providers: bool = Field(False, description="whether calls of a model provider carry our traceparent")

    # Sandbox of the parsers
    sandbox: SandboxMode | None = Field(
        None, description="strict, best-effort or off; unset: best-effort when embedded, else strict"
    )

    @field_validator("master_key")
    @classmethod
    def _is_aes_256(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            decode_master_key(value)
        return value

    @field_validator("previous_master_keys")
    @classmethod
    def _are_aes_256(cls, values: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        for value in values:
            decode_master_key(value)
        return values

    @field_validator("dashboard_url")
    @classmethod
    def _is_web_address(cls, value: str | None) -> str | None:
        if value is not None:
            _origin(value)
        return value

    @field_validator("judge_base_url", "anthropic_base_url", "openai_base_url", "traces_url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        """Checked at the start, because with an invalid address every single call would fail."""
        if value is not None and not _is_base_url(value):
            raise ValueError("must be http://HOST... or https://HOST..., without credentials, query or fragment")
        return value

    @field_validator("judge_api_key", "demo_provider_key")
    @classmethod
    def _fits_in_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not re.fullmatch(r"[!-~]+", value.get_secret_value()):
            raise ValueError("must be printable ASCII without blanks")
        return value

    @field_validator("entity_toggles_since")
    @classmethod
    def _is_aware(cls, value: datetime) -> datetime:
        return value if value.tzinfo else value.replace(tzinfo=UTC)

    @model_validator(mode="before")
    @classmethod
    def _default_database(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and not data.get("database_url"):
            place = Path(str(data.get("data_dir") or _data_dir())) / "masker.db"
            return {**data, "database_url": f"sqlite:///{place}"}
        return data

    @model_validator(mode="after")
    def _has_master_key(self) -> Self:
        if self.master_key is None and not self.is_sqlite:
            raise ValueError("MASKER_MASTER_KEY is required when MASKER_DATABASE_URL is not SQLite")
        return self

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is the embedded one."""
        return self.database_url.startswith("sqlite")

    @property
    def is_embedded(self) -> bool:
        """Whether workers run inside the API process."""
        return self.redis_url is None

    @property
    def names_in_files(self) -> Literal["rules", "accurate"]:
        """What finds names in files and on the command line, where the time of a request does not matter."""
        return "rules" if self.names == "rules" else "accurate"

    @property
    def dashboard_origin(self) -> str | None:
        """`DASHBOARD_URL` as browsers write it in an Origin header; None when it is unset."""
        return None if self.dashboard_url is None else _origin(self.dashboard_url)

    @property
    def session_cookie_secure(self) -> bool:
        """`COOKIE_SECURE`, or whether the dashboard's address is https."""
        if self.cookie_secure is not None:
            return self.cookie_secure
        return self.dashboard_origin is not None and self.dashboard_origin.startswith("https:")

    @property
    def sandbox_mode(self) -> SandboxMode:
        """`SANDBOX`, or best-effort in the embedded mode and strict otherwise."""
        return self.sandbox or (SandboxMode.BEST_EFFORT if self.is_embedded else SandboxMode.STRICT)


def _origin(url: str) -> str:
    """The origin of a web address, serialized as in RFC 6454, section 6.1; ValueError when it has none."""
    wrong = ValueError("must be an address that begins with https:// or http:// and names a host (in its xn-- form)")
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
        host = f"[{IPv6Address(host)}]" if ":" in host else _ascii_host(host)
    except (ValueError, UnicodeError):
        raise wrong from None
    if parts.scheme not in _WEB_PORTS or parts.username is not None or not re.fullmatch(r"[a-z0-9._-]+|\[.+\]", host):
        raise wrong
    return f"{parts.scheme}://{host}" + ("" if port in (None, _WEB_PORTS[parts.scheme]) else f":{port}")


def _ascii_host(host: str) -> str:
    """A host name in ASCII as browsers write it. ValueError for names that IDNA 2003 changes.

    Python implements IDNA 2003, where `straße` becomes `strasse`. In browsers (UTS 46) that is a different host.
    """
    encoded = host.encode("idna")
    if not host.isascii() and encoded.decode("idna") != host:
        raise ValueError("not the same name in both")
    return encoded.decode()


def decode_master_key(value: SecretStr) -> bytes:
    """The 32 bytes of a base64 master key. ValueError."""
    try:
        raw = base64.b64decode(value.get_secret_value(), validate=True)
    except binascii.Error:
        raise ValueError("must be standard base64") from None
    if len(raw) != 32:
        raise ValueError("must be base64 of 32 bytes")
    return raw


def _is_base_url(value: str) -> bool:
    try:
        parts = urlsplit(value)
        bare = parts.username is None and parts.password is None and not any(mark in value for mark in "?#\\")
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a malformed port or bracket
        return False
    return known and bare and re.fullmatch(r"[!-~]+", value) is not None


def load_settings(**overrides: Any) -> Settings:
    """Settings from the environment and `.env`. InvalidSettings names invalid variables without their values."""
    try:
        return Settings(**overrides)
    except ValidationError as error:
        raise InvalidSettings("; ".join(_sentence(dict(item)) for item in error.errors(include_input=False))) from None
    except (OSError, UnicodeDecodeError):
        raise InvalidSettings(_UNREADABLE) from None


def unknown_variables(environ: Mapping[str, str] | None = None) -> list[str]:
    """`MASKER_` variables that do not exist, usually spelling mistakes. InvalidSettings when `.env` is unreadable."""
    try:
        names = set(environ if environ is not None else os.environ) | set(dotenv_values(".env"))  # noqa: TID251
    except (OSError, UnicodeDecodeError):
        raise InvalidSettings(_UNREADABLE) from None
    known = {PREFIX + field.upper() for field in Settings.model_fields} | _OF_CLIENTS
    return sorted(name for name in names if name.startswith(PREFIX) and name not in known)


def _sentence(item: dict[str, Any]) -> str:
    name = PREFIX + "_".join(str(part) for part in item["loc"][:1]).upper() if item["loc"] else ""
    message = str(item["msg"]).removeprefix("Value error, ")
    return f"{name}: {message}" if name else message
