"""Redacts every text of a folder in calls of a hundred, and writes the results beside each other.

    MASKER_SERVER=http://127.0.0.1:8000 MASKER_API_KEY=mk_live_... python -m examples.integrations.batch_folder IN OUT

Documents (PDF, Office, pictures) are redacted by `masker redact-file -r IN -o OUT --server ...`.
"""

import os
import sys
from itertools import islice
from pathlib import Path

from masker.client import Masker

_AT_ONCE = 100


def main() -> None:
    """Ends with status 1 when a text was not redacted; that one has no output."""
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    target.mkdir(exist_ok=True)
    paths = iter(sorted(source.glob("*.txt")))
    refused = 0
    with Masker(os.environ["MASKER_SERVER"], os.environ["MASKER_API_KEY"]) as masker:
        while batch := list(islice(paths, _AT_ONCE)):
            texts = [path.read_text("utf-8") for path in batch]
            filled = [(path, text) for path, text in zip(batch, texts, strict=True) if text]
            answers = masker.redact_batch([text for _, text in filled]) if filled else []
            for (path, _), answer in zip(filled, answers, strict=True):
                if "redacted_text" in answer:
                    (target / path.name).write_text(answer["redacted_text"], "utf-8")
                else:
                    refused += 1
                    print(f"{path.name}: {answer['detail']}", file=sys.stderr)
            print(f"{len(batch)} texts", flush=True)
    raise SystemExit(int(refused > 0))


if __name__ == "__main__":
    main()
