"""The engine in miniature, in pure Python, walked through every interleaving: claim, beat, release, cancel, finish …

A world is a small tuple; `moves` yields every world that one more step of anybody can lead to. A worker is a program of
steps with memory of its own; it may stand still for ever at any of them (a crash, a freeze) and go on when others have
moved (it wakes again). `explore` visits every reachable world and returns the promises that were broken, each with the
shortest way there.

The rules of the real engine are the defaults of `Rules`; each switched off is a design that was considered, or that
others have, and must break a promise: that is the proof that the explorer sees.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Rules:
    """How the engine works; every default is what it does."""

    guarded_claim: bool = True  # the claim names the state it believes in; False: look first, write later
    fenced_effect: bool = True  # the work looks at the fence in the transaction of its write
    fenced_finish: bool = True  # the outcome is written only by the attempt that still owns the task
    final_absorbs: bool = True  # a final state is never left
    counted_at_claim: bool = True  # an attempt is counted before the work starts, not when it ends
    queue_locked: bool = True  # running tasks are counted behind the queue's lock
    resends: bool = True  # the cycle announces again what is queued and not claimed
    run_locked: bool = True  # whoever ends a task locks the run before it looks at the others
    safety_net: bool = True  # the cycle settles runs in which nothing moves


@dataclass(frozen=True)
class Scenario:
    """A small world: who waits for whom, the workers, the limit of the queue and how much may go wrong.

    `before` has the tasks that each task waits for. A release is wrong when the attempt is alive; those are counted.
    """

    before: tuple[tuple[int, ...], ...] = ((),)
    workers: int = 2
    limit: int = 9
    attempts_allowed: int = 2
    losses: int = 0
    crashes: int = 0
    wrong_releases: int = 0
    cancels: int = 0


class Worker(NamedTuple):
    """Where a worker's program stands, and what it remembers: the task, its token, what it saw of the others."""

    at: str = "idle"
    task: int = -1
    token: int = 0
    saw: tuple[int, ...] = ()


class Task(NamedTuple):
    """A row of the task table, with the token of its live attempt."""

    status: str = "queued"
    token: int = 0
    claims: int = 0
    attempts: int = 0
    cancel: bool = False


class World(NamedTuple):
    """Everything there is, and which promises were broken on the way here."""

    tasks: tuple[Task, ...]
    workers: tuple[Worker, ...]
    messages: frozenset[int]
    losses: int
    crashes: int
    wrong_releases: int
    cancels: int
    broken: frozenset[str] = frozenset()


Moves = Iterator[tuple[str, World]]

FINAL = ("completed", "failed", "cancelled")


def explore(scenario: Scenario, rules: Rules, most: int = 300_000) -> dict[str, list[str]]:
    """Visit every world and return the broken promises, each with a shortest way to it; raises when it gets too big."""
    start = _start(scenario)
    seen: dict[World, tuple[World | None, str]] = {start: (None, "")}
    ahead, found = deque([start]), dict[str, list[str]]()
    while ahead:
        world = ahead.popleft()
        after = [] if world.broken else list(_moves(world, scenario, rules))
        for promise in world.broken or _stuck(world, after):
            found.setdefault(promise, _way(world, seen))
        for step, following in after:
            if following not in seen:
                seen[following] = (world, step)
                ahead.append(following)
        assert len(seen) <= most, f"more than {most} worlds"
    return found


def _start(scenario: Scenario) -> World:
    tasks = tuple(Task("waiting" if priors else "queued") for priors in scenario.before)
    ready = frozenset(number for number, priors in enumerate(scenario.before) if not priors)
    workers = (Worker(),) * scenario.workers
    faults = (scenario.losses, scenario.crashes, scenario.wrong_releases, scenario.cancels)
    return World(tasks, workers, ready, *faults)


def _moves(world: World, scenario: Scenario, rules: Rules) -> Moves:
    """Yield every step that somebody can take, with the world after it."""
    for number, worker in enumerate(world.workers):
        yield from _worker_moves(world, number, worker, scenario, rules)
        if world.crashes and worker.at != "idle":
            yield f"worker {number} dies", _set(world._replace(crashes=world.crashes - 1), number, Worker())
    yield from _cycle_moves(world, scenario, rules)
    if world.cancels:
        for number, task in enumerate(world.tasks):
            yield f"{number} is cancelled", _cancel(world, number, task)
    if world.losses:
        for message in world.messages:
            lost = world._replace(messages=world.messages - {message}, losses=world.losses - 1)
            yield f"message {message} is lost", lost


