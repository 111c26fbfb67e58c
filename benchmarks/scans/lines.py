"""Words of drawn lines that are read whole: by our line recognizer, by Tesseract and by PP-OCR.

    python -m benchmarks.scans.lines [--lines N]

In fonts that the recognizer was neither trained nor tuned on. ../shared/data holds the sentences.
"""

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby

from benchmarks.scans.damage import Pixels
from pipeline.ocr.engines.arabic_recognizer import arabic_words
from pipeline.ocr.engines.latin_recognizer import latin_words
from pipeline.ocr.engines.line_recognizer import logical, reader, words_of
from pipeline.ocr.engines.line_word import LineWord
from scripts.scans import texts
from scripts.scans.drawing import Mark
from scripts.scans.lines import line

_SEED = 21

Engine = Callable[[Sequence[Pixels]], list[list[LineWord]]]

ENGINES: dict[str, Engine] = {
    "our network": lambda lines: [words_of(characters) for characters in reader().read_lines(lines)],
    "Tesseract": arabic_words,
    "PP-OCR": lambda lines: [latin_words(one) for one in lines],
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=800, help="how many clean ones, and how many damaged ones")
    count = parser.parse_args().lines
    sentences = list(texts.sentences("test"))
    print(f"| lines | words | {' | '.join(ENGINES)} |")
    print("| --- " * (len(ENGINES) + 2) + "|")
    seconds: Counter[str] = Counter()
    for damaged in (False, True):
        draw = random.Random(_SEED)
        made = [line(draw, "test", damaged, sentences) for _ in range(count)]
        read: dict[str, list[list[LineWord]]] = {}
        for name, engine in ENGINES.items():
            begun = time.perf_counter()
            read[name] = engine([one.image for one in made])
            seconds[name] += time.perf_counter() - begun
        for script in ("Arabic", "Latin"):
            said = [Counter(text for text in words_said(one.marks) if script_of(text) == script) for one in made]
            every = sum(map(Counter.total, said))
            found = {
                name: sum(
                    (wanted & Counter(word.text for word in words)).total()
                    for wanted, words in zip(said, lines, strict=True)
                )
                for name, lines in read.items()
            }
            cells = [f"{found[name] / every:.3f}" for name in ENGINES]
            print(f"| {'damaged' if damaged else 'clean'} | {every:,} {script} | {' | '.join(cells)} |")
    print(f"| ms a line | | {' | '.join(f'{1000 * seconds[name] / (2 * count):.1f}' for name in ENGINES)} |")


def words_said(marks: Sequence[Mark]) -> list[str]:
    """The words of a line, each in logical order."""
    return [
        "".join(logical([mark.text for mark in run]))
        for blank, run in groupby(marks, key=lambda mark: mark.text == " ")
        if not blank
    ]


def script_of(text: str) -> str:
    """Of a word of letters alone; of others none."""
    if not text.isalpha():
        return ""
    return "Latin" if text.isascii() else "Arabic"


if __name__ == "__main__":
    main()
