"""Any backfill, with runs that end well or not, pauses and a cancel, ends as a plain-Python model of it says."""

from dataclasses import dataclass, field

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduling.models import Run
from scheduling.runs.backfill import move_backfills_on
from scheduling.runs.cancel import cancel_backfill
from scheduling.runs.fire import slot_key
from scheduling.runs.foresee import Range
from scheduling.schedules.pause import pause_everything, resume_everything
from scheduling.states import RunStatus
from tests.depth import examples
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.conftest import DAY, FIRST, begin, end, plan_of, state

NIGHTS = 6
BEGIN = FIRST - 2 * DAY  # the first of these nights
ENDS = ("completed", "completed", "failed", "cancelled")
ACTS = st.lists(
    st.tuples(st.sampled_from([*ENDS, "cycle", "pause", "resume", "cancel"]), st.integers(0, 9)), max_size=14
)


@dataclass
class Backfilled:
    """A backfill by `docs/plans.md`: which nights are to come, which run, and how those ended that did."""

    to_come: list[int]
    at_once: int
    stops: bool
    live: list[int] = field(default_factory=list)
    ended: dict[int, str] = field(default_factory=dict)
    is_paused: bool = False
    status: str = "running"

    def go_on(self) -> None:
        """Start what is next, or end."""
        if self.status != "running":
            return
        went_wrong = any(end != "completed" for end in self.ended.values())
        if went_wrong and self.stops:
            self.status = "failed"
        elif not self.to_come and not self.live:
            self.status = "failed" if went_wrong else "completed"
        elif not self.is_paused:
            while self.to_come and len(self.live) < self.at_once:
                self.live.append(self.to_come.pop(0))

    def ends(self, night: int, how: str) -> None:
        """The run of a night ends."""
        self.live.remove(night)
        self.ended[night] = how
        self.go_on()

    def cancel(self) -> None:
        """A person ends it: what runs is cancelled, what is to come does not run."""
        if self.status == "running":
            self.status = "cancelled"
            self.ended |= dict.fromkeys(self.live, "cancelled")
            self.live = []


def check(nightly, ran, side_by_side, stops, repeats, acts):
    """Do all that is told to a backfill and to its model, and hold both against each other after each."""
    for night, how in ran.items():
        slot = BEGIN + night * DAY
        Run.objects.create(kind="plan", title="Plan Nightly", fire_key=slot_key(nightly, slot), scheduled_for=slot,
                           status=how, created_at=slot, finished_at=slot)  # fmt: skip
    to_come = [night for night in range(NIGHTS) if repeats or ran.get(night) != "completed"]
    wanted = Range(BEGIN, BEGIN + NIGHTS * DAY, side_by_side=side_by_side, stops_on_failure=stops, repeats=repeats)
    model = Backfilled(to_come, side_by_side or 1, stops)
    if not to_come:
        return
    backfill = begin(nightly, wanted)
    model.go_on()
    for act, number in [("cycle", 0), *acts]:
        now = NOW
        if act in ENDS and model.live:
            night = model.live[number % len(model.live)]
            run = backfill.runs.get(scheduled_for=BEGIN + night * DAY)
            end(run, RunStatus(act), now=now)
            model.ends(night, act)
        elif act == "cycle":
            move_backfills_on(now)
            model.go_on()
        elif act == "pause":
            pause_everything(by="ann", reason="x", now=now)
            model.is_paused = True
        elif act == "resume":
            resume_everything(by="ann", now=now)
            model.is_paused = False
        elif act == "cancel" and number < 3:
            cancel_backfill(backfill, by="ann", now=now)
            model.cancel()
        holds(backfill, model)


def holds(backfill, model):
    """The runs of a backfill are those of the model, each night once; it stands as the model says."""
    found = dict(backfill.runs.values_list("scheduled_for", "status"))
    assert backfill.runs.count() == len(found), "a night ran twice"
    live = {(slot - BEGIN) // DAY for slot, how in found.items() if how not in RunStatus.final()}
    ended = {(slot - BEGIN) // DAY: how for slot, how in found.items() if how in RunStatus.final()}
    assert (sorted(live), ended, state(backfill)) == (sorted(model.live), model.ended, model.status)


@pytest.mark.django_db
@settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    ran=st.dictionaries(st.integers(0, NIGHTS - 1), st.sampled_from(ENDS), max_size=4),
    side_by_side=st.sampled_from([None, 2, 3]),
    stops=st.booleans(),
    repeats=st.booleans(),
    acts=ACTS,
)
def test_every_backfill_ends_as_the_documentation_says(region, ran, side_by_side, stops, repeats, acts):
    with transaction.atomic():
        check(plan_of(step(region)), ran, side_by_side, stops, repeats, acts)
        transaction.set_rollback(True)
