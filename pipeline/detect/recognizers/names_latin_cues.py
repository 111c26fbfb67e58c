"""What stands beside a Latin name and says that it is one: a title, a label, a greeting, a verb of speech."""

from pipeline.detect.lexicons.loader import section
from pipeline.detect.recognizers.vocabulary import Word
from pipeline.detect.recognizers.words import Words

CUES = Word.TITLE | Word.ROLE | Word.LABEL | Word.GREETING | Word.ASKING | Word.SPEECH
_POSSESSIVES = section("beside.txt", "possessive latin")
_PERSONAL = section("beside.txt", "personal role latin")


_VERBS = frozenset({"is", "was", "am", "m"})


def cue_before(words: Words, first: int) -> int:
    """What the word before says: title, role, label, greeting."""
    between = words.after(first - 1)
    if between not in " :/.n,(" or first == 0:
        return 0
    previous = words.words[first - 1].lower()
    if previous in _VERBS and between == " ":
        return _cue_of_verb(words, first - 1, previous)
    meaning = words.meaning(first - 1) & CUES & ~Word.SPEECH
    if between in "n,(" and not (between == "n" and meaning & (Word.LABEL | Word.ROLE)):
        meaning &= Word.GREETING if between == "," else 0
    if between == "." and not meaning & Word.TITLE:
        return 0
    if meaning & Word.LABEL and words.meaning(first - 2) & Word.THING:
        return 0  # file name, company name
    return meaning


def words_before(words: Words, first: int) -> tuple[int, int]:
    """The first and last of the words that `cue_before` speaks of: the one before, a verb with its subject."""
    verb = words.words[first - 1].lower() in _VERBS and words.after(first - 1) == " "
    return first - 1 - verb, first - 1


def is_somebodys(words: Words, first: int) -> bool:
    """Whether the word before says whose wife, son or driver this is: my wife Noor."""
    if first < 2 or words.after(first - 1) not in " ," or words.after(first - 2) != " ":
        return False
    return words.words[first - 1] in _PERSONAL and words.words[first - 2].lower() in _POSSESSIVES


def _cue_of_verb(words: Words, verb: int, spelled: str) -> int:
    subject = words.words[verb - 1] if verb else ""
    if words.meaning(verb - 1) & Word.LABEL or (spelled in ("am", "m") and subject in ("I", "i")):
        return Word.LABEL
    return Word.GREETING if subject.lower() in ("this", "it") else 0


def cue_after(words: Words, last: int) -> int:
    """What the word after says: somebody speaks, or an identifier follows."""
    between = words.after(last)
    following = words.meaning(last + 1)
    if between == "<":
        return Word.ID_CUE
    if between in " (,:" and following & Word.ID_CUE:
        return Word.ID_CUE
    if between == " " and following & Word.SPEECH and following & Word.LOWER:
        return Word.SPEECH
    return 0
