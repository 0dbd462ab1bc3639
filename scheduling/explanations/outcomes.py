"""What a run or a log event says of the slot it belongs to, in one sentence with its remedy."""

from collections.abc import Iterable
from datetime import datetime

from django.utils.translation import gettext_noop

from scheduling import conf
from scheduling.decisions.origins import origin
from scheduling.explanations.explanation import ExplainedSlot, SlotState
from scheduling.explanations.facts import EventFact, RunFact
from scheduling.explanations.remedies import Remedy
from scheduling.states import EventType, RunStatus
from staging.wording import say

_ENDS = {
    RunStatus.PENDING: (gettext_noop("it waits for a worker"), Remedy.RUN_WAITS),
    RunStatus.RUNNING: (gettext_noop("it runs"), Remedy.NOTHING),
    RunStatus.COMPLETED: (gettext_noop("the run completed"), Remedy.NOTHING),
    RunStatus.FAILED: (gettext_noop("the run failed"), Remedy.RUN_FAILED),
    RunStatus.CANCELLED: (gettext_noop("the run was cancelled"), Remedy.RUN_CANCELLED),
}
_TRIED_AGAIN = (gettext_noop("the run failed, and what failed is tried again"), Remedy.NOTHING)
_GATES = {"overlap": Remedy.OVERLAP, "back_off": Remedy.BACK_OFF, "blackout": Remedy.BLACKOUT}


def outcome_of_fire(at: datetime, runs: list[RunFact]) -> ExplainedSlot:
    """Return what the runs of one slot come to; the last one counts.

    Those before it lost their workers, or are earlier attempts of the plan.
    """
    run = max(runs, key=lambda run: run.id)
    end, remedy = _ENDS[RunStatus(run.status)] if run.next_attempt_at is None else _TRIED_AGAIN
    late = run.scheduled_for is not None and min(run.created_at for run in runs) - at > conf.missed_after()
    if late and remedy == Remedy.NOTHING:
        remedy = Remedy.RAN_LATE
    source = f" {origin(run.trigger_source)}" if run.scheduled_for is None and run.trigger_source else ""
    if late:
        what = say("Fired late, at {instant} (catch-up)", instant=run.created_at)
    else:
        what = say("Fired.{source}", source=source) if source else say("Fired")
    again = ""
    if run.attempt_number > 1:
        again = say(" (attempt {number} of its plan)", number=run.attempt_number)
    elif len(runs) > 1:
        again = say(" (started {times} times: the worker died)", times=len(runs))
    error = f": {' '.join(run.error.split())}" if run.error else "."
    return ExplainedSlot(
        at,
        SlotState.FIRED,
        say("{what}{again}; {end}{error}", what=what, again=again, end=say(end), error=error),
        str(remedy),
        run_id=run.id,
    )


def held_back(at: datetime, event: EventFact) -> ExplainedSlot:
    """Return what a log event says of a slot that did not run, or of the moment a trigger was held back."""
    if event.kind == EventType.MISSED:
        text = say("Missed: no scheduler ran at that time; found out at {at}.", at=event.at)
        return ExplainedSlot(at, SlotState.MISSED, text, str(Remedy.WAS_DOWN), event_id=event.id)
    if event.kind == EventType.ERROR:
        return ExplainedSlot(at, SlotState.ERROR, event.words, str(Remedy.ERROR), event_id=event.id)
    if event.kind == EventType.PAUSED:
        remedy = Remedy.EVERYTHING_PAUSED if event.everything else Remedy.PAUSED
        return ExplainedSlot(at, SlotState.NOT_DUE, event.words, str(remedy), event_id=event.id)
    held = event.kind == EventType.HELD
    remedy = Remedy.BLACKOUT if held else _GATES.get(event.gate, Remedy.OTHER_GATE)
    state = SlotState.HELD if held else SlotState.SKIPPED
    return ExplainedSlot(at, state, event.words, str(remedy), run_id=event.run_id, event_id=event.id)


def explain_triggers(runs: Iterable[RunFact], events: Iterable[EventFact]) -> tuple[ExplainedSlot, ...]:
    """Return the fires of a triggered entity and what held it back, each at its own time, ascending."""
    kinds = (EventType.SKIPPED, EventType.HELD, EventType.ERROR, EventType.PAUSED)
    found = [outcome_of_fire(run.created_at, [run]) for run in runs]
    found += [held_back(event.at, event) for event in events if event.kind in kinds and event.run_id is None]
    return tuple(sorted(found, key=lambda slot: slot.at))
