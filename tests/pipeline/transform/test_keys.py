"""The derivation of keys, by vectors of RFC 5869 (appendix A): a key of 32 bytes is the first block of each."""

import pytest

from pipeline.transform.keys import derived_key


@pytest.mark.parametrize(
    ("salt", "info", "derived"),
    [
        (
            "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf",
        ),
        ("", "", "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"),
    ],
)  # fmt: skip
def test_the_vectors_of_the_rfc(salt: str, info: str, derived: str) -> None:
    assert derived_key("\x0b" * 22, bytes.fromhex(info), bytes.fromhex(salt)).hex() == derived
