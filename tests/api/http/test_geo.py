"""The country database: damaged, replaced, truncated while in use, or with other records."""

import logging
from ipaddress import ip_address
from pathlib import Path

import pytest

from api.http.geo import CountryDatabase, GeoRestriction
from schemas.settings import InvalidSettings
from tests.api.http.country_database import (
    FOREIGN_6,
    NETWORKS,
    SAUDI,
    SAUDI_6,
    UNLISTED,
    write_countries,
    write_records,
)


def country(countries: CountryDatabase, address: str) -> str | None:
    return countries.country_of(ip_address(address))


def test_addresses_of_both_kinds(tmp_path: Path) -> None:
    countries = CountryDatabase(write_countries(tmp_path / "c.mmdb"))
    assert [country(countries, one) for one in (SAUDI, SAUDI_6, FOREIGN_6, UNLISTED, "2a00::1")] == [
        "SA",
        "SA",
        "US",
        None,
        None,
    ]


def test_a_database_of_ipv4_has_no_ipv6_addresses(tmp_path: Path) -> None:
    path = write_countries(tmp_path / "c.mmdb", {"203.0.113.0/24": "sa"}, ip_version=4)
    countries = CountryDatabase(path)
    assert (country(countries, SAUDI), country(countries, SAUDI_6)) == ("SA", None)


def test_records_of_another_shape_have_no_country(tmp_path: Path) -> None:
    records = {
        "203.0.113.0/28": "SA",
        "203.0.113.16/28": {"country": "SA"},
        "203.0.113.32/28": {"country": {"iso_code": 7}},
        "203.0.113.48/28": {"registered_country": {"iso_code": "SA"}},
        "203.0.113.64/28": ["SA"],
    }
    countries = CountryDatabase(write_records(tmp_path / "c.mmdb", records))
    assert [country(countries, f"203.0.113.{last}") for last in (1, 17, 33, 49, 65)] == [None] * 5


@pytest.mark.parametrize("content", [None, b"", b"not a database", b"\0" * 5000, "cut"])
def test_files_that_are_no_database(tmp_path: Path, content: bytes | str | None) -> None:
    path = tmp_path / "c.mmdb"
    if content == "cut":
        whole = write_countries(path).read_bytes()
        path.write_bytes(whole[: len(whole) - 60])
    elif isinstance(content, bytes):
        path.write_bytes(content)
    with pytest.raises(InvalidSettings, match="MASKER_GEO_DATABASE: ") as refused:
        CountryDatabase(path)
    assert str(tmp_path) not in str(refused.value)


def test_a_directory_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match="MASKER_GEO_DATABASE: "):
        CountryDatabase(tmp_path)


def test_a_replaced_file_is_used_within_a_minute(tmp_path: Path) -> None:
    now, path = 0.0, tmp_path / "c.mmdb"
    countries = CountryDatabase(write_countries(path), lambda: now)
    write_countries(tmp_path / "new.mmdb", {"203.0.113.0/24": "US"}).replace(path)
    assert country(countries, SAUDI) == "SA"
    now = 60.0
    assert country(countries, SAUDI) == "US"


@pytest.mark.parametrize("damage", ["gone", "garbage", "cut"])
def test_a_damaged_new_file_leaves_the_old_one_in_use(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    """Also when it is overwritten in place, which would kill a process that has the file mapped."""
    now, path = 0.0, tmp_path / "c.mmdb"
    countries = CountryDatabase(write_countries(path), lambda: now)
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(b"" if damage == "cut" else b"garbage" * 1000)
    with caplog.at_level(logging.INFO, "masker.geo"):
        for _ in range(3):
            now += 61
            assert country(countries, SAUDI) == "SA"
        assert len(caplog.records) == 1
        write_countries(path, {**NETWORKS, "203.0.113.0/24": "KW"})
        now += 61
        assert country(countries, SAUDI) == "KW"


@pytest.mark.parametrize("codes", [(), ("SAU",), ("S",), ("SA", "9X"), ("Saudi Arabia",), ("ًSA",)])
def test_invalid_country_codes(tmp_path: Path, codes: tuple[str, ...]) -> None:
    with pytest.raises(InvalidSettings, match="MASKER_GEO_COUNTRIES: "):
        GeoRestriction(CountryDatabase(write_countries(tmp_path / "c.mmdb")), codes)
