"""Password hashing with argon2id (RFC 9106). A failed check does not show whether the account exists."""

import secrets
from functools import cache

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

from schemas.accounts import MAX_PASSWORD_CHARACTERS as MAX_CHARACTERS
from schemas.accounts import MIN_PASSWORD_CHARACTERS as MIN_CHARACTERS
from schemas.errors import Unprocessable

_GENERATED_BYTES = 18

# RFC 9106, 4: the second recommended option (64 MiB, 3 passes); both numbers travel in the hash and may grow.
_HASHER = PasswordHasher(time_cost=3, memory_cost=65536, parallelism=4, type=Type.ID)


def hash_password(password: str) -> str:
    """The hash to store. Unprocessable unless the password has 8 to 1024 characters that UTF-8 can encode; no other
    rule.
    """
    if len(password) < MIN_CHARACTERS:
        raise Unprocessable("string_too_short", ("body", "password"), f"At least {MIN_CHARACTERS} characters")
    if len(password) > MAX_CHARACTERS:
        raise Unprocessable("string_too_long", ("body", "password"), f"At most {MAX_CHARACTERS} characters")
    try:
        return _HASHER.hash(password)
    except UnicodeEncodeError:  # a lone surrogate
        raise Unprocessable("string_unicode", ("body", "password"), "Characters must be valid Unicode") from None


def verify_password(stored: str | None, password: str) -> bool:
    """Whether the password matches the hash; with None (unknown account) False, after the same amount of work."""
    if not MIN_CHARACTERS <= len(password) <= MAX_CHARACTERS:
        return False
    nobody = _nobody()  # made at the first check, whoever it is of
    try:
        return _HASHER.verify(nobody if stored is None else stored, password) and stored is not None
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return False


def needs_rehash(stored: str) -> bool:
    """Whether the hash has other parameters than new ones; it is replaced at the next login."""
    return _HASHER.check_needs_rehash(stored)


def generate_password() -> str:
    """A password of 144 random bits, for accounts that are created without one."""
    return secrets.token_urlsafe(_GENERATED_BYTES)


@cache
def _nobody() -> str:
    """The hash that passwords of unknown accounts are checked against, so that the check takes as long."""
    return _HASHER.hash(generate_password())