def _worker_moves(world: World, number: int, worker: Worker, scenario: Scenario, rules: Rules) -> Moves:
    """Yield the next step of one worker's program."""
    if worker.at == "idle":
        for message in world.messages:
            took = world._replace(messages=world.messages - {message})
            yield f"worker {number} is woken for {message}", _set(took, number, Worker("looks", message))
        return
    steps: dict[str, Callable[..., World]] = {
        "looks": _look, "claims": _claim, "works": _effect, "ends": _finish, "commits": _commit,
    }  # fmt: skip
    after = steps[worker.at](world, number, worker, scenario, rules)
    yield f"worker {number} {worker.at}", after
    if worker.at == "ends" and rules.run_locked:
        yield from _go_on(world, number, after, scenario, rules)


def _go_on(before: World, number: int, after: World, scenario: Scenario, rules: Rules) -> Moves:
    """Yield the end of a task together with the claim of one that it queued: one transaction, and no message."""
    for ready, task in enumerate(after.tasks):
        if task.status == "queued" and before.tasks[ready].status == "waiting":
            claims = Worker("claims", ready)
            world = _set(after._replace(messages=after.messages - {ready}), after.workers.index(Worker()), claims)
            yield (
                f"worker {number} ends and claims {ready}",
                _claim(world, world.workers.index(claims), claims, scenario, rules),
            )


def _look(world: World, number: int, worker: Worker, scenario: Scenario, rules: Rules) -> World:
    """Read the task, before the transaction of the claim; without the queue's lock also count what runs."""
    full = not rules.queue_locked and _running(world) >= scenario.limit
    if world.tasks[worker.task].status != "queued" or full:
        return _set(world, number, Worker())
    return _set(world, number, worker._replace(at="claims"))


def _claim(world: World, number: int, worker: Worker, scenario: Scenario, rules: Rules) -> World:
    """Move the task to running, with a new token."""
    task = world.tasks[worker.task]
    if rules.guarded_claim and task.status != "queued":
        return _set(world, number, Worker())
    if rules.queue_locked and _running(world) >= scenario.limit:
        return _set(world, number, Worker())
    broken = {"two live attempts"} if task.status == "running" else set[str]()
    if task.status in FINAL:
        broken.add("a final state changed")
    if task.claims >= scenario.attempts_allowed:
        broken.add("tried too often")
    claimed = task._replace(
        status="running",
        token=task.token + 1,
        claims=task.claims + 1,
        attempts=task.attempts + rules.counted_at_claim,
    )
    world = _put(world, worker.task, claimed, broken)
    if _running(world) > scenario.limit:
        world = world._replace(broken=world.broken | {"limit exceeded"})
    return _set(world, number, worker._replace(at="works", token=claimed.token))


def _effect(world: World, number: int, worker: Worker, scenario: Scenario, rules: Rules) -> World:
    """Write the work; a cancel is heard here."""
    task = world.tasks[worker.task]
    owns = task.token == worker.token and task.status == "running"
    if rules.fenced_effect and not owns:
        return _set(world, number, Worker())
    broken = set() if owns else {"a zombie wrote"}
    return _set(_put(world, worker.task, task, broken), number, worker._replace(at="ends"))


def _finish(world: World, number: int, worker: Worker, scenario: Scenario, rules: Rules) -> World:
    """Look at the other tasks; behind the run's lock that is one step with the commit."""
    saw = tuple(other for other, task in enumerate(world.tasks) if task.status == "completed")
    worker = worker._replace(at="commits", saw=saw)
    return _commit(world, number, worker, scenario, rules) if rules.run_locked else _set(world, number, worker)


