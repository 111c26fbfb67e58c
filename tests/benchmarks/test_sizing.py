"""The simulation behind docs/sizing.md, where its answers can be worked out by hand."""

import pytest

from benchmarks.sizing.__main__ import Compared, is_near
from benchmarks.sizing.model import Family, Line, Model, fitted
from benchmarks.sizing.simulation import Cost, Kind, Machine, Pool, demand, poisson, shared_out, simulate
from schemas.stages import Queue, Stage

LIGHT = Kind("light", {Stage.SNIFF: Cost(1, 1)})
SCAN = Kind("scan", {Stage.SNIFF: Cost(1, 1), Stage.OCR: Cost(4, 4), Stage.VERIFY: Cost(5, 2)}, Cost(0.5, 0.25))
EVERY = tuple(Queue)


def pools(slots: int) -> list[Pool]:
    return [Pool((queue,), slots) for queue in Queue]


def test_one_document_takes_its_stages_and_the_ways_between_them() -> None:
    done = simulate(iter([(2.0, SCAN)]), pools(1))
    assert done.took == [pytest.approx(10 + 3 * 0.5)]
    assert done.left == 0


@pytest.mark.parametrize(("slots", "ended"), [(1, 6.0), (2, 3.0), (6, 1.0), (9, 1.0)])
def test_slots_work_side_by_side(slots: int, ended: float) -> None:
    done = simulate(((0.0, LIGHT) for _ in range(6)), pools(slots))
    assert done.ended == pytest.approx(ended)
    assert done.busy["light"] == pytest.approx(6 / (slots * ended))


@pytest.mark.parametrize(
    ("machine", "ended"),
    [
        (None, 1.0),
        (Machine(4), 1.0),
        (Machine(2), 2.0),
        (Machine(2, slowdown=1.5), 3.0),
        (Machine(2, taken=0.5), 4.0),
        (Machine(1, slowdown=1.5), 4.0),
    ],
)
def test_pools_share_the_cores_of_one_machine(machine: Machine | None, ended: float) -> None:
    done = simulate(iter([(0.0, LIGHT)] * 4), [Pool(EVERY, 4)], machine=machine)
    assert done.ended == pytest.approx(ended, rel=0.1)


def test_one_core_that_works_alone_is_not_slowed_down() -> None:
    assert simulate(iter([(0.0, LIGHT)]), pools(1), machine=Machine(2, slowdown=1.5)).ended == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("cost", "alone", "together"),
    [(Cost(2, 2), 2, 4), (Cost(2, 4), 2, 8), (Cost(2, 1), 2, 3)],
    ids=["one processor", "two processors", "half of it waits"],
)
def test_work_takes_as_many_processors_as_were_measured(cost: Cost, alone: float, together: float) -> None:
    page = Kind("page", {Stage.OCR: cost})
    for documents, ended in ((1, alone), (4, together)):
        done = simulate(iter([(0.0, page)] * documents), [Pool(EVERY, 4)], machine=Machine(2))
        assert done.ended == pytest.approx(ended, rel=0.1)
    assert demand({page: 1})[Queue.OCR] == max(cost)  # of a worker with one core


def test_what_passes_between_stages_takes_processors_too() -> None:
    kind = Kind("light", {Stage.SNIFF: Cost(0, 0)}, Cost(1, 1))
    assert simulate(iter([(0.0, kind)] * 4), pools(4), machine=Machine(2)).ended == pytest.approx(2.0, rel=0.1)
    assert (kind.beside, kind.processor) == (1, 1)


def test_a_document_waits_for_no_queue_that_it_does_not_need() -> None:
    page = Kind("page", {Stage.OCR: Cost(9, 9)})
    done = simulate(iter([(0.0, page), (0.0, LIGHT)]), pools(1))
    assert done.took == [1, 9]


@pytest.mark.parametrize(
    ("points", "line"),
    [
        ({1: 5, 2: 7, 3: 9}, Line(3, 2)),
        ({1: 4, 2: 8, 3: 9}, Line(2, 2.5)),
        ({1: 5, 2: 4, 3: 3}, Line(4, 0)),
        ({1: 0, 2: 5, 3: 10}, Line(0, 20 / 7)),
    ],
    ids=["a line", "least squares", "no rate below zero", "no base below zero"],
)
def test_a_line_is_fitted_to_what_was_measured(points: dict[int, float], line: Line) -> None:
    assert fitted(points) == pytest.approx(line)


def test_a_model_knows_documents_of_any_size_and_how_far_it_is_off() -> None:
    family = Family("PDF", "pages", "a.pdf", bytes, (1, 2, 3), 5, 40)
    times = {1: 4.0, 2: 8.0, 3: 9.0}
    model = Model(family, {size: Kind("", {Stage.OCR: Cost(time, 1)}, Cost(0.5, 0)) for size, time in times.items()})
    assert model.usual.stages == {Stage.OCR: pytest.approx(Cost(14.5, 1))}
    assert model.usual.between == pytest.approx(Cost(0.5, 0))
    assert model.residuals() == pytest.approx({1: 0.5 / 4, 2: -1 / 8, 3: 0.5 / 9})


def test_a_slower_machine_takes_longer_by_what_processors_do() -> None:
    slowed = Kind("", {Stage.OCR: Cost(2, 4), Stage.VERIFY: Cost(2, 1), Stage.BILL: Cost(1, 1)}).slowed(1.5)
    assert list(slowed.stages.values()) == [Cost(3, 6), Cost(2.5, 1.5), Cost(1.5, 1.5)]


@pytest.mark.parametrize(("simulated", "near"), [(8.4, False), (8.5, True), (10, True), (11.5, True), (11.6, False)])
def test_a_simulation_that_is_too_far_from_the_real_run_is_told(simulated: float, near: bool) -> None:
    assert is_near([Compared("", 10, 10), Compared("", 10, simulated)]) is near


def test_what_is_not_done_in_time_is_left() -> None:
    page = Kind("page", {Stage.OCR: Cost(1, 1)})
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
