"""When a call is repeated: after 429, 500 and 503 (docs/interface/http.md), and where no connection came about."""

from collections.abc import Sequence
from dataclasses import dataclass

import httpx

_REPEATED = frozenset({429, 500, 503})
_IN_VAIN = frozenset({"too_many_files_today", "quota_active"})  # waiting a minute changes nothing


@dataclass(frozen=True, slots=True)
class Retries:
    """`waits`: seconds before each repetition where the server names none; `longest`: a longer wait is an error."""

    waits: Sequence[float] = (1.0, 2.0, 4.0)
    longest: float = 60.0

    def wait(self, number: int, response: httpx.Response | None, code: str) -> float | None:
        """Seconds before repetition `number` (from 0), None where there is none. No response: nothing was sent."""
        if number >= len(self.waits) or code in _IN_VAIN:
            return None
        if response is None:
            return self.waits[number]
        if response.status_code not in _REPEATED:
            return None
        try:
            asked = float(response.headers["retry-after"])
        except (KeyError, ValueError):
            return self.waits[number]
        return asked if asked <= self.longest else None
