"""Makes fictional persons of many cultures and writes their names in Arabic or Latin letters, in many forms."""

import csv
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

HERE = Path(__file__).parent
LEXICONS = HERE.parents[2] / "pipeline/detect/lexicons"
SOURCES = HERE.parents[2] / "../shared/data/lexicons"  # the unfolded sources, where they exist

Part = tuple[str, str]  # one name in Arabic and in Latin letters

FOREIGN: tuple[str, ...] = ("filipino", "south_asian", "south_asian", "african", "turkish", "european", "european")
FOREIGN += ("filipino", "south_asian", "african", "european", "east_asian")


def split_pairs(text: str) -> list[tuple[str, str]]:
    """The pairs of a text like `a=b c=d`."""
    return [(left, right) for left, _, right in (pair.partition("=") for pair in text.split())]


# Patterns of family names over three root letters, and their reading in Latin letters.
PATTERNS = (
    *(("ال12ي3ي", "1u2ai3i"), ("ال12ي3ي", "1u2ai3i"), ("ال123ي", "1a23i"), ("ال123ي", "1a23i"), ("ال1ا23ي", "1a2i3i")),
    *(("ال123اني", "1a23ani"), ("ال12ي3", "1u2ai3"), ("ال12ا3", "1a2a3"), ("ال1وي23ي", "1uwai2i3i")),
    *(("ال12ي3ان", "1u2ai3an"), ("الم123ي", "Mu1a23i"), ("ال12و3", "1a2oo3"), ("ال12ا3ي", "1a2a3i")),
    *(("با12ي3", "Ba1u2ai3"), ("آل 12ي3", "Al 1u2ai3"), ("آل 1ا23", "Al 1a2i3"), ("بن 12ي3ان", "Bin 1u2ai3an")),
    *(("12و3ي", "1a2oo3i"), ("1ا2و3", "1a2oo3"), ("أبا ال12ي3", "Abal1u2ai3"), ("ال12ا3نة", "1a2a3na")),
    *(("ال123اوي", "1a23awi"), ("ال12ي3ات", "1u2ai3at"), ("ال12يمي", "1u2aimi"), ("أبو 123ة", "Abu 1a23a")),
)
# The letters of roots, by where the mouth makes them: a root takes its three letters from three groups.
ROOT_LETTERS = (
    split_pairs("ح=h خ=kh ع= غ=gh ه=h ح=h ع="),
    split_pairs("ق=q ك=k ج=j ق=g"),
    split_pairs("ت=t د=d ط=t ض=d"),
    split_pairs("س=s ش=sh ص=s ز=z ث=th ذ=dh ظ=dh"),
    split_pairs("ر=r ل=l ن=n ر=r"),
    split_pairs("ب=b ف=f م=m م=m"),
    split_pairs("ر=r ل=l ن=n م=m"),
)
ARTICLES = ("Al-", "Al-", "Al", "Al", "Al", "Al ", "Al ", "al-", "Al", "El-", "El", "")

_TO_ARABIC = (
    *(("sch", "ش"), ("tch", "تش"), ("sh", "ش"), ("ch", "تش"), ("th", "ث"), ("kh", "خ"), ("gh", "غ"), ("ph", "ف")),
    *(("ck", "ك"), ("oo", "و"), ("ou", "و"), ("ee", "ي"), ("ai", "اي"), ("ay", "اي"), ("ie", "ي"), ("ng", "نغ")),
    *(("x", "كس"), ("qu", "كو")),
)
_LETTERS = dict(
    split_pairs(
        "a=ا b=ب c=ك d=د e=ي f=ف g=غ h=ه i=ي j=ج k=ك l=ل m=م n=ن o=و p=ب q=ق r=ر s=س t=ت u=و v=ف w=و y=ي z=ز "
        "ş=ش ç=تش ğ=غ ı=ي ö=و ü=و é=ي í=ي á=ا ó=و ć=تش ñ=ني ã=ا"
    )
)
_FIRST_VOWEL = {"a": "أ", "e": "إي", "i": "إي", "o": "أو", "u": "أو", "ö": "أو", "ı": "إي", "ü": "أو"}
_TO_LATIN = dict(
    split_pairs(
        "ا=a أ=a إ=e آ=a ٱ=a ب=b ت=t ث=th ج=j ح=h خ=kh د=d ذ=th ر=r ز=z س=s ش=sh ص=s ض=d ط=t ظ=z ع=a غ=gh ف=f ق=q "
        "ك=k ل=l م=m ن=n ه=h ة=ah و=w ي=i ى=a ؤ=o ئ=e ء="
    )
)
_VOWELS = frozenset("اأإآوىيةعء")


