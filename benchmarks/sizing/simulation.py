"""A simulation of the file pipeline (SimPy): documents go from stage to stage through the pools of workers.

Seconds everywhere. A pool is a number of slots for some queues; a slot holds one stage at a time. The stages of all
pools share the cores of a `Machine`, in turns of `TURN` seconds; without one, each slot has a core of its own.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, NamedTuple

import simpy

from schemas.stages import STAGE, STAGES, Queue, Stage

TURN = 0.05  # seconds that a core works at a stage before it takes the next one


class Cost(NamedTuple):
    """What a piece of work takes on an idle machine: seconds of time, and seconds of processors, of several at once."""

    time: float
    processor: float

    @property
    def on_one_core(self) -> float:
        """The time that it takes where it has one core."""
        return max(self.time, self.processor)

    def slowed(self, factor: float) -> "Cost":
        """Where each second of a processor takes `factor` as long."""
        return Cost(self.time + (factor - 1) * min(self.time, self.processor), self.processor * factor)


_NOTHING = Cost(0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of document: the stages that it goes through, and what passes after each one, until the next one begins.

    `between` is the wait of the message, and the work of API, PostgreSQL and Redis.
    """

    name: str
    stages: Mapping[Stage, Cost]
    between: Cost = _NOTHING

    def by_queue(self) -> dict[Queue, float]:
        """The seconds that each queue's workers, each with one core, spend on one such document."""
        spent: dict[Queue, float] = defaultdict(float)
        for stage, cost in self.stages.items():
            spent[STAGE[stage].queue] += cost.on_one_core
        return dict(spent)

    @property
    def beside(self) -> float:
        """Processor seconds of API, PostgreSQL and Redis for one such document."""
        return self.between.processor * len(self.stages)

    @property
    def processor(self) -> float:
        """Processor seconds of all for one such document."""
        return self.beside + sum(cost.processor for cost in self.stages.values())

    def slowed(self, factor: float) -> "Kind":
        """The same document where each second of a processor takes `factor` as long."""
        stages = {stage: cost.slowed(factor) for stage, cost in self.stages.items()}
        return Kind(self.name, stages, self.between.slowed(factor))


@dataclass(frozen=True)
class Machine:
    """Cores that all slots share.

    `slowdown`: how much longer a second of a processor takes while all cores are busy. `taken`: the share of all cores
    that other work has, from 0 to 1.
    """

    cores: int
    slowdown: float = 1.0
    taken: float = 0.0

    def turn(self, seconds: float, busy: int) -> float:
        """How long work takes that would take `seconds` alone, with so many cores busy, its own among them."""
        share = (busy - 1) / (self.cores - 1) if self.cores > 1 else 0.0
        return seconds * (1 + (self.slowdown - 1) * share) / (1 - self.taken)


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
    machine: Machine | None = None,
    until: float | None = None,
) -> Outcome:
    """Runs the arrivals (moment and kind, in order) until all are done, or until a moment; then some may be `left`."""
    environment, outcome = simpy.Environment(), Outcome()
    slots = {pool: simpy.Resource(environment, pool.slots) for pool in pools}
    pool_of = {queue: pool for pool in pools for queue in pool.queues}
    cores = simpy.Resource(environment, machine.cores) if machine else None
    spent: dict[str, float] = defaultdict(float)

    def thread(seconds: float) -> Iterator[Any]:
        while seconds > 0:
            with cores.request() as turn:
                yield turn
                yield environment.timeout(machine.turn(min(TURN, seconds), cores.count))
            seconds -= TURN

    def work(cost: Cost) -> Iterator[Any]:
        if machine is None:
            yield environment.timeout(cost.on_one_core)
            return
        threads = max(1, ceil(cost.processor / cost.time)) if cost.time else 1
        each = cost.processor / threads
        yield environment.all_of([environment.process(thread(each)) for _ in range(threads)])
        yield environment.timeout(max(0.0, cost.time - each))

    def process(kind: Kind) -> Iterator[Any]:
        came = environment.now
        outcome.left += 1
        for row in STAGES:
            cost = kind.stages.get(row.stage)
            if cost is None:
                continue
            pool = pool_of[row.queue]
            asked = environment.now
            with slots[pool].request() as slot:
                yield slot
                began = environment.now
                outcome.waited[pool.name].append(began - asked)
                yield from work(cost)
                spent[pool.name] += environment.now - began
            yield from work(kind.between)
        outcome.took.append(environment.now - came)
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
