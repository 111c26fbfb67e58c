"""Requests and answers about accounts and keys: registration, login, `/me` and `/v1/keys`."""

from datetime import date, datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictStr, StringConstraints

from schemas.whitespace import WHITESPACE, describe_trimmed

MIN_PASSWORD_CHARACTERS, MAX_PASSWORD_CHARACTERS = 8, 1024
MAX_KEY_NAME_CHARACTERS = 200
MAX_LIVE_KEYS = 100  # of an account, revoked ones not counted
MAX_REVOKED_KEYS, REVOKED_KEY_DAYS = 900, 90  # of an account, how many stay listed and for how long

_PART = rf"[^{WHITESPACE}@\x00-\x1f\x7f]"
_EMAIL = rf"^{_PART}{{1,64}}@{_PART}{{1,189}}$"  # approximate; storage checks and normalizes the address
KeyName = Annotated[
    str,
    StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=MAX_KEY_NAME_CHARACTERS),
    Field(json_schema_extra=describe_trimmed(MAX_KEY_NAME_CHARACTERS, r"\x00")),
]


class Registration(BaseModel):
    """A new account. The password has 8 to 1024 characters and no other rule."""

    email: Annotated[StrictStr, Field(json_schema_extra={"maxLength": 254, "pattern": _EMAIL})]
    password: Annotated[StrictStr, Field(min_length=MIN_PASSWORD_CHARACTERS, max_length=MAX_PASSWORD_CHARACTERS)]


class Login(BaseModel):
    """E-mail address and password of an existing account. A password of any length is accepted and compared."""

    email: StrictStr
    password: StrictStr


class AccountAnswer(BaseModel):
    """The account that is logged in. `email` is trimmed and in lower case, as it is stored."""

    account_id: UUID
    email: str


class BalanceAnswer(BaseModel):
    """The balance in tokens, and when the free tokens refill."""

    free_tokens: int
    paid_tokens: int
    free_resets_at: datetime


class Profile(AccountAnswer):
    """`GET /me`."""

    created_at: datetime
    balance: BalanceAnswer


class DayOfUse(BaseModel):
    """One day (Asia/Riyadh): tokens charged for texts, number of calls, and entities found by type."""

    day: date
    tokens: int
    calls: int
    entities: dict[str, int]


class UsageAnswer(BaseModel):
    """`GET /me/usage`: every day of the period, oldest first. The last one is today."""

    days: list[DayOfUse]


class LedgerLine(BaseModel):
    """One entry of the ledger. Token amounts are signed: negative for charges, positive for credits."""

    id: str
    kind: str
    reason: str
    free_tokens: int
    paid_tokens: int
    created_at: datetime


class LedgerPage(BaseModel):
    """`GET /me/ledger`: newest first. `next_cursor`, given as `cursor`, returns strictly older entries."""

    entries: list[LedgerLine]
    next_cursor: str | None


class KeyRequest(BaseModel):
    """A key's name: 1 to 200 characters without the whitespace around it."""

    name: KeyName


class KeyRow(BaseModel):
    """A key in lists, without its secret. `prefix`: the part of the bearer that is stored in the clear."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    prefix: str
    judge_allowed: bool
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class MintedKey(KeyRow):
    """A new key with its bearer. This is the only answer that contains the bearer."""

    key: str
