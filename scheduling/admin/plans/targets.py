"""What a step may do, as people choose it: from a list where that is short, else by a name that is typed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

from scheduling.models import Job, Plan, PlanStep, SqlScript
from scheduling.plans.parameters import known_jobs
from staging.models import Entity
from staging.rights import Entities, visible
from staging.wording import say

WAIT = "wait:time"  # what a form sends for a step that waits for a time; when, stands in fields of its own


class Target(NamedTuple):
    """One thing that a step may run: `value` is what a form sends, `name` what people call the step."""

    value: str
    name: str
    title: str
    found: Entity | SqlScript | Plan | None = None


class Targets:
    """All that the steps of one plan may run, in groups; read once for a whole page."""

    def __init__(self, groups: list[tuple[str, list[Target]]]):
        """Take the groups with their titles."""
        self.groups = [(title, targets) for title, targets in groups if targets]
        self.by_value = {one.value: one for one in self}

    @cached_property
    def _by_name(self) -> dict[str, Target]:
        return {one.name: one for one in self}

    @cached_property
    def _by_title(self) -> dict[str, Target]:
        titles: dict[str, list[Target]] = {}
        for one in self:
            titles.setdefault(one.title.casefold(), []).append(one)
        return {title: ones[0] for title, ones in titles.items() if len(ones) == 1}

    def __iter__(self) -> Iterator[Target]:
        return (one for _, targets in self.groups for one in targets)

    def __len__(self) -> int:
        return sum(len(targets) for _, targets in self.groups)

    def choices(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return them as a list to choose from."""
        return [(title, [(one.value, one.title) for one in targets]) for title, targets in self.groups]

    def work(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return what can be chosen by itself: a wait needs to be told for what."""
        return [(title, own) for title, own in self.choices() if own[0][0] != WAIT]

    def find(self, text: str) -> Target | None:
        """Return what was chosen, or typed: by the name of the step, or by the one title that is written so."""
        return self.by_value.get(text) or self._by_name.get(text) or self._by_title.get(text.casefold())

    def unknown(self, text: str) -> str:
        """Return the sentence that refuses what is not there, with the likely name."""
        if likely := get_close_matches(text, list(self._by_name), n=1):
            return say("There is nothing called {text!r}; did you mean {likely!r}?", text=text, likely=likely[0])
        return say("There is nothing called {text!r} that a step may do.", text=text)


def targets_for(plan: Plan, may_script: bool, of: Entities) -> Targets:
    """Return what a step of this plan may do. Scripts are offered to people who may run them.

    `of`: only these entities and plans of them, and nothing that is of no entity.
    """
    known = getattr(plan, "offered", {}) if of is None else {}  # what the form of the plan read already
    jobs = known[Job] if Job in known else known_jobs() if of is None else ()
    scripts = known.get(SqlScript) if may_script else ()
    if scripts is None:
        scripts = SqlScript.objects.filter(is_cancelled=False) if of is None else ()
    entities = _in_use(plan, Entity, visible(Entity.objects.filter(is_cancelled=False), of), of)
    plans = _in_use(plan, Plan, visible(Plan.objects.filter(is_cancelled=False).exclude(pk=plan.pk), of), of)
    return Targets(
        [
            (say("Entities"), [Target(f"entity:{one.pk}", one.code, one.name, one) for one in entities]),
            (say("Jobs"), [Target(f"job:{name}", f"job {name}", name) for name in jobs]),
            (say("SQL scripts"), [Target(f"script:{one.pk}", f"script {one.name}", one.name, one) for one in scripts]),
            (say("Plans"), [Target(f"plan:{one.pk}", f"plan {one.name}", one.name, one) for one in plans]),
            (say("Waits"), [_wait()]),
        ]
    )


def _in_use(plan: Plan, model: type[Entity | Plan], rows: Iterable[Any], of: Entities) -> Iterable[Any]:
    """Return these rows; those that the form of the plan offers somebody who sees all are not read once more."""
    offered: list[Any] | None = getattr(plan, "offered", {}).get(model) if of is None else None
    if offered is None:
        return rows
    key = "code" if model is Entity else "name"
    return sorted((one for one in offered if not one.is_cancelled), key=attrgetter(key))


def what_of(step: PlanStep) -> Target | None:
    """Return what a step does; None for nothing."""
    if step.waits_for_time:
        return _wait()
    if step.job_name:
        return Target(f"job:{step.job_name}", f"job {step.job_name}", step.job_name)
    for kind, one in (("entity", step.entity), ("script", step.script), ("plan", step.sub_plan)):
        if one is not None:
            name = one.code if isinstance(one, Entity) else f"{kind} {one.name}"
            return Target(f"{kind}:{one.pk}", name, one.name, one)
    return None


def _wait() -> Target:
    return Target(WAIT, "wait", say("Wait for a time"))


def put(step: PlanStep, target: Target | None) -> None:
    """Let a step do this and nothing else; nothing at all for None."""
    kind = target.value.partition(":")[0] if target else ""
    found = target.found if target else None
    step.entity = found if isinstance(found, Entity) else None
    step.script = found if isinstance(found, SqlScript) else None
    step.sub_plan = found if isinstance(found, Plan) else None
    step.job_name = target.value.partition(":")[2] if target and kind == "job" else ""
