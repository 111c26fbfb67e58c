"""The client of the judge: its bound on waiting calls, and its log lines."""

import json
import logging
from collections.abc import Iterator

import anyio
import pytest

from api.engine.judge import Judge
from pipeline.detect.judge.prompt import Question, Verdict
from schemas.entities import EntityType
from tests.contract.playing_judge import PlayingJudge, Turn, verdict

QUESTION = Question("Dear Noor", (), (EntityType.PERSON,))
KEY = "judge-key-of-the-operator"


@pytest.fixture(scope="module")
def playing() -> Iterator[PlayingJudge]:
    judge = PlayingJudge()
    yield judge
    judge.close()


def silent(turn: Turn) -> None:
    turn.over.wait(60)


def test_calls_beyond_the_bound_are_not_judged(playing: PlayingJudge) -> None:
    playing.begin(silent)

    async def crowd() -> Verdict | None:
        judge = Judge(playing.base_url, KEY, timeout=3600)
        async with anyio.create_task_group() as tasks:
            for _ in range(256):
                tasks.start_soon(judge.ask, QUESTION, "small")
            await anyio.wait_all_tasks_blocked()
            answer = await judge.ask(QUESTION, "small")
            tasks.cancel_scope.cancel()
        playing.over.set()
        playing.begin(verdict())
        assert await judge.ask(QUESTION, "small") == Verdict(drop=[], add=[])
        await judge.close()
        return answer

    assert anyio.run(crowd) is None


def test_cookies_are_ignored(playing: PlayingJudge, recwarn: pytest.WarningsRecorder) -> None:
    """The library's own jar prints a traceback for malformed cookies."""
    answer = json.dumps({"choices": [{"message": {"content": '{"drop": [], "add": []}'}}]}).encode()
    playing.begin(lambda turn: turn.send(200, answer, Set_Cookie=f"a=b; expires=01 Jan {'9' * 5000}"))

    async def ask() -> Verdict | None:
        judge = Judge(playing.base_url, KEY, timeout=60)
        heard = await judge.ask(QUESTION, "small")
        await judge.close()
        return heard

    assert anyio.run(ask) == Verdict(drop=[], add=[])
    assert not recwarn.list


def test_only_the_type_of_a_failure_is_logged(playing: PlayingJudge, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def ask(answer: bytes, status: int = 200) -> None:
        playing.begin(lambda turn: turn.send(status, answer))
        judge = Judge(playing.base_url, KEY, timeout=60)
        assert await judge.ask(QUESTION, "small") is None
        await judge.close()

    anyio.run(ask, b"a secret about Noor")
    anyio.run(ask, b"", 503)
    lines = [line for line in map(json.loads, caplog.text.splitlines()) if line["logger"] == "masker.judge"]
    assert [line["reason"] for line in lines] == ["Rubbish", "Unusable"]
    assert "Noor" not in caplog.text and KEY not in caplog.text