def _commit(world: World, number: int, worker: Worker, scenario: Scenario, rules: Rules) -> World:
    """Write the outcome and release what waited only for this."""
    task = world.tasks[worker.task]
    owns = task.token == worker.token and task.status == "running"
    if (rules.fenced_finish and not owns) or (rules.final_absorbs and task.status in FINAL):
        return _set(world, number, Worker())
    end = "cancelled" if task.cancel else "completed"
    broken = set() if owns else {"a zombie finished"}
    if task.status in FINAL and task.status != end:
        broken.add("a final state changed")
    made = task.attempts if rules.counted_at_claim else task.attempts + 1
    world = _put(world, worker.task, task._replace(status=end, token=task.token + 1, attempts=made), broken)
    if end == "completed":
        world = _release_behind(world, worker.task, {*worker.saw, worker.task}, scenario)
    return _set(world, number, Worker())


def _release_behind(world: World, ended: int, done: set[int], scenario: Scenario) -> World:
    """Queue what waited for `ended` and for nothing that is not done."""
    for number, priors in enumerate(scenario.before):
        task = world.tasks[number]
        if ended in priors and done.issuperset(priors) and task.status == "waiting":
            world = _put(world, number, task._replace(status="queued"))
            world = world._replace(messages=world.messages | {number})
    return world


def _cycle_moves(world: World, scenario: Scenario, rules: Rules) -> Moves:
    """Yield what the cycle may do at any moment: release an attempt it holds dead, announce again, settle the run."""
    for number, task in enumerate(world.tasks):
        alive = any(worker.task == number and worker.token == task.token for worker in world.workers)
        if task.status == "running" and (world.wrong_releases or not alive):
            yield f"{number} is released", _release(world, number, task, alive, scenario)
        if rules.resends and task.status == "queued" and number not in world.messages:
            yield f"{number} is announced again", world._replace(messages=world.messages | {number})
    moving = any(task.status in ("queued", "running") for task in world.tasks)
    if rules.safety_net and not moving:
        done = {number for number, task in enumerate(world.tasks) if task.status == "completed"}
        for ended in done:
            settled = _release_behind(world, ended, done, scenario)
            if settled != world:
                yield "the run is settled", settled


def _release(world: World, number: int, task: Task, alive: bool, scenario: Scenario) -> World:
    """Give an attempt up: its token is void; the task is tried again while attempts are left."""
    status = "queued" if task.attempts < scenario.attempts_allowed else "failed"
    released = task._replace(status="cancelled" if task.cancel else status, token=task.token + 1)
    return _put(world, number, released)._replace(wrong_releases=world.wrong_releases - alive)


def _cancel(world: World, number: int, task: Task) -> World:
    """A person cancels: at once what has not started, by request what runs."""
    world = world._replace(cancels=world.cancels - 1)
    if task.status in ("queued", "waiting"):
        return _put(world, number, task._replace(status="cancelled", token=task.token + 1))
    return _put(world, number, task._replace(cancel=True)) if task.status == "running" else world


def _stuck(world: World, after: list[tuple[str, World]]) -> frozenset[str]:
    """Return the promise that breaks when nobody can move though something has not ended.

    What waits behind what failed or was cancelled is blocked in the same step by the real engine; here it may wait.
    """
    if after:
        return frozenset()
    over = any(task.status in ("failed", "cancelled") for task in world.tasks)
    left = {"queued", "running"} if over else {"queued", "running", "waiting"}
    return frozenset({"stuck"}) if any(task.status in left for task in world.tasks) else frozenset()


def _running(world: World) -> int:
    return sum(task.status == "running" for task in world.tasks)


def _set(world: World, number: int, worker: Worker) -> World:
    """Return the world with this worker; workers are alike, so worlds that differ in their order are one."""
    workers = [*world.workers[:number], worker, *world.workers[number + 1 :]]
    return world._replace(workers=tuple(sorted(workers)))


def _put(world: World, number: int, task: Task, broken: set[str] | None = None) -> World:
    """Return the world with this row."""
    tasks = (*world.tasks[:number], task, *world.tasks[number + 1 :])
    return world._replace(tasks=tasks, broken=world.broken | frozenset(broken or ()))


def _way(world: World, seen: dict[World, tuple[World | None, str]]) -> list[str]:
    """Return the steps that led to this world."""
    steps: list[str] = []
    at: World | None = world
    while at is not None:
        at, step = seen[at]
        steps.append(step)
    return [step for step in reversed(steps) if step]
