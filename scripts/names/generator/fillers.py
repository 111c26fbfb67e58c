"""Makes the other values of messages: places, organizations, and what stays unlabelled (numbers, dates, streets, …)."""

from collections.abc import Callable
from functools import cache
from random import Random
from typing import NamedTuple

from scripts.names.generator.people import (
    HERE,
    LEXICONS,
    SOURCES,
    foreign_family,
    invented_family,
    person,
    sections,
    table,
    written,
)

EASTERN = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
DIGITS = "0123456789"


class Stock(NamedTuple):
    """Places and organizations by kind, each in Arabic and in Latin letters."""

    places: dict[str, tuple[list[str], list[str]]]
    organizations: dict[str, tuple[list[str], list[str]]]
    words: dict[str, list[str]]  # the sections of words.txt


@cache
def stock() -> Stock:
    """Reads the stock from the lexicons, their sources and words.txt."""
    places: dict[str, tuple[list[str], list[str]]] = {k: ([], []) for k in ("city", "region", "country", "abroad")}
    for row in table(LEXICONS / "places.csv"):
        if row[1] in places and row[6] == "0":
            arabic, latin = places[row[1]]
            (latin if row[0].isascii() else arabic).append(row[0])
            arabic.append(row[5])
            latin.append(row[4])
            if row[2] == "1" and row[1] == "city":
                arabic += [row[5]] * 2
                latin += [row[4]] * 2
    for row in table(LEXICONS / "world.csv"):
        arabic, latin = places["country" if row[2] == "country" else "abroad"]
        latin += filter(None, row[0].split(";"))
        arabic += filter(None, row[1].split(";"))
    organizations: dict[str, tuple[list[str], list[str]]] = {}
    for row in table(LEXICONS / "organizations.csv"):
        if row[2] == "0" and row[1] not in ("platform", "fintech"):
            arabic, latin = organizations.setdefault(row[1], ([], []))
            (latin if any(c < "\u0300" and c.isalpha() for c in row[0]) else arabic).append(row[0])
    if SOURCES.is_dir():
        unfolded = [row for row in table(SOURCES / "organizations.csv")[1:] if row[4] == "0"]
        for kind, (arabic, latin) in organizations.items():
            arabic += [row[2] for row in unfolded if row[0] == kind and row[2]] * 3
            latin += [row[1] for row in unfolded if row[0] == kind and row[1]]
    words = sections(HERE / "words.txt")
    return Stock(places, organizations, {title: list(lines) for title, lines in words.items()})


def place(rng: Random, arabic: bool, kinds: list[str]) -> str:
    """A city, region or country as running text names it."""
    if not kinds:
        kinds = ["city"] * 8 + ["region", "country", "country", "country", "abroad", "abroad", "town"]
    kind = rng.choice(kinds)
    if kind == "town":
        return town(rng, arabic)
    return rng.choice(stock().places[kind][0 if arabic else 1])


def town(rng: Random, arabic: bool) -> str:
    """A town that no lexicon has unless by chance; many look like names of persons, and few are one."""
    words = stock().words
    who = person(rng, foreign=0.2 if arabic else 0.8)
    first, last = (written(rng, who, arabic=arabic, form=form) for form in ("first", "last"))
    if arabic:
        return f"{rng.choice(words['town before arabic'])} {first}"
    made = rng.choice(words["town start english"]) + rng.choice(words["town end english"])
    before, after = rng.choice(words["town before english"]), rng.choice(words["town after english"])
    return rng.choice((f"{before} {first}", f"{before} {last}", f"{before} {made}", f"{last} {after}",
                       f"{made} {after}", made, made, made, made, foreign_family(rng)))  # fmt: skip


