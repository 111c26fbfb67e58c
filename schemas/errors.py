"""Every failure a caller can meet, as a type that carries its status, its code and its extra fields."""

from collections.abc import Sequence
from typing import ClassVar

from schemas.refusals import REMEDY, Reason


class MaskerError(Exception):
    """The service failed.

    An error with a wire shape: HTTP `status`, `detail` (the stable code or message) and extra body fields. The first
    line of each class's docstring is its `sentence`, which callers of the proxy read.
    """

    status: ClassVar[int] = 500
    detail: str = "internal_error"

    def __init__(self, detail: str | None = None, *, retry_after: int | None = None, **extra: object) -> None:
        super().__init__(detail or self.detail)
        if detail is not None:
            self.detail = detail
        self.retry_after = retry_after
        self.extra = extra

    @property
    def sentence(self) -> str:
        """What happened, in words: the first line of the class's docstring."""
        return (type(self).__doc__ or self.detail).partition("\n")[0]


# 400
class InvalidRequest(MaskerError):
    """The bytes are not a request of HTTP/1.1 (RFC 9112)."""

    status = 400
    detail = "invalid_request"


class InvalidKeyMaterial(MaskerError):
    """BYOK `key` is not base64 of 32 bytes; the detail says which."""

    status = 400
    detail = "key must be valid base64"


class UnknownJudgeModel(MaskerError):
    """`judge_model` is not in the operator's list."""

    status = 400
    detail = "unknown_judge_model"


class UnsupportedFormat(MaskerError):
    """The document cannot be redacted; the answer carries the `reason` and its `remedy`."""

    status = 400
    detail = "unsupported_format"

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason=reason.value, remedy=REMEDY[reason])
        self.reason = reason


class InvalidCursor(MaskerError):
    """The cursor of a list names none of its rows."""

    status = 400
    detail = "invalid_cursor"


class InvalidTransforms(MaskerError):
    """The proxy's transforms header names a type that cannot be generalized."""

    status = 400
    detail = "invalid_transforms"


class MissingProviderKey(MaskerError):
    """A proxied call has no usable `X-Provider-Key`."""

    status = 400
    detail = "missing_provider_key"


class InvalidBody(MaskerError):
    """A proxied body is not UTF-8, no JSON object, has duplicate keys, is nested too deep, or lacks `messages`."""

    status = 400
    detail = "invalid_body"


class AttachmentNotSupported(MaskerError):
    """A proxied body holds an attachment that cannot be masked, and the caller did not allow it to pass as it is."""

    status = 400
    detail = "attachment_not_supported"


class ModelNotAllowed(MaskerError):
    """The managed demo is for other models."""

    status = 400
    detail = "model_not_allowed"


# 401
class Unauthenticated(MaskerError):
    """Nobody, or nobody known, calls; the detail says which of the two."""

    status = 401
    detail = "Missing authentication"


class InvalidLogin(Unauthenticated):
    """E-mail and password do not belong together; which of the two is wrong is not said."""

    detail = "Invalid email or password"


# 402
class InsufficientTokens(MaskerError):
    """Free quota and paid balance do not cover the call."""

    status = 402
    detail = "insufficient_tokens"

    def __init__(self, needed_tokens: int, available_tokens: int) -> None:
        super().__init__(needed_tokens=needed_tokens, available_tokens=available_tokens, topup_url="/billing")
        self.needed_tokens = needed_tokens
        self.available_tokens = available_tokens


# 403
class Forbidden(MaskerError):
    """The caller is known, but this call is not allowed."""

    status = 403
    detail = "Cross-site request refused"


class RegistrationClosed(Forbidden):
    """The operator makes the accounts."""

    detail = "Registration is closed"


# 404
class NotFound(MaskerError):
    """There is no such path or object, or it belongs to another account."""

    status = 404
    detail = "Not Found"


class GlossaryNotFound(NotFound):
    """No glossary of the account has this id."""

    detail = "Glossary not found"


class FileNotFound(NotFound):
    """No file of the account has this id."""

    detail = "File not found"


class UnknownProvider(NotFound):
    """The proxy has no provider of this name."""

    detail = "unknown_provider"


class KeyNotFound(NotFound):
    """No key of the account has this id."""

    detail = "Key not found"


class FileNotReady(NotFound):
    """The job has no output yet, or failed."""

    detail = "not_ready"


# 405, 408
class MethodNotAllowed(MaskerError):
    """The path exists, but not for this method; `allowed` are those that it has."""

    status = 405
    detail = "Method Not Allowed"

    def __init__(self, allowed: Sequence[str] = ()) -> None:
        super().__init__()
        self.allowed = allowed


