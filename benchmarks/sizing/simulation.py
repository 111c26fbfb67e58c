"""A simulation of the file pipeline (SimPy): documents go from stage to stage through the pools of workers.

Seconds everywhere. A pool is a number of slots for some queues; a slot holds one stage at a time. With `cores` the
stages of all pools share a machine, in turns of `TURN` seconds; without, each slot has a core of its own.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import simpy

from schemas.stages import STAGE, STAGES, Queue, Stage

TURN = 0.05


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of document: the seconds that each stage takes on an idle core, and between two stages."""

    name: str
    stages: Mapping[Stage, float]
    hop: float = 0.0

    def by_queue(self) -> dict[Queue, float]:
        """The seconds that each queue's workers spend on one such document."""
        spent: dict[Queue, float] = defaultdict(float)
        for stage, seconds in self.stages.items():
            spent[STAGE[stage].queue] += seconds
        return dict(spent)


@dataclass(frozen=True)
class Pool:
    """Workers that serve the same queues."""

    queues: tuple[Queue, ...]
    slots: int

    @property
    def name(self) -> str:
        """What `masker worker --queues` takes."""
        return ",".join(queue.value for queue in self.queues)


@dataclass
class Outcome:
    """What happened: how long each document took, how busy each pool was (0 to 1), how long stages waited for it."""

    took: list[float] = field(default_factory=list)
    busy: dict[str, float] = field(default_factory=dict)
    waited: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    ended: float = 0.0
    left: int = 0


def simulate(
    arrivals: Iterator[tuple[float, Kind]],
    pools: Sequence[Pool],
    *,
    cores: int | None = None,
    until: float | None = None,
) -> Outcome:
    """Runs the arrivals (moment and kind, in order) until all are done, or until a moment; then some may be `left`."""
    environment, outcome = simpy.Environment(), Outcome()
    slots = {pool: simpy.Resource(environment, pool.slots) for pool in pools}
    pool_of = {queue: pool for pool in pools for queue in pool.queues}
    machine = simpy.Resource(environment, cores) if cores else None
    spent: dict[str, float] = defaultdict(float)

    def work(seconds: float) -> Iterator[Any]:
        if machine is None:
            yield environment.timeout(seconds)
            return
        while seconds > 0:
            with machine.request() as turn:
                yield turn
                yield environment.timeout(min(TURN, seconds))
            seconds -= TURN

    def process(kind: Kind) -> Iterator[Any]:
        began = environment.now
        outcome.left += 1
        for row in STAGES:
            seconds = kind.stages.get(row.stage, 0.0)
            pool = pool_of[row.queue]
            asked = environment.now
            with slots[pool].request() as slot:
                yield slot
                outcome.waited[pool.name].append(environment.now - asked)
                spent[pool.name] += seconds
                yield from work(seconds)
            if kind.hop:
                yield environment.timeout(kind.hop)
        outcome.took.append(environment.now - began)
        outcome.left -= 1

    def arrive() -> Iterator[Any]:
        for moment, kind in arrivals:
            yield environment.timeout(moment - environment.now)
            environment.process(process(kind))

    environment.process(arrive())
    environment.run(until)
    outcome.ended = environment.now
    outcome.busy = {pool.name: spent[pool.name] / (pool.slots * max(outcome.ended, TURN)) for pool in pools}
    return outcome


def poisson(rate: float, mix: Mapping[Kind, float], seconds: float, seed: int) -> Iterator[tuple[float, Kind]]:
    """Documents at `rate` a second on average for some seconds; `mix`: how often each kind comes."""
    chance, moment = random.Random(seed), 0.0
    kinds, weights = list(mix), list(mix.values())
    while (moment := moment + chance.expovariate(rate)) < seconds:
        yield moment, chance.choices(kinds, weights)[0]


def demand(mix: Mapping[Kind, float]) -> dict[Queue, float]:
    """The seconds that each queue's workers spend on one document of the mix, on average."""
    total, spent = sum(mix.values()), dict.fromkeys(Queue, 0.0)
    for kind, weight in mix.items():
        for queue, seconds in kind.by_queue().items():
            spent[queue] += seconds * weight / total
    return spent


def shared_out(slots: int, mix: Mapping[Kind, float]) -> list[Pool]:
    """So many slots, shared out by what each queue has to do; each has one at least."""
    needed = demand(mix)
    total = sum(needed.values())
    pools = [Pool((queue,), max(1, round(slots * seconds / total))) for queue, seconds in needed.items()]
    surplus = sum(pool.slots for pool in pools) - slots
    largest = max(pools, key=lambda pool: pool.slots)
    return [Pool(pool.queues, pool.slots - surplus) if pool is largest else pool for pool in pools]
