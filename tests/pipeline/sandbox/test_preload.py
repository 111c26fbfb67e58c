"""What zygotes load: their children compile nothing, whatever the table says."""

import subprocess
import sys
from pathlib import Path

import pytest

_COUNT = """
import re
compiled, compiler = [], re._compiler.compile

def count(pattern, *flags):
    compiled.append(pattern)
    return compiler(pattern, *flags)
"""
_PARSERS = """
from pipeline.codec import dump
from pipeline.documents.document import Findings
from pipeline.preload import parsers
from pipeline.sandbox.child import answer

parsers()
re._compiler.compile = count
table = "Customer,City,Mobile\\nSara Omar,Dammam,0551234567\\n".encode()
answer("extract", {"format": "csv"}, {"data": table})
answer("redact", {"format": "csv"}, {"data": table, "findings": dump(Findings(()))})
answer("second_reading", {"format": "csv"}, {"data": table})
assert not compiled, compiled
"""
_DETECTION = """
from pipeline.codec import dump
from pipeline.document_detection.child import answer, load_rules
from pipeline.documents.document import Extraction, TextUnit
from pipeline.verification.reading import Passage, SecondReading

load_rules()
re._compiler.compile = count
meta = {"names": "rules", "strict_checksums": False}
units = TextUnit("0:0", "Customer"), TextUnit("1:0", "Sara Omar", "Customer"), TextUnit("1:1", "0551234567")
_, found = answer("find", meta, {"extraction": dump(Extraction(units))})
output = SecondReading((Passage("Customer"), Passage("PERSON_NAME_01", "Customer")), raw=("Customer",))
answer("leftovers", meta, {"second": dump(output), "findings": found["answer"]})
assert not compiled, compiled
"""


@pytest.mark.parametrize("script", [_PARSERS, _DETECTION])
def test_a_child_compiles_nothing(script: str):
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", _COUNT + script], cwd=root, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