INVENTED = {
    "company": (
        "شركة {w} للتجارة|شركة {w} للمقاولات|مؤسسة {w} للتجارة|مؤسسة {p} للمقاولات|مجموعة {w}|مجموعة {w} القابضة|"
        "شركة {w} {x} المحدودة|شركة {w} للخدمات اللوجستية|شركة {p} وأولاده|شركة {w} لتقنية المعلومات|"
        "مكتب {p} للمحاماة|شركة {w} للاستشارات|مصنع {w} للبلاستيك|شركة {w} للتأمين|شركة {w} العقارية|"
        "مؤسسة {w} للنقليات|شركة {w} للتطوير|وكالة {w} للسفر والسياحة|شركة {w} الطبية|شركة {w} للأغذية",
        "{w} Trading Est.|{w} Trading Co.|{w} Group|{w} & Sons|{w} Contracting Company|{w} Logistics LLC|"
        "{w} Holding|{w} {x} Ltd|{w} Consulting|{w} Insurance Company|{w} Real Estate Co.|{w} Medical Supplies|"
        "{w} Technologies, Inc.|{w} Foods|{w} and Partners Law Firm|{w} Travel Agency|{w} Industries|{w} Labs|"
        "{p} Trading Establishment|{w} Steel Factory|{w} for Information Technology|{w} Pharma GmbH|"
        "{w}, Inc.|{w} LLC|{w}, L.P.|{w} Corporation|{w} {t}, Inc.|{w} {t} LLC|{w} {t}|{w} {t}|{p} & Co.|{p}, Inc.",
    ),
    "bank": ("بنك {w}|مصرف {w}|بنك {w} الوطني", "{w} Bank|Bank of {w}|{w} National Bank|{w} Capital"),
    "hospital": (
        "مستشفى {w}|مستشفى {w} التخصصي|مستشفى {w} العام|مجمع {w} الطبي|مركز {w} الطبي",
        "{w} Hospital|{w} Specialist Hospital|{w} General Hospital|{w} Medical Center|{w} Medical Complex",
    ),
    "university": (
        "جامعة {w}|جامعة {w} الأهلية|كلية {w} الأهلية|معهد {w} للتدريب",
        "{w} University|University of {w}|{w} College|{w} Institute of Technology",
    ),
}
_INVENTED = {kind: tuple(side.split("|") for side in sides) for kind, sides in INVENTED.items()}


def organization(rng: Random, arabic: bool, kinds: list[str]) -> str:
    """A Saudi organization of the lexicon, or an invented one."""
    side = 0 if arabic else 1
    kind = kinds[0] if kinds else rng.choice(ORGANIZATIONS)
    known = stock().organizations.get(kind)
    if kind not in _INVENTED or (known and rng.random() < (0.25 if kind == "company" else 0.6)):
        assert known, kind
        return rng.choice(known[side])
    pattern = rng.choice(_INVENTED[kind][side])
    if "{p}" in pattern:
        who = person(rng, foreign=0.1)
        return pattern.replace("{p}", written(rng, who, arabic=arabic, form="two"))
    name, other = ("", "")
    if rng.random() < 0.4:
        name = foreign_family(rng) if not arabic and rng.random() < 0.6 else invented_family(rng)[side]
    else:
        words = stock().words["firm arabic" if arabic else "firm english"]
        name, other = rng.choice(words), rng.choice(words)
        if other != name and rng.random() < 0.3 and not arabic:
            name = f"{name} {other}"
    field = rng.choice(stock().words["field arabic" if arabic else "field english"])
    trade = rng.choice(stock().words["trade english"])
    return pattern.replace("{w}", name).replace("{x}", field).replace("{t}", trade)


ORGANIZATIONS: tuple[str, ...] = (
    "company",
    "company",
    "company",
    "company",
    "bank",
    "hospital",
    "university",
    "ministry",
)
ORGANIZATIONS += ("authority", "insurance", "club")


def digits(rng: Random, count: int) -> str:
    """That many random digits."""
    return "".join(rng.choices(DIGITS, k=count))


