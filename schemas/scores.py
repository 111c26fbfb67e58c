"""Scores of entities, as requests state them."""

from typing import Annotated

from pydantic import Field, StrictFloat

MinScore = Annotated[StrictFloat, Field(ge=0, le=1)]  # whole numbers too, no booleans; NaN is out of range
