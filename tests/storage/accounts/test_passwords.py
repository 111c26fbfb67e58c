"""Passwords: argon2id, 8 to 1024 characters, any characters."""

import pytest

from schemas.errors import Unprocessable
from storage.accounts.passwords import generate_password, hash_password, needs_rehash, verify_password


@pytest.fixture(scope="module")
def stored() -> str:
    return hash_password("right password")


@pytest.mark.parametrize("password", ["كلمة س\x00😀", "p" * 1024])
def test_the_right_password_alone_is_accepted(password: str) -> None:
    stored = hash_password(password)
    assert stored.startswith("$argon2id$")
    assert password not in stored
    assert verify_password(stored, password)
    assert not verify_password(stored, password[:-1] + "!")
    assert not needs_rehash(stored)


def test_two_hashes_of_one_password_differ(stored: str) -> None:
    assert hash_password("right password") != stored


@pytest.mark.parametrize(
    ("password", "error"),
    [
        ("", "string_too_short"),
        ("1234567", "string_too_short"),
        ("p" * 1025, "string_too_long"),
        ("1234567\ud800", "string_unicode"),
    ],
)
def test_a_password_out_of_bounds_is_refused_without_repeating_it(password: str, error: str) -> None:
    with pytest.raises(Unprocessable) as refused:
        hash_password(password)
    assert [(item["type"], item["loc"]) for item in refused.value.errors] == [(error, ["body", "password"])]
    assert not password or password not in repr(refused.value.errors)


@pytest.mark.parametrize("password", ["", "short", "p" * 10_000_000, "1234567\ud800", "wrong password"])
def test_a_wrong_password_is_just_wrong(stored: str, password: str) -> None:
    assert not verify_password(stored, password)


@pytest.mark.parametrize("nothing", [None, "", "not a hash", "$argon2id$v=19$broken"])
def test_no_password_opens_what_is_no_hash(nothing: str | None) -> None:
    assert not verify_password(nothing, "right password")


def test_weaker_hashes_are_to_be_replaced() -> None:
    assert needs_rehash("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$4ol8+0Np/MM3iM7iAyT0gg")


def test_generated_passwords_are_good_ones() -> None:
    assert len({generate_password() for _ in range(20)}) == 20
    assert len(generate_password()) == 24