def spread(rng: Random, patterns: str) -> str:
    """One of the patterns (parted by |): `#` is a digit, `@` one above 0, `?` a capital letter, `*` hexadecimal."""
    out = ""
    for c in rng.choice(patterns.split("|")):
        if c == "#":
            c = rng.choice(DIGITS)
        elif c == "@":
            c = rng.choice(DIGITS[1:])
        elif c == "?":
            c = rng.choice("ABCDEFGHJKLNRSTUVXZ")
        elif c == "*":
            c = rng.choice("0123456789abcdef")
        out += c
    return out


SHAPES = {
    "phone": "05########|05########|05# ### ####|+9665########|+966 5# ### ####|9665########|011#######|013 ### ####|"
    "+966-5#-###-####|009665########|9200#####|800 ### ####|+44 20 #### ####|+63 9## ### ####|+20 10########",
    "id": "1#########|1#########|10########|2#########",
    "iqama": "2#########|24########",
    "iban": "SA## #### #### #### #### ####|SA######################|SA##80000###############",
    "card": "4### #### #### ####|5###-####-####-####|4###############|**** #### ending ####",
    "passport": "?########|?#######|??#######",
    "plate": "? ? ? ####|??? ####|#### ???",
    "ref": "REF-#####|TKT-######|INC#######|#######|CASE ####-##|SR-########|#####/##|A-####|ORD-####-####",
    "num": "#|##|##|###|####",
    "small": "2|3|4|5|6|7|8|9|10|12|15|20|30",
    "age": "1#|2#|3#|4#|5#|6#|7#",
    "postal": "1####|2####|3####",
    "cr": "1010######|4030######|2050######|7#########",
    "vat": "3#############3",
    "amount": "@##|@###|@,###|@#,###|@##,###.00|@,###.##|@#.##|@##,###",
    "mrn": "MRN ######|#######|##-##-##",
    "ip": "10.#.#.##|192.168.#.##|172.16.##.#",
    "url": "https://portal.example.sa/r/####|www.example.com/help|https://example.org/t/?####|bit.ly/####",
    "hex": "********|****-****|0x****",
    "version": "#.#.#|v#.#|20##.#",
    "year": "202#|201#|199#|144#",
    "percent": "##%|#.#%|100%",
    "flight": "SV ####|XY###|SV####",
    "room": "###|#-##|B##|A-###",
}
_SHAPES = {name: tuple(patterns.split("|")) for name, patterns in SHAPES.items()}


def date(rng: Random, arabic: bool) -> str:
    """A date in one of many forms, Gregorian or Hijri."""
    day, month = rng.randint(1, 28), rng.randint(1, 12)
    year = rng.choice((*range(2015, 2027), *range(1960, 2006, 3)))
    hijri = rng.randint(1405, 1447)
    kind = rng.randrange(8)
    words = stock().words
    if kind == 0:
        return f"{year}-{month:02}-{day:02}"
    if kind == 1:
        return f"{day:02}/{month:02}/{year}"
    if kind == 2:
        return f"{day}/{month}/{year}"
    if kind == 3:
        return f"{hijri}/{month:02}/{day:02}" + ("هـ" if arabic else "H")
    if kind == 4 and arabic:
        return f"{day} {rng.choice(words['hijri arabic'])} {hijri}هـ"
    if arabic:
        return f"{day} {rng.choice(words['months arabic'])} {year}"
    if kind == 4:
        return f"{day} {rng.choice(words['hijri english'])} {hijri}"
    name = rng.choice(words["months english"])
    if kind == 5:
        return f"{name} {day}, {year}"
    return f"{day} {name[:3] if kind == 6 else name} {year}"


def time(rng: Random, arabic: bool) -> str:
    """A time of day."""
    hour, minute = rng.randint(1, 12), rng.choice((0, 10, 15, 20, 30, 45, rng.randrange(60)))
    if rng.random() < 0.4:
        return f"{hour + rng.choice((0, 11)):02}:{minute:02}"
    if arabic:
        return f"{hour}:{minute:02} {rng.choice(('ص', 'م', 'صباحًا', 'مساءً', 'مساء'))}"
    return f"{hour}:{minute:02}{rng.choice((' AM', ' PM', 'am', 'pm', ' a.m.'))}"


