"""Compiles the Arabic words that the line recognizer knows: those of three letters and more that texts hold twice.

Usage: python -m scripts.scans.vocabulary TEXTS (of scripts.scans.texts)
"""

import argparse
import re
from collections import Counter
from pathlib import Path

from pipeline.ocr.engines.arabic_vocabulary import WORDS
from scripts.scans import texts

_WORD = re.compile(r"(?<![\u0610-\u06ff])[\u0621-\u063a\u0641-\u064a]{3,}(?![\u0610-\u06ff])")
_TIMES = 2


def main() -> None:
    """Write the list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path)
    counts = Counter(word for text in texts.read(parser.parse_args().texts) for word in _WORD.findall(text))
    words = sorted(word for word, times in counts.items() if times >= _TIMES)
    WORDS.write_text("\n".join(words) + "\n", "utf-8")
    print(f"{len(words)} words")


if __name__ == "__main__":
    main()
