"""The simulation behind docs/sizing.md, where its answers can be worked out by hand."""

import pytest

from benchmarks.sizing.simulation import Kind, Pool, demand, poisson, shared_out, simulate
from schemas.stages import STAGES, Queue, Stage

LIGHT = Kind("light", {Stage.SNIFF: 1.0})
SCAN = Kind("scan", {Stage.SNIFF: 1.0, Stage.OCR: 4.0, Stage.VERIFY: 5.0}, hop=0.5)
EVERY = tuple(Queue)


def pools(slots: int) -> list[Pool]:
    return [Pool((queue,), slots) for queue in Queue]


def test_one_document_takes_its_stages_and_the_ways_between_them() -> None:
    done = simulate(iter([(2.0, SCAN)]), pools(1))
    assert done.took == [pytest.approx(10 + 0.5 * len(STAGES))]
    assert done.left == 0


@pytest.mark.parametrize(("slots", "ended"), [(1, 6.0), (2, 3.0), (6, 1.0), (9, 1.0)])
def test_slots_work_side_by_side(slots: int, ended: float) -> None:
    done = simulate(((0.0, LIGHT) for _ in range(6)), pools(slots))
    assert done.ended == pytest.approx(ended)
    assert done.busy["light"] == pytest.approx(6 / (slots * ended))


def test_pools_share_the_cores_of_one_machine() -> None:
    documents = [(0.0, LIGHT)] * 4
    assert simulate(iter(documents), [Pool(EVERY, 4)], cores=2).ended == pytest.approx(2.0, abs=0.2)
    assert simulate(iter(documents), [Pool(EVERY, 4)]).ended == pytest.approx(1.0)


def test_what_is_not_done_in_time_is_left() -> None:
    page = Kind("page", {Stage.OCR: 1.0})
    done = simulate(((0.0, page) for _ in range(6)), pools(1), until=2.5)
    assert (len(done.took), done.left) == (2, 4)


def test_slots_are_shared_out_by_what_each_queue_has_to_do() -> None:
    mix = {SCAN: 1.0, LIGHT: 1.0}
    costs = {Queue.LIGHT: 1.0, Queue.OCR: 2.0, Queue.VERIFY: 2.5}
    assert demand(mix) == dict.fromkeys(Queue, 0) | costs
    shared = {pool.name: pool.slots for pool in shared_out(110, mix)}
    assert sum(shared.values()) == 110
    assert (shared["light"], shared["ocr"], shared["detect"]) == (20, 40, 1)


def test_arrivals_are_as_many_as_asked_for_and_the_same_again() -> None:
    first = list(poisson(50, {LIGHT: 1, SCAN: 3}, 100, seed=1))
    assert len(first) == pytest.approx(5000, rel=0.1)
    assert sum(kind is SCAN for _, kind in first) == pytest.approx(3750, rel=0.1)
    assert first == list(poisson(50, {LIGHT: 1, SCAN: 3}, 100, seed=1))