@cache
def to_arabic(name: str) -> str:
    """A Latin name in Arabic letters, roughly as it sounds."""
    words = []
    for word in name.lower().replace("'", "").replace("-", " ").split():
        out = _FIRST_VOWEL.get(word[0], "")
        rest = word[1:] if out else word
        for sound, letters in _TO_ARABIC:
            rest = rest.replace(sound, letters)
        last = ""
        for letter in rest:
            arabic = _LETTERS.get(letter, letter if "ء" <= letter <= "ي" else "")
            if arabic != last or letter not in "abcdefghijklmnopqrstuvwxyz":
                out += arabic
            last = arabic
        words.append(out)
    return " ".join(words)


@cache
def to_latin(name: str) -> str:
    """An Arabic name in Latin letters, with an `a` wherever two consonants meet."""
    words = []
    for word in name.split():
        out = "Al" if word.startswith("ال") and len(word) > 4 else ""
        body = word[2:] if out else word
        for at, letter in enumerate(body):
            sound = _TO_LATIN.get(letter, "")
            if letter == "و":
                sound = "w" if at == 0 else "o"
            elif letter == "ي" and at == 0:
                sound = "y"
            out += sound
            following = body[at + 1 : at + 2]
            if following and letter not in _VOWELS and following not in _VOWELS:
                out += "a"
        words.append(out[:1].upper() + out[1:])
    return " ".join(words)


