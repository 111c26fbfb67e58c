"""Stand-ins of addresses in networks, from the ranges that are reserved for documentation."""

import unicodedata

from pipeline.transform.synthetic.choices import Choices
from pipeline.transform.synthetic.people import latin_given_name

_NETWORKS = ("192.0.2", "198.51.100", "203.0.113")  # RFC 5737
_DOMAINS = ("example.com", "example.org", "example.net")  # RFC 2606


def ip_address(surface: str, choices: Choices) -> str | None:
    """An address of the documentation ranges of IPv4 (RFC 5737) or IPv6 (RFC 3849)."""
    if surface.count(":") > 1:
        return f"2001:db8::{choices.below(0xFFFF) + 1:x}:{choices.below(0xFFFF) + 1:x}"
    if any(unicodedata.decimal(character, -1) >= 0 for character in surface):
        return f"{choices.of(_NETWORKS)}.{choices.below(254) + 1}"
    return None


def email_address(_surface: str, choices: Choices) -> str | None:
    """A mailbox of a reserved domain."""
    return f"{latin_given_name(choices).lower()}{choices.below(9000) + 1000}@{choices.of(_DOMAINS)}"
