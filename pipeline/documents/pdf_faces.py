"""Names of typefaces and glyphs that may stay: well-known ones; every other one may be a person's."""

import re

from pymupdf import mupdf

_TAG = re.compile(r"[A-Z]{6}\+")
# Families that viewers know or replace, as letters alone; styles follow.
_FAMILIES = """
    arial helvetica times courier symbol zapfdingbats calibri cambria candara consolas constantia corbel verdana
    tahoma georgia trebuchet segoe garamond palatino bookantiqua bookmanoldstyle century centurygothic
    centuryschoolbook franklingothic gillsans impact lucida comicsans microsoftsansserif microsoftyahei mssans
    msgothic msmincho meiryo simsun simhei mingliu batang gulim dotum malgungothic yugothic yumincho wingdings
    webdings marlett mtextra sylfaen ebrima gadugi leelawadee nirmala mangal latha shruti raavi vrinda tunga kartika
    kalinga traditionalarabic simplifiedarabic arabictypesetting arabictransparent sakkalmajalla andalus aldhabi
    urdutypesetting dubai amiri cairo tajawal almarai scheherazade lateef noto droid roboto opensans lato montserrat
    raleway inter ubuntu dejavu liberation freesans freeserif freemono nimbus urw c059 p052 d050000l standardsymbols
    linux libertine biolinum stix xits asana latinmodern lmroman lmsans lmmono texgyre bitstream vera charter utopia
    minion myriad adobe source sourcesans sourceserif sourcecode kozmin kozgo hysmyeongjo hygothic stsong mhei msung
    msong stheiti pingfang hiragino geeza bahij kufi naskh nastaliq alnile albayan damascus geneva monaco menlo
    lucidagrande sanfrancisco optima futura avenir baskerville didot hoefler americantypewriter newyork cochin
    bodoni rockwell perpetua univers frutiger officinasans eurostile bankgothic ocra ocrb
""".split()  # noqa: SIM905
_MOST_DIGITS = 5  # of a typeface, a subset or a code point
_LATEX = re.compile(r"(?:cm|lm|sf|ec|tc|eu|msam|msbm|wasy|rsfs|st|bb)[a-z]{0,6}\d{1,4}")
_STYLES = re.compile(
    r"(?:new|roman|ps|mt|std|pro|regular|book|medium|light|thin|extra|ultra|semi|demi|bold|heavy|black|italic|oblique"
    r"|slanted|narrow|condensed|cond|compressed|wide|extended|display|text|caption|subhead|small|caps|unicode|ms|ui"
    r"|symbol|emoji|sans|serif|mono|monospace|cjk|sc|tc|jp|kr|hk|arabic|kufi|naskh|nastaliq|hebrew|thai|math|schoolbook"
    r"|gothic|typewriter|linotype|schlbk|l|no|\d{1,2}|it|obl|bd|bi|b|i|h|a|vf|variable|historic|black|semibold|bk|lt|md)*"
)
_GLYPH = re.compile(r"(?:[A-Za-z]{1,5}\d{1,5}|uni(?:[0-9A-F]{4}){1,2}|u[0-9A-F]{4,6}|[A-Za-z]|\.notdef|\.null)")
_SUFFIX = re.compile(r"[a-z]{1,5}\d{0,2}|\d{1,4}")


def is_known_face(name: str) -> bool:
    """Whether the name (without its slash) is that of a well-known typeface, with or without a subset's tag."""
    plain = re.sub(r"[^a-z0-9]", "", _TAG.sub("", name, count=1).lower())
    if sum(character.isdigit() for character in plain) > _MOST_DIGITS:
        return False
    if _LATEX.fullmatch(plain):
        return True
    return any(plain.startswith(family) and _STYLES.fullmatch(plain[len(family) :]) for family in _FAMILIES)


def tag_of(name: str) -> str:
    """A subset's tag with its plus sign, or nothing."""
    match = _TAG.match(name)
    return match[0] if match else ""


def is_known_glyph(name: str) -> bool:
    """Whether the name (without its slash) is one that Adobe's list has, or a number in disguise."""
    if _GLYPH.fullmatch(name):
        return True
    first, *others = re.split(r"[._]", name)
    return all(_is_letter(other) or _SUFFIX.fullmatch(other) for other in others) and _is_letter(first)


def _is_letter(name: str) -> bool:
    if _GLYPH.fullmatch(name):
        return True
    return name.isascii() and name.isalnum() and int(mupdf.fz_unicode_from_glyph_name(name)) not in (0, 0xFFFD)