class RequestTimeout(MaskerError):
    """The body came too slowly."""

    status = 408
    detail = "request_timeout"


# 409
class Conflict(MaskerError):
    """The state of the object does not allow the call."""

    status = 409
    detail = "conflict"


class EmailTaken(Conflict):
    """Another account has this e-mail address."""

    detail = "Email already registered"


class NothingToPin(Conflict):
    """Only a ready file can be pinned."""

    detail = "not_ready"


class TooManyPinned(Conflict):
    """The account has as many pinned files as it may have."""

    detail = "too_many_pinned"


# 410
class FileExpired(MaskerError):
    """The time of the file is over, and its bytes are destroyed."""

    status = 410
    detail = "expired"


# 413
class FileTooLarge(MaskerError):
    """The upload is larger than MASKER_MAX_UPLOAD_BYTES."""

    status = 413
    detail = "file_too_large"


class RequestTooLarge(MaskerError):
    """The body is larger than the limit of its surface."""

    status = 413
    detail = "request_too_large"


# 422
class Unprocessable(MaskerError):
    """A 422 of our own: `errors` is the array of `{type, loc, msg}` that the body's `detail` holds."""

    status = 422
    detail = "unprocessable"

    def __init__(self, type_: str, loc: tuple[str | int, ...], msg: str) -> None:
        super().__init__(type_)
        self.errors = [{"type": type_, "loc": list(loc), "msg": msg}]


# 429
class RateLimited(MaskerError):
    """The sliding window of the key or account is full."""

    status = 429
    detail = "Rate limit exceeded"


class TooManyFilesToday(MaskerError):
    """The uploads of the Asia/Riyadh day are used up."""

    status = 429
    detail = "too_many_files_today"


class TooManyConcurrentJobs(MaskerError):
    """As many jobs are queued or processing as the account may have."""

    status = 429
    detail = "too_many_concurrent_jobs"


class QuotaActive(MaskerError):
    """As many files are queued, processing or ready as the account may have."""

    status = 429
    detail = "quota_active"


# 500, 501, 502, 503, 504
class MaskingFailed(MaskerError):
    """An unexpected failure of `/mask`; repeats no input."""

    status = 500
    detail = "Masking operation failed"


class RedactFailed(MaskerError):
    """An unexpected failure of `/redact`; repeats no input."""

    status = 500
    detail = "Redact operation failed"


class EndpointNotSupported(MaskerError):
    """A path of a provider's that the proxy does not have."""

    status = 501
    detail = "endpoint_not_supported_in_v1"


class ProviderUnreachable(MaskerError):
    """The provider gave no answer, half of one, or a redirect."""

    status = 502
    detail = "provider_unreachable"


class ProviderTimeout(MaskerError):
    """The provider took too long to connect or to send the next bytes."""

    status = 504
    detail = "provider_timeout"


class MaskerUnavailable(MaskerError):
    """Detection is overloaded or a store is unreachable; whatever was charged is refunded."""

    status = 503
    detail = "masker_unavailable"


class CommitInDoubt(MaskerUnavailable):
    """The database went away while it committed: what the transaction did may have happened, or not."""


class StageFailed(Exception):
    """A file job cannot go on; `code` becomes the job's `error_code`. Never carries text of the document.

    `reason` says why a format is unsupported, `corrupt` when left out; other codes have none.
    """

    def __init__(self, code: str, reason: Reason | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.reason = (reason or Reason.CORRUPT) if code == ErrorCode.UNSUPPORTED_FORMAT else None


class ErrorCode:
    """Values of a failed job's `error_code`."""

    REDACTION_INCOMPLETE = "redaction_incomplete"
    VERIFY_FAILED = "verify_failed"
    IMAGE_REDACT_FAILED = "image_redact_failed"
    TOO_MANY_PAGES = "too_many_pages"
    MASKER_UNAVAILABLE = "masker_unavailable"
    INTERNAL_ERROR = "internal_error"
    UNSUPPORTED_FORMAT = "unsupported_format"
    TIMEOUT = "timeout"
    INSUFFICIENT_TOKENS = "insufficient_tokens"


def unsupported(reason: Reason) -> StageFailed:
    """The failure of a document that cannot be redacted, for this reason."""
    return StageFailed(ErrorCode.UNSUPPORTED_FORMAT, reason)


def type_name(error: BaseException) -> str:
    """The name of the exception's type, for a log that must not have its message; for a group also its members'."""
    if isinstance(error, BaseExceptionGroup):
        return f"{type(error).__name__}({', '.join(type_name(inner) for inner in error.exceptions)})"
    return type(error).__name__
