"""The errors that each operation can answer: those that depend on credentials and body, and a table by operation."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from json import loads
from typing import Any, Literal, TypeAlias

from api.http.errors import PROXY, UNEXPECTED, Invalid, error_response
from schemas.accounts import MAX_LIVE_KEYS
from schemas.errors import (
    AttachmentNotSupported,
    EmailTaken,
    FileExpired,
    FileNotFound,
    FileNotReady,
    FileTooLarge,
    Forbidden,
    GlossaryNotFound,
    InsufficientTokens,
    InvalidBody,
    InvalidCursor,
    InvalidKeyMaterial,
    InvalidLogin,
    InvalidTransforms,
    KeyNotFound,
    MaskerError,
    MaskerUnavailable,
    MissingProviderKey,
    NothingToPin,
    ProviderTimeout,
    ProviderUnreachable,
    QuotaActive,
    RateLimited,
    RegistrationClosed,
    RequestTimeout,
    RequestTooLarge,
    TooManyConcurrentJobs,
    TooManyFilesToday,
    TooManyPinned,
    Unauthenticated,
    UnknownJudgeModel,
    Unprocessable,
    UnsupportedFormat,
)
from schemas.refusals import Reason

Credentials: TypeAlias = Literal["either", "bearer", "session"]
Object: TypeAlias = dict[str, Any]

_MISSING_TEXT = Invalid([{"type": "missing", "loc": ("body", "text"), "msg": "Field required"}])
_WRONG_CONTENT_TYPE = Invalid(
    [{"type": "content_type", "loc": ("header", "content-type"), "msg": "Content-Type should be application/json"}]
)
_UNKNOWN_TYPE = Unprocessable("entity_type", ("body", "enabled", 0), "Input should be a type of the catalog")
_TOO_MANY_GLOSSARIES = Unprocessable("max_glossaries_reached", ("body",), "At most 10 glossaries per account")
_TOO_MANY_KEYS = Unprocessable(
    "max_keys_reached", ("body",), f"At most {MAX_LIVE_KEYS} keys per account; revoke one first"
)
_EMPTY_NAME = Unprocessable("string_too_short", ("body", "name"), "String should have at least 1 character")
_INVALID_EMAIL = Unprocessable("value_error", ("body", "email"), "Value is not an e-mail address")
_INVALID_LIMIT = Invalid([{"type": "int_parsing", "loc": ("query", "limit"), "msg": "Input should be a valid integer"}])
_MISSING_FILE = Invalid([{"type": "missing", "loc": ("body", "file"), "msg": "Field required"}])
_BEARER = (
    Unauthenticated("Malformed authentication token"),
    Unauthenticated("Invalid authentication token"),
)
_SESSION = (Unauthenticated("Invalid or expired session"),)
_BY_CREDENTIALS: Mapping[Credentials, tuple[MaskerError, ...]] = {
    "either": (Unauthenticated("Missing authentication"), *_BEARER, *_SESSION),
    "bearer": (Unauthenticated("Missing authentication token"), *_BEARER),
    "session": (Unauthenticated("Missing session cookie"), *_SESSION),
}
_TEXT = (
    UnknownJudgeModel(),
    InsufficientTokens(needed_tokens=12, available_tokens=7),
    GlossaryNotFound(),
    _MISSING_TEXT,
    MaskerUnavailable(retry_after=1),
)
_BATCH = (
    InsufficientTokens(needed_tokens=1200, available_tokens=700),
    Invalid([{"type": "missing", "loc": ("body", "items", 3, "text"), "msg": "Field required"}]),
    MaskerUnavailable(retry_after=1),
)
_TOO_MANY_ATTEMPTS = RateLimited(retry_after=17)
_PROXY = (
    MissingProviderKey(),
    InvalidTransforms(),
    InvalidBody(),
    AttachmentNotSupported(),
    InsufficientTokens(needed_tokens=12, available_tokens=7),
    RequestTimeout(),
    RequestTooLarge(),
    ProviderUnreachable(),
    ProviderTimeout(),
    MaskerUnavailable(retry_after=1),
)

# The errors of single operations, in addition to those of all operations of their kind.
_BY_OPERATION: Mapping[tuple[str, str], tuple[MaskerError, ...]] = {
    ("POST", "/api/v1/mask"): (
        InvalidKeyMaterial(),
        InvalidKeyMaterial("key must decode to 32 bytes (256 bits), got 16"),
        *_TEXT,
    ),
    ("POST", "/api/v1/redact"): _TEXT,
    ("POST", "/api/v1/mask/batch"): _BATCH,
    ("POST", "/api/v1/redact/batch"): _BATCH,
    ("POST", f"{PROXY}anthropic/v1/messages"): _PROXY,
    ("POST", f"{PROXY}openai/v1/chat/completions"): _PROXY,
    ("POST", "/api/v1/files/redact"): (
        UnsupportedFormat(Reason.CORRUPT),
        InsufficientTokens(needed_tokens=10, available_tokens=7),
        GlossaryNotFound(),
        RequestTimeout(),
        FileTooLarge(),
        _MISSING_FILE,
        TooManyFilesToday(),
        TooManyConcurrentJobs(),
        QuotaActive(),
    ),
    ("GET", "/api/v1/files"): (InvalidCursor(), _INVALID_LIMIT),
    ("GET", "/api/v1/files/{file_id}"): (FileNotFound(),),
    ("GET", "/api/v1/files/{file_id}/download"): (FileNotFound(), FileNotReady(), FileExpired()),
    ("HEAD", "/api/v1/files/{file_id}/download"): (FileNotFound(), FileNotReady(), FileExpired()),
    ("GET", "/api/v1/files/{file_id}/report"): (FileNotFound(), FileNotReady()),
    ("POST", "/api/v1/files/{file_id}/pin"): (FileNotFound(), NothingToPin(), TooManyPinned()),
    ("POST", "/api/v1/files/{file_id}/unpin"): (FileNotFound(),),
    ("DELETE", "/api/v1/files/{file_id}"): (FileNotFound(),),
    ("POST", "/v1/glossaries"): (_TOO_MANY_GLOSSARIES, _EMPTY_NAME),
    ("GET", "/v1/glossaries/{glossary_id}"): (GlossaryNotFound(),),
    ("PATCH", "/v1/glossaries/{glossary_id}"): (GlossaryNotFound(), _EMPTY_NAME),
    ("DELETE", "/v1/glossaries/{glossary_id}"): (GlossaryNotFound(),),
    ("PATCH", "/v1/glossaries/{glossary_id}/entries"): (GlossaryNotFound(), _EMPTY_NAME),
    ("PUT", "/me/entities"): (_UNKNOWN_TYPE,),
    ("GET", "/v1/keys/{key_id}/entities"): (KeyNotFound(),),
    ("PUT", "/v1/keys/{key_id}/entities"): (KeyNotFound(), _UNKNOWN_TYPE),
    ("GET", "/me/usage"): (_INVALID_LIMIT,),
    ("GET", "/me/ledger"): (InvalidCursor(), _INVALID_LIMIT),
    ("POST", "/v1/keys"): (_TOO_MANY_KEYS, _EMPTY_NAME),
    ("PATCH", "/v1/keys/{key_id}"): (KeyNotFound(), _EMPTY_NAME),
    ("DELETE", "/v1/keys/{key_id}"): (KeyNotFound(),),
    ("POST", "/auth/register"): (RegistrationClosed(), Forbidden(), EmailTaken(), _INVALID_EMAIL, _TOO_MANY_ATTEMPTS),
    ("POST", "/auth/login"): (InvalidLogin(), Forbidden(), _TOO_MANY_ATTEMPTS),
    ("POST", "/auth/logout"): (Forbidden(),),
}
_UNSAFE = frozenset({"DELETE", "PATCH", "POST", "PUT"})
_GEO_DESCRIPTION = "A call from outside the countries that this service admits: no body, no content type."


def errors_of(method: str, path: str, credentials: Credentials | None, *, takes_json: bool) -> list[MaskerError]:
    """Every error of an operation, with example values."""
    found: list[MaskerError] = []
    if credentials:
        found += [*_BY_CREDENTIALS[credentials], RateLimited(retry_after=17)]
        if credentials != "bearer" and method in _UNSAFE:
            found.append(Forbidden())
    if takes_json and not path.startswith(PROXY):
        found += [RequestTimeout(), RequestTooLarge(), _WRONG_CONTENT_TYPE]
    found += _BY_OPERATION.get((method, path), ())
    if credentials or path.startswith("/auth"):
        found += [UNEXPECTED.get(path, MaskerError)(), MaskerUnavailable()]
    return sorted(found, key=lambda error: error.status)


def responses_of(found: Iterable[MaskerError], path: str) -> dict[str, Object]:
    """The errors as OpenAPI responses of an operation, by status."""
    by_status: defaultdict[int, list[MaskerError]] = defaultdict(list)
    for error in found:
        by_status[error.status].append(error)
    responses = {str(status): _response(status, errors, path) for status, errors in by_status.items()}
    responses.setdefault("403", {"description": _GEO_DESCRIPTION})
    return dict(sorted(responses.items()))


def _response(status: int, errors: list[MaskerError], path: str) -> Object:
    answers = {_name(error): error_response(error, path) for error in errors}
    content: Object = {
        "schema": {"$ref": f"#/components/schemas/{_schema(status, path)}"},
        "examples": {name: {"value": loads(bytes(given.body))} for name, given in answers.items()},
    }
    phrase = HTTPStatus(status).phrase
    response: Object = {
        "description": f"{phrase}. Also: {_GEO_DESCRIPTION[0].lower()}{_GEO_DESCRIPTION[1:]}"
        if status == HTTPStatus.FORBIDDEN
        else phrase,
        "content": {"application/json": content},
    }
    headers = {name: _HEADERS[name] for given in answers.values() for name in _HEADERS if name in given.headers}
    return {**response, "headers": headers} if headers else response


_HEADERS: Mapping[str, Object] = {
    "Retry-After": {"description": "Seconds to wait before the next try.", "schema": {"type": "integer", "minimum": 1}},
    "WWW-Authenticate": {"description": "Always `Bearer`.", "schema": {"type": "string", "const": "Bearer"}},
}


def _name(error: MaskerError) -> str:
    detail = getattr(error, "errors", None)
    return str(detail[0]["type"]) if detail else error.detail.replace(" ", "_").casefold()


def _schema(status: int, path: str) -> str:
    if path.startswith(PROXY):
        return "ProxyInsufficientTokens" if status == HTTPStatus.PAYMENT_REQUIRED else "ProxyError"
    return {402: "InsufficientTokens", 422: "ValidationErrors"}.get(status, "Error")


_MONEY: Object = {
    "needed_tokens": {"type": "integer", "minimum": 1, "description": "what the call costs"},
    "available_tokens": {"type": "integer", "minimum": 0, "description": "free quota and paid balance left"},
    "topup_url": {"type": "string", "description": "path below the dashboard's address"},
}
# The schemas of error bodies.
SCHEMAS: Mapping[str, Object] = {
    "ProxyError": {
        "type": "object",
        "required": ["error", "message"],
        "properties": {
            "error": {"type": "string", "description": "a stable code"},
            "message": {"type": "string", "description": "the same in words, which may change"},
            "detail": {"type": "string", "description": "a message that may be reworded"},
        },
    },
    "ProxyInsufficientTokens": {
        "type": "object",
        "required": ["error", "message", *_MONEY],
        "properties": {
            "error": {"type": "string", "const": InsufficientTokens.detail},
            "message": {"type": "string"},
            **_MONEY,
        },
    },
    "Error": {
        "type": "object",
        "required": ["detail"],
        "properties": {"detail": {"type": "string", "description": "a stable code, or a message that may be reworded"}},
    },
    "InsufficientTokens": {
        "type": "object",
        "required": ["detail", "needed_tokens", "available_tokens", "topup_url"],
        "properties": {"detail": {"type": "string", "const": InsufficientTokens.detail}, **_MONEY},
    },
    "ValidationErrors": {
        "type": "object",
        "required": ["detail"],
        "properties": {
            "detail": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["type", "loc", "msg"],
                    "additionalProperties": False,
                    "properties": {
                        "type": {"type": "string", "description": "what is wrong, as a code"},
                        "loc": {
                            "type": "array",
                            "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                            "description": "where: declared names and indexes, nothing of what was sent",
                        },
                        "msg": {"type": "string"},
                    },
                },
            }
        },
    },
}