def amount(rng: Random, arabic: bool) -> str:
    """A sum of money."""
    value = spread(rng, SHAPES["amount"])
    if arabic:
        return f"{value} {rng.choice(('ريال', 'ريال', 'ر.س', 'ريال سعودي', 'ريالا', 'دولار'))}"
    return rng.choice(("SAR {}", "SAR {}", "{} SAR", "SR {}", "{} riyals", "USD {}", "{}")).format(value)


def street(rng: Random, arabic: bool) -> str:
    """A street, road, square, mosque, school, tower or airport, which may be named after a person."""
    words = stock().words
    if rng.random() < 0.55:
        return rng.choice(words["streets arabic" if arabic else "streets english"])
    who = person(rng, False, foreign=0.02)
    form = rng.choice(("two", "first", "last", "kunya", "father"))
    plan = (2, "father") if form == "father" else None
    name = written(rng, who, arabic=arabic, form="full" if plan else form, plan=plan)
    frame = rng.choice(words["frames arabic" if arabic else "frames english"])
    return frame.replace("~", name)


def district(rng: Random, arabic: bool) -> str:
    """A district of a city."""
    return rng.choice(stock().words["districts arabic" if arabic else "districts english"])


def address(rng: Random, arabic: bool) -> str:
    """A delivery address; no part of it is labelled."""
    city = rng.choice(stock().places["city"][0 if arabic else 1])
    number, postal = rng.randint(1, 9999), 10000 + rng.randrange(80000)
    if arabic:
        road, area = street(rng, True), district(rng, True)
        return rng.choice(
            (
                f"{area}، {road}، {city} {postal}",
                f"{number} {road}، {area}، {city}",
                f"{city} - {area} - {road} - مبنى {number}",
                f"{area} خلف {road} شقة {number % 40 + 1}",
                f"{road}، عمارة {number % 90 + 1}، الدور {number % 5 + 1}، {city}",
                f"{city} {area} جنب {road}",
            )
        )
    road, area = street(rng, False), district(rng, False)
    return rng.choice(
        (
            f"{number} {road}, {area}, {city} {postal}",
            f"Building {number}, {road}, {city}",
            f"Flat {number % 40 + 1}, {road}, {area}, {city}",
            f"{area} Dist., {road}, {city} {postal}, Saudi Arabia",
            f"Villa {number % 90 + 1}, {area}, {city}",
            f"P.O. Box {number}, {city} {postal}",
        )
    )


def email(rng: Random, latin: str) -> str:
    """An e-mail address made of a name in Latin letters."""
    words = ["".join(c for c in word.lower() if c.isascii() and c.isalnum()) for word in latin.split()]
    words = [word for word in words if word] or ["user"]
    first, last = words[0], words[-1]
    shape = rng.randrange(5)
    user = (f"{first}.{last}", f"{first[0]}{last}", f"{first}{digits(rng, 2)}", f"{first}_{last}", f"{last}.{first[0]}")
    return (
        f"{user[shape]}@{rng.choice(('example.com', 'example.sa', 'mail.example.org', 'example.net', 'company.test'))}"
    )


def handle(rng: Random, latin: str) -> str:
    """A user name made of a name in Latin letters, without the @."""
    return email(rng, latin).split("@")[0].replace(".", rng.choice(("_", "", ".")))


_MADE: dict[str, Callable[[Random, bool], str]] = {
    "date": date,
    "time": time,
    "amount": amount,
    "street": street,
    "district": district,
    "address": address,
}


def value(rng: Random, kind: str, arabic: bool) -> str:
    """A value that stays unlabelled. Raises KeyError for an unknown kind."""
    if kind in _SHAPES:
        return spread(rng, rng.choice(_SHAPES[kind]))
    if kind in _MADE:
        return _MADE[kind](rng, arabic)
    return rng.choice(stock().words[f"{kind} arabic" if arabic else f"{kind} english"])
