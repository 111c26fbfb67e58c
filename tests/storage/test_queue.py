"""The queue's sending side: ids only, to the stage's own queue, on either broker."""

import json
import os
import signal
import threading
import time
from uuid import uuid4

import pytest
from dramatiq import Worker, actor
from dramatiq.brokers.stub import StubBroker

from schemas.errors import MaskerUnavailable
from schemas.settings import InvalidSettings
from schemas.stages import STAGES, Stage
from storage.broker import open_broker
from storage.queue import StageQueue
from tests.servers import RedisServer


@pytest.mark.parametrize("info", STAGES, ids=lambda info: info.stage)
def test_a_stage_is_announced_on_its_own_queue_by_ids_alone(info: object) -> None:
    from schemas.stages import StageInfo

    assert isinstance(info, StageInfo)
    broker = open_broker(None)
    assert isinstance(broker, StubBroker)
    job_id = uuid4()
    StageQueue(broker).announce(info.stage, job_id)
    message = json.loads(broker.queues[info.queue].get_nowait())
    assert (message["actor_name"], message["args"], message["kwargs"]) == (info.stage, [str(job_id)], {})


def test_a_part_is_announced_by_its_number() -> None:
    broker = open_broker(None)
    assert isinstance(broker, StubBroker)
    job_id = uuid4()
    StageQueue(broker).announce(Stage.OCR, job_id, 0)
    assert json.loads(broker.queues["ocr"].get_nowait())["args"] == [str(job_id), 0]


def test_a_message_reaches_redis(redis_url: str) -> None:
    broker = open_broker(redis_url)
    queue = StageQueue(broker)
    queue.ping()
    queue.announce(Stage.SNIFF, uuid4())
    assert broker.client.llen("dramatiq:light") == 1
    broker.close()


def test_a_broker_that_is_away_is_unavailable_and_says_nothing() -> None:
    broker = open_broker("redis://user:secret@127.0.0.1:9/0")
    queue = StageQueue(broker)
    for act in (queue.ping, lambda: queue.announce(Stage.SNIFF, uuid4())):
        with pytest.raises(MaskerUnavailable) as refusal:
            act()
        assert str(refusal.value) == "masker_unavailable"
    broker.close()


@pytest.mark.parametrize("address", ["http://user:secret@127.0.0.1", "redis://user:secret@127.0.0.1:port/0"])
def test_an_address_that_is_none_is_named_without_being_shown(address: str) -> None:
    with pytest.raises(InvalidSettings, match=r"^MASKER_REDIS_URL: not a Redis address$"):
        open_broker(address)


def test_nobody_hears_a_broker_of_this_process_without_workers() -> None:
    assert not StageQueue(open_broker(None)).is_heard
    assert StageQueue(open_broker("redis://127.0.0.1:9/0")).is_heard


@pytest.mark.slow
def test_a_worker_hears_delayed_messages_after_an_outage() -> None:
    """Redis is there, and frozen, while a consumer holds a message for later."""
    server, heard = RedisServer(), threading.Event()
    broker = open_broker(f"{server.url}?socket_timeout=0.3")

    @actor(broker=broker)
    def note(word: str) -> None:
        if word == "after":
            heard.set()

    worker = Worker(broker, worker_threads=1, worker_timeout=100)
    worker.start()
    try:
        note.send_with_options(args=("later",), delay=60_000)
        time.sleep(0.5)  # the consumer holds it
        os.kill(server.pid, signal.SIGSTOP)
        time.sleep(2)
        os.kill(server.pid, signal.SIGCONT)
        note.send_with_options(args=("after",), delay=100)
        assert heard.wait(20)
    finally:
        worker.stop()
        server.stop()