def sections(path: Path) -> dict[str, list[str]]:
    """The lines of each `[section]` of a text file, without comments and empty lines."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("[") and line.endswith("]") and "{" not in line and "|" not in line:
            lines = found.setdefault(line[1:-1], [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


def table(path: Path) -> list[list[str]]:
    """The rows of a CSV file, comment lines left out."""
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file) if row and not row[0].startswith("#")]


class Pool(NamedTuple):
    """Arab names, each in both scripts."""

    men: list[Part]
    women: list[Part]
    family: list[Part]


class Names(NamedTuple):
    """The stocks of name parts."""

    both: Pool  # names whose two spellings people use
    arabic: Pool  # names whose Latin spelling is made up
    latin: Pool  # names whose Arabic spelling is made up
    common: Pool  # the first of `both`, which people bear most often
    foreign: dict[str, list[str]]  # `culture part` as in name_parts.txt
    given_latin: list[str]  # foreign given and family names of the lexicon
    family_latin: list[str]


def by_gender(given: list[Part], side: int) -> tuple[list[Part], list[Part]]:
    """Given names parted into men's and women's by their ending."""
    endings = ("ة", "ه", "اء", "ى") if side == 0 else ("a", "ah")
    women = [part for part in given if part[side].endswith(endings)]
    return [part for part in given if not part[side].endswith(endings)], women


@cache
def names() -> Names:
    """Reads the stocks from the lexicons, their sources and name_parts.txt."""
    parts = {
        title: [word.replace("_", " ") for line in lines for word in line.split()]
        for title, lines in sections(HERE / "name_parts.txt").items()
    }
    both = Pool(*(split_pairs_of(parts[f"arab {kind}"]) for kind in ("men", "women", "family")))
    common = Pool(*(list(stock) for stock in both))
    if SOURCES.is_dir():
        for row in table(SOURCES / "names_ar_given.csv")[1:]:
            pairs = [(row[0], latin) for latin in row[2].split("|")[:2] if latin]
            both.men.extend(pairs if row[1] in "MU" else [])
            both.women.extend(pairs if row[1] in "FU" else [])
        for row in table(SOURCES / "names_family.csv")[1:]:
            both.family.extend((row[0], latin) for latin in row[1].split("|")[:4] if latin)
    more = {
        title: [word for line in lines for word in line.split() if len(word) > 2]
        for title, lines in sections(LEXICONS / "more_names.txt").items()
    }
    rows = [row for row in table(LEXICONS / "names_arabic.csv") if len(row[0]) > 2]
    known = {part[0] for stock in both for part in stock}
    arabic: dict[str, list[Part]] = {}
    for kind in ("given", "family"):
        words = more[f"{kind} arabic"] + [row[0] for row in rows if row[1] == kind]
        arabic[kind] = [(word, to_latin(word)) for word in words if word not in known]
    latin = [row for row in table(LEXICONS / "names_latin.csv") if len(row[0]) > 2]
    arab: dict[str, list[Part]] = {}
    for kind in ("given", "family"):
        arab[kind] = [(to_arabic(row[0]), row[0]) for row in latin if row[1] == kind and row[3] == "1"]
    return Names(
        both,
        Pool(*by_gender(arabic["given"], 0), arabic["family"]),
        Pool(*by_gender(arab["given"], 1), arab["family"]),
        common,
        parts,
        *([row[0] for row in latin if row[1] == kind and row[3] == "0"] for kind in ("given", "family")),
    )


def split_pairs_of(words: list[str]) -> list[Part]:
    """The pairs of words like `a=b`."""
    return [(left, right) for left, _, right in (word.partition("=") for word in words)]


class Person(NamedTuple):
    """One fictional person. A part is (Arabic letters, Latin letters)."""

    woman: bool
    arab: bool
    given: Part
    fathers: tuple[Part, Part, Part]
    family: Part


def invented_family(rng: Random) -> Part:
    """An Arab family name over a random root: right in form, in no lexicon unless by chance."""
    (a, x), (b, y), (c, z) = (rng.choice(group) for group in rng.sample(ROOT_LETTERS, 3))
    arabic, latin = rng.choice(PATTERNS)
    arabic = arabic.replace("1", a).replace("2", b).replace("3", c)
    latin = latin.replace("1", x).replace("2", y).replace("3", z)
    for twice in ("aa", "uu", "ii"):
        latin = latin.replace(twice, twice[0])
    article = rng.choice(ARTICLES) if arabic.startswith("ال") else ""
    latin = " ".join(word[:1].upper() + word[1:] for word in latin.split(" "))
    if article == "Al" and rng.random() < 0.7:
        latin = latin.lower()
    return arabic, article + latin


def foreign_family(rng: Random) -> str:
    """A family name of another culture in Latin letters."""
    stock = names()
    return rng.choice(stock.family_latin if rng.random() < 0.5 else stock.foreign[f"{rng.choice(FOREIGN)} family"])


def person(rng: Random, woman: bool | None = None, *, foreign: float, script: str = "both") -> Person:
    """A random person; `foreign` is the chance of a name that is not Arab, `script` what it is to be written in."""
    stock = names()
    if woman is None:
        woman = rng.random() < 0.4
    fresh = rng.random()
    if rng.random() >= foreign:
        pool = stock.common if rng.random() < 0.25 else stock.both
        if script != "both" and rng.random() < (0.3 if len(stock.both.men) > 200 else 0.7):
            pool = stock.arabic if script == "arabic" else stock.latin
        given = rng.choice(pool.women if woman else pool.men)
        family = invented_family(rng) if fresh < 0.22 else rng.choice(pool.family)
        men = stock.common.men if rng.random() < 0.3 else stock.both.men
        return Person(woman, True, given, (rng.choice(men), rng.choice(men), rng.choice(men)), family)
    culture = rng.choice(FOREIGN)
    parts = stock.foreign
    firsts = parts[f"{culture} women" if woman else f"{culture} men"]
    first, second = rng.sample(firsts, 2)
    last, other = rng.sample(parts[f"{culture} family"], 2)
    if fresh < 0.3:
        last = rng.choice(parts[f"{culture} start"]) + rng.choice(parts[f"{culture} end"])
    elif fresh < 0.68:
        first, last = rng.choice(stock.given_latin), rng.choice(stock.family_latin)
    elif fresh < 0.72:
        last = f"{last}-{other}"
    middle = other if culture == "filipino" else second
    pairs = [(to_arabic(word), word) for word in (first, middle, last)]
    return Person(woman, False, pairs[0], (pairs[1], pairs[1], pairs[1]), pairs[2])


# The ways to write a full name: how many parts, and the style of the parts.
Plan = tuple[int, str]
ARABIC_PLANS: tuple[Plan, ...] = (
    *[(2, "plain")] * 10,
    *[(3, "plain")] * 5,
    *[(4, "plain")] * 5,
    *[(5, "plain")] * 1,
    *[(3, "bin")] * 4,
    *[(4, "bin")] * 4,
    *[(4, "bin all")] * 2,
    *[(5, "bin all")] * 1,
    *[(2, "father")] * 1,
    *[(3, "no family")] * 2,
    *[(1, "plain")] * 1,
)
LATIN_PLANS: tuple[Plan, ...] = (
    *[(2, "plain")] * 16,
    *[(3, "plain")] * 6,
    *[(4, "plain")] * 4,
    *[(5, "plain")] * 1,
    *[(3, "bin")] * 3,
    *[(4, "bin all")] * 2,
    *[(3, "middle initial")] * 3,
    *[(2, "initial")] * 2,
    *[(3, "initial")] * 2,
    *[(2, "comma")] * 1,
    *[(2, "caps")] * 2,
    *[(3, "caps")] * 1,
    *[(4, "caps")] * 1,
    *[(2, "lower")] * 1,
    *[(1, "plain")] * 1,
)


def full_arabic(rng: Random, who: Person, plan: Plan) -> str:
    """The name in Arabic letters, its parts and connectors as the plan says."""
    count, style = plan
    given, family = who.given[0], who.family[0]
    if count == 1:
        return given
    fathers = [part[0] for part in who.fathers]
    if not who.arab:
        return f"{given} {fathers[0]} {family}" if count > 3 else f"{given} {family}"
    son = "بنت" if who.woman else "بن"
    if style == "father":
        return f"{given} {'ابنة' if who.woman and rng.random() < 0.3 else son if who.woman else 'ابن'} {fathers[0]}"
    if style == "no family":
        return f"{given} {fathers[0]} {fathers[1]}"
    middle = fathers[: count - 2]
    if style == "plain":
        return " ".join((given, *middle, family))
    words = [given, son, middle[0]]
    for father in middle[1:]:
        words += ["بن", father] if style == "bin all" else [father]
    return " ".join((*words, family))


def full_latin(rng: Random, who: Person, plan: Plan) -> str:
    """The name in Latin letters, its parts and connectors as the plan says."""
    count, style = plan
    given, family = who.given[1], who.family[1]
    if count == 1:
        return given
    fathers = [part[1] for part in who.fathers][: max(0, min(count, 3 if not who.arab else 5) - 2)]
    first = (fathers or [who.fathers[0][1]])[0][0]
    if style == "bin" or style == "bin all":
        if not who.arab:
            return f"{given} {family}"
        bin_ = rng.choice(("bin", "bin", "bin", "Bin", "ibn", "b.", "ben"))
        words = [given, rng.choice(("bint", "bint", "Bint")) if who.woman else bin_, fathers[0]]
        for father in fathers[1:]:
            words += [bin_, father] if style == "bin all" else [father]
        name = " ".join((*words, family))
    elif style == "middle initial":
        name = f"{given} {first}. {family}"
    elif style == "initial":
        dots = rng.choice((". ", ". ", ".", " "))
        name = dots.join((given[0], *(father[0] for father in fathers))) + (". " if "." in dots else " ") + family
    elif style == "comma":
        family = family.upper() if rng.random() < 0.6 else family
        name = f"{family}, {given}{rng.choice((f' {first}.', '', ''))}"
        name = name.upper() if rng.random() < 0.2 else name
    else:
        name = " ".join((given, *fathers, family))
    if style == "caps":
        return name.upper()
    return name.lower() if style == "lower" else name


# The first words of a kunya, by script (Latin, Arabic) and gender (man, woman).
KUNYA = (
    (("Abu", "Abu", "Abu", "Abo", "Bu"), ("Umm", "Um", "Om")),
    (("أبو", "أبو", "أبو", "أبو", "ابو", "بو", "أبا", "أبي"), ("أم", "أم", "ام")),
)


def written(rng: Random, who: Person, *, arabic: bool, form: str, plan: Plan | None = None) -> str:
    """The name of a person as text. Forms: full, first, last, two, four, kunya, initials, comma, caps, lower."""
    script = 0 if arabic else 1
    if form == "first":
        name = who.given[script]
    elif form == "last":
        name = who.family[script]
    elif form == "kunya":
        child = who.fathers[0] if who.arab else rng.choice(names().both.men)
        word = rng.choice(KUNYA[arabic][who.woman])
        name = f"{word} {child[script]}"
    elif arabic:
        fixed = {"two": (2, "plain"), "four": (4, rng.choice(("plain", "plain", "bin", "bin all")))}
        name = full_arabic(rng, who, fixed.get(form) or plan or rng.choice(ARABIC_PLANS))
    else:
        fixed = {"two": (2, "plain"), "four": (4, "plain"), "initials": (3, "initial"), "comma": (3, "comma")}
        fixed |= {"caps": (3, "caps"), "lower": (2, "lower")}
        name = full_latin(rng, who, fixed.get(form) or plan or rng.choice(LATIN_PLANS))
    return spelled(rng, name) if arabic else name


def spelled(rng: Random, name: str) -> str:
    """An Arabic name with the habits of writers: no hamza, final ه, split or joined عبد, vowel marks, tatweel."""
    if rng.random() < 0.25:
        name = name.replace("أ", "ا").replace("إ", "ا")
    if rng.random() < 0.15:
        name = name.replace("ة", "ه")
    chance = rng.random()
    if chance < 0.12:
        name = name.replace("عبدال", "عبد ال")
    elif chance < 0.2:
        name = name.replace("عبد ال", "عبدال")
    elif chance < 0.215:
        name = "".join(c + (rng.choice("ًَُِّْ") if "ب" <= c <= "ي" and rng.random() < 0.35 else "") for c in name)
    elif chance < 0.225:
        at = rng.randrange(len(name))
        if name[at] in "بتثجحخسشصضطظعغفقكلمنهي" and at + 1 < len(name) and "ء" <= name[at + 1] <= "ي":
            name = name[: at + 1] + "ـ" * rng.randint(1, 4) + name[at + 1 :]
    return name
