"""The JavaScript client opens the vectors that every client opens, and restores replies in pieces."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag

from examples.envelope import open_envelope
from tests.contract.dashboard.conftest import Visit
from tests.contract.vectors.make import PATH, cases

ROOT = Path(__file__).parents[3]
CASES: list[dict[str, Any]] = json.loads(PATH.read_text("utf-8"))


@pytest.mark.clause("DASH-17")
def test_the_vectors_are_as_written() -> None:
    assert cases() == CASES


@pytest.fixture(scope="module")
def opened(server, browser) -> list[Any]:
    """What the browser makes of each case: the mapping, or null."""
    page = browser.new_page()
    page.goto(f"{server.url}/sign-in")
    script = """async (cases) => {
        const { openEnvelope, EnvelopeError } = await import("/static/masker.js");
        const open = async ({ answer, key }) => {
            try { return Object.fromEntries(await openEnvelope(answer, key)); }
            catch (error) { if (error instanceof EnvelopeError) return null; throw error; }
        };
        return Promise.all(cases.map(open));
    }"""
    found = page.evaluate(script, CASES)
    page.close()
    return found


@pytest.mark.clause("DASH-17")
@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: CASES[number]["name"])
def test_an_envelope_opens_or_not(opened: list[Any], number: int) -> None:
    assert opened[number] == CASES[number]["mapping"]


@pytest.mark.clause("DASH-17")
@pytest.mark.parametrize(
    "case", [case for case in CASES if case["answer"]["wrapped_dek"]], ids=lambda case: case["name"]
)
def test_python_agrees(case: dict[str, Any]) -> None:
    if case["mapping"] is not None:
        assert open_envelope(case["answer"], case["key"]) == case["mapping"]
    else:
        with pytest.raises((InvalidTag, ValueError)):
            open_envelope(case["answer"], case["key"])


REPLIES = [
    "Call <MASKED_PERSON_0a1b2c3d> today.",
    "<MASKED_PERSON_0a1b2c3d><MASKED_PERSON_0a1b2c3d>",
    "a < b, <b>bold</b>, <MASKED_PERSON_ffffffff> stays, <MASKED_PERSON_0a1b2c3",
    "ends with <MASKED_",
]


@pytest.mark.clause("DASH-18")
def test_a_reply_in_pieces_is_restored_like_the_whole(visit: Visit) -> None:
    script = """async ([text, token, original]) => {
        const { StreamRestorer, restore } = await import("/static/masker.js");
        const mapping = new Map([[token, original]]);
        const results = [restore(text, mapping)];
        for (let size = 1; size <= 9; size += 1) {
            const restorer = new StreamRestorer(mapping);
            let out = "";
            for (let at = 0; at < text.length; at += size) out += restorer.push(text.slice(at, at + size));
            results.push(out + restorer.end());
        }
        const prompt = new StreamRestorer(mapping);
        return [results, prompt.push("a < b"), prompt.push(" and <b>")];
    }"""
    for text in REPLIES:
        results, first, second = visit.page.evaluate(script, [text, "<MASKED_PERSON_0a1b2c3d>", "Reem $& Alharbi"])
        assert set(results) == {text.replace("<MASKED_PERSON_0a1b2c3d>", "Reem $& Alharbi")}
        assert (first, second) == ("a < b", " and <b>")  # nothing is held back that cannot become a token


@pytest.mark.clause("DASH-17", "DASH-18")
def test_the_program_in_the_documentation(visit: Visit) -> None:
    """The block of docs/dashboard.md as it stands, its import as the browser's console takes it."""
    documented = (ROOT / "docs" / "dashboard.md").read_text("utf-8")
    [code] = re.findall(r"(?ms)^```js\n(.*?)^```$", documented)
    code, imports = re.subn(
        r'import (\{.*\}) from "./masker.js";', r'const \1 = await import("/static/masker.js");', code
    )
    script = f"""async ([answer, bearer, reply, stream]) => {{
        const shown = [], show = (piece) => shown.push(piece);
        {code}
        return [text, shown.join("")];
    }}"""
    case = CASES[0]
    [(token, original)] = case["mapping"].items()
    reply = f"Dear {token}!"
    pieces = [reply[at : at + 3] for at in range(0, len(reply), 3)]
    assert imports == 1
    assert visit.page.evaluate(script, [case["answer"], case["key"], reply, pieces]) == [f"Dear {original}!"] * 2
