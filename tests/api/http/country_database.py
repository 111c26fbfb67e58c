"""A MaxMind-format database of invented countries for the networks that RFC 5737 and 3849 keep for documentation."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mmdb_writer import MMDBWriter
from netaddr import IPSet

SAUDI, SAUDI_6 = "203.0.113.7", "2001:db8:1::7"
FOREIGN, FOREIGN_6 = "198.51.100.7", "2001:db8:2::7"
BAHRAINI = "192.0.2.7"
UNLISTED = "8.8.8.8"

NETWORKS: Mapping[str, str] = {
    "203.0.113.0/24": "SA",
    "2001:db8:1::/48": "SA",
    "198.51.100.0/24": "US",
    "2001:db8:2::/48": "US",
    "192.0.2.0/24": "BH",
    "10.0.0.0/8": "SA",  # nonsense that must not help anybody
    "127.0.0.0/8": "SA",
}


def write_records(path: Path, records: Mapping[str, Any], *, ip_version: int = 6) -> Path:
    """A database of network -> record."""
    writer = MMDBWriter(ip_version, "Test-Country", ipv4_compatible=ip_version == 6)
    for network, record in records.items():
        writer.insert_network(IPSet([network]), record)
    writer.to_db_file(str(path))
    return path


def write_countries(path: Path, countries: Mapping[str, str] = NETWORKS, *, ip_version: int = 6) -> Path:
    """A database of network -> country, in the shape of MaxMind's own."""
    records = {network: {"country": {"iso_code": code}} for network, code in countries.items()}
    return write_records(path, records, ip_version=ip_version)
