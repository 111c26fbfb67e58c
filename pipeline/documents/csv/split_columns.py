"""Finds columns that hold one value together: first and last name, a country's code and the number after it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

_NAME = r"(?:[\s_-]*(?:name|nm))?"
_NAME_PARTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![a-z])(?:first|given|fore|f){_NAME}(?![a-z])|الاسم\s*الا?[أا]?ول|الاول",
        rf"(?<![a-z])(?:middle|second|father'?s?|m){_NAME}(?![a-z])|اسم\s*ال[أا]ب|الاسم\s*الثاني|الاوسط",
        rf"(?<![a-z])(?:third|grand\s?father'?s?){_NAME}(?![a-z])|اسم\s*الجد|الاسم\s*الثالث",
        rf"(?<![a-z])(?:last|family|sur|l){_NAME}(?![a-z])|العائلة|اللقب|الاسم\s*ال[أا]خير|الاسم\s*الرابع|الكنية|القبيلة",
    )
)
_CODE = re.compile(r"code|prefix|dial|مفتاح|رمز|كود", re.IGNORECASE)
_COUNTRY = re.compile(r"country|intl|international|dial|phone|mobile|tel|الدولة|دولي|الهاتف|الجوال", re.IGNORECASE)
_PHONE_HEADING = re.compile(r"number|no\b|mobile|phone|tel|gsm|رقم|جوال|هاتف", re.IGNORECASE)


class SplitColumns(NamedTuple):
    """Columns whose cells in a row are read as one text, in this order, with the context `label`."""

    columns: tuple[int, ...]
    label: str


def split_columns(headings: Mapping[int, str]) -> list[SplitColumns]:
    """The columns that belong together, by their headings: names, and phone numbers with a country code."""
    return [*_names(headings), *_numbers(headings)]


def _names(headings: Mapping[int, str]) -> list[SplitColumns]:
    groups: list[dict[int, int]] = [{}]
    for column in sorted(headings):
        rank = next((rank for rank, part in enumerate(_NAME_PARTS) if part.search(headings[column])), -1)
        if rank < 0:
            continue
        if rank in groups[-1]:
            groups.append({})  # another person's, such as the spouse's
        groups[-1][rank] = column
    found = []
    for group in groups:
        if len(group) > 1 and (0 in group or len(_NAME_PARTS) - 1 in group):
            columns = tuple(group[rank] for rank in sorted(group))
            labels = [headings[column] for column in columns]
            found.append(SplitColumns(columns, "\n".join([*labels, "name"])))
    return found


def _numbers(headings: Mapping[int, str]) -> list[SplitColumns]:
    found = []
    for column in sorted(headings):
        following = headings.get(column + 1, "")
        if _CODE.search(headings[column]) and _COUNTRY.search(headings[column]) and _PHONE_HEADING.search(following):
            found.append(SplitColumns((column, column + 1), f"{headings[column]}\n{following}\nphone"))
    return found
