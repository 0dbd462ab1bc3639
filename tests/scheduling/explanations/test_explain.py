"""Promises of the pure explanation: each state from slots, runs, events and the schedule, whatever the log lacks."""

from datetime import UTC, date, datetime, timedelta

import pytest

from scheduling.cadence.blackout import Blackout, Days
from scheduling.explanations.explain import explain_slots
from scheduling.explanations.explanation import ExplainedSlot, SlotState
from scheduling.explanations.facts import EventFact, RunFact
from scheduling.explanations.remedies import Remedy
from scheduling.models import SchedulerConfiguration, SchedulerState

NOW = datetime(2026, 3, 2, 12, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
TEN = datetime(2026, 3, 2, 10, tzinfo=UTC)
MONDAY = Blackout("Holidays", "UTC", False, (Days(date(2026, 3, 2), date(2026, 3, 2)),))
ROLLING = Blackout("Holidays", "UTC", True, (Days(date(2026, 3, 1), date(2026, 3, 1)),))


def hourly(**fields) -> SchedulerConfiguration:
    """An hourly schedule that has passed everything until now."""
    defaults = {"armed_from": TEN - 100 * HOUR, "next_scheduled_run": NOW + HOUR / 2}
    return SchedulerConfiguration(
        processing_mode="scheduled", schedule_type="interval", interval_minutes=60, **(defaults | fields)
    )


def one(at=TEN, runs=(), events=(), now=NOW, blackout=None, state=None, **fields) -> ExplainedSlot:
    """Explain one slot."""
    found = explain_slots(hourly(**fields), [at], runs, events, now, blackout=blackout, state=state).slots
    return next(slot for slot in found if slot.at == at)


def span(kind, first, last, count, id=7):
    return EventFact(id=id, at=NOW, kind=kind, message="logged", first=first, last=last, count=count)


def run(status="completed", **fields) -> RunFact:
    return RunFact(**({"id": 3, "created_at": TEN + MINUTE, "scheduled_for": TEN, "status": status} | fields))


def event(kind, at=TEN + MINUTE, **fields) -> EventFact:
    return EventFact(**({"id": 7, "at": at, "kind": kind, "message": "said so"} | fields))


@pytest.mark.parametrize(
    ("status", "remedy", "text"),
    [
        ("completed", Remedy.NOTHING, "Fired; the run completed."),
        ("running", Remedy.NOTHING, "Fired; it runs."),
        ("pending", Remedy.RUN_WAITS, "Fired; it waits for a worker."),
        ("failed", Remedy.RUN_FAILED, "Fired; the run failed: boom"),
        ("cancelled", Remedy.RUN_CANCELLED, "Fired; the run was cancelled."),
    ],
)
def test_a_slot_with_a_run_fired_whatever_became_of_the_run(status, remedy, text):
    found = one(runs=[run(status, error="boom" if status == "failed" else "")])
    assert found == ExplainedSlot(TEN, SlotState.FIRED, text, str(remedy), run_id=3)


def test_a_late_run_says_when_it_ran():
    found = one(runs=[run(created_at=TEN + 2 * HOUR)])
    assert found.reason == "Fired late, at 2026-03-02 12:00:00 UTC (catch-up); the run completed."
    assert found.remedy == str(Remedy.RAN_LATE)


def test_a_slot_whose_worker_died_shows_its_last_run():
    found = one(runs=[run("failed", id=3, error="lost"), run("completed", id=4)])
    assert found.run_id == 4 and found.reason == "Fired (started 2 times: the worker died); the run completed."


def test_a_slot_whose_plan_is_tried_again_lost_no_worker():
    failed = run("failed", error="B failed", next_attempt_at=TEN + HOUR)
    found = one(runs=[failed])
    assert found.reason == "Fired; the run failed, and what failed is tried again: B failed"
    assert found.remedy == str(Remedy.NOTHING)
    found = one(runs=[run("failed"), run("completed", id=4, attempt_number=2)])
    assert found.reason == "Fired (attempt 2 of its plan); the run completed."


CASES = {
    "skipped by the overlap guard": (
        {"events": [event("skipped", slot=TEN, gate="overlap")]},
        SlotState.SKIPPED,
        Remedy.OVERLAP,
        "said so",
    ),
    "skipped by the back-off": (
        {"events": [event("skipped", slot=TEN, gate="back_off")]},
        SlotState.SKIPPED,
        Remedy.BACK_OFF,
        "said so",
    ),
    "held, logged": (
        {"events": [event("held", slot=TEN, gate="blackout")]},
        SlotState.HELD,
        Remedy.BLACKOUT,
        "said so",
    ),
    "held, not looked at yet": (
        {"blackout": MONDAY, "next_scheduled_run": TEN},
        SlotState.HELD,
        Remedy.BLACKOUT,
        "Blackout of Holidays until",
    ),
    "held, without any trace": ({"blackout": MONDAY}, SlotState.HELD, Remedy.BLACKOUT, "Blackout of Holidays until"),
    "missed, in a logged stretch": (
        {"events": [span("missed", TEN - HOUR, TEN + HOUR, 3)]},
        SlotState.MISSED,
        Remedy.WAS_DOWN,
        "found out at",
    ),
    "missed, one alone": ({"events": [span("missed", TEN, TEN, 1)]}, SlotState.MISSED, Remedy.WAS_DOWN, "found out at"),
    "missed, nothing logged": ({}, SlotState.MISSED, Remedy.NOTHING_KNOWN, "No run, and nothing in the log."),
    "missed, the scheduler is down": (
        {"next_scheduled_run": TEN},
        SlotState.MISSED,
        Remedy.NO_SCHEDULER,
        "No scheduler has looked since it was due, 2 h 30 min ago; catch-up drops it.",
    ),
    "missed, down, and will run late": (
        {"next_scheduled_run": TEN, "catch_up": "all"},
        SlotState.MISSED,
        Remedy.NO_SCHEDULER,
        "it runs late when it is back",
    ),
    "missed, waits for its turn": (
        {"next_scheduled_run": TEN, "catch_up": "all", "caught_up_through": TEN},
        SlotState.MISSED,
        Remedy.CATCHES_UP,
        "it waits to run late",
    ),
    "error at its time": ({"events": [event("error")]}, SlotState.ERROR, Remedy.ERROR, "said so"),
    "an error long after it": (
        {"events": [event("error", at=TEN + HOUR)]},
        SlotState.MISSED,
        Remedy.NOTHING_KNOWN,
        "No run",
    ),
    "the error of its own run is not one of the slot": (
        {"events": [event("error", run_id=3)], "runs": [run("failed")]},
        SlotState.FIRED,
        Remedy.RUN_FAILED,
        "run failed",
    ),
    "before the schedule was armed": (
        {"armed_from": TEN + MINUTE},
        SlotState.NOT_DUE,
        Remedy.BEFORE_CHANGE,
        "The schedule counts from 2026-03-02 10:01:00 UTC",
    ),
    "switched off": (
        {"is_enabled": False, "next_scheduled_run": None},
        SlotState.NOT_DUE,
        Remedy.SWITCHED_OFF,
        "switched off",
    ),
    "still to come": ({"at": NOW + HOUR / 2}, SlotState.NOT_DUE, Remedy.TO_COME, "Not due yet."),
    "still to come, into a blackout": (
        {"at": NOW + HOUR / 2, "blackout": MONDAY},
        SlotState.NOT_DUE,
        Remedy.BLACKOUT,
        "A blackout of Holidays will hold it.",
    ),
    "due this minute": (
        {"now": TEN + MINUTE, "next_scheduled_run": TEN},
        SlotState.NOT_DUE,
        Remedy.AWAITED,
        "the next cycle decides",
    ),
    "paused now": (
        {"paused_at": TEN - HOUR, "paused_by": "ann", "pause_reason": "audit", "next_scheduled_run": None},
        SlotState.NOT_DUE,
        Remedy.PAUSED,
        "Paused by ann since 2026-03-02 09:00:00 UTC: audit.",
    ),
    "everything paused now": (
        {"state": SchedulerState(paused_at=TEN - HOUR, paused_by="ann", pause_reason="audit")},
        SlotState.NOT_DUE,
        Remedy.EVERYTHING_PAUSED,
        "Everything is paused by ann",
    ),
    "paused then": (
        {"events": [event("paused", at=TEN - HOUR), event("resumed", at=TEN + HOUR, id=8, message="Resumed by bo.")]},
        SlotState.NOT_DUE,
        Remedy.WAS_PAUSED,
        "said so (Resumed by bo, 2026-03-02 11:00:00 UTC).",
    ),
    "everything paused then": (
        {"events": [event("paused", at=TEN - HOUR, everything=True), event("resumed", at=TEN + HOUR, everything=True)]},
        SlotState.NOT_DUE,
        Remedy.WAS_PAUSED,
        "said so",
    ),
    "paused since before the log begins": (
        {"events": [event("resumed", at=TEN + HOUR)]},
        SlotState.NOT_DUE,
        Remedy.WAS_PAUSED,
        "Paused (said so",
    ),
    "the pause was over before it": (
        {"events": [event("paused", at=TEN - 3 * HOUR), event("resumed", at=TEN)]},
        SlotState.MISSED,
        Remedy.NOTHING_KNOWN,
        "No run",
    ),
    "the resuming was not logged": (
        {"events": [event("paused", at=TEN - HOUR)], "armed_from": TEN + HOUR},
        SlotState.NOT_DUE,
        Remedy.WAS_PAUSED,
        "said so",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_state_has_its_reason_and_remedy(case):
    given, state, remedy, text = CASES[case]
    found = one(**given)
    assert (found.state, found.remedy) == (state, str(remedy)), found
    assert text in found.reason


def test_a_run_outweighs_what_else_was_logged_about_its_slot():
    events = [event("skipped", slot=TEN, gate="overlap"), span("missed", TEN - HOUR, TEN, 2)]
    assert one(runs=[run()], events=events).state == SlotState.FIRED


def test_of_two_stretches_the_calendar_says_which_slot_was_dark():
    sunday = datetime(2026, 3, 1, 10, tzinfo=UTC)
    blackout = Blackout("Sundays", "UTC", False, (Days(sunday.date(), sunday.date()),))
    events = [span("missed", TEN - 60 * HOUR, TEN, 3, id=1), span("held", TEN - 60 * HOUR, TEN, 3, id=2)]
    assert one(at=sunday, events=events, blackout=blackout).state == SlotState.HELD
    assert one(events=events, blackout=blackout).state == SlotState.MISSED


def test_a_slot_that_rolled_names_the_run_it_moved_to():
    slot, end = datetime(2026, 3, 1, 10, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)
    found = one(at=slot, runs=[run(scheduled_for=end, created_at=end)], blackout=ROLLING)
    assert found.state == SlotState.HELD and found.run_id == 3 and found.remedy == ""
    assert found.reason.endswith("It moved to 2026-03-02 00:00:00 UTC.")


def test_slots_of_an_older_schedule_stay_in_the_list_by_their_runs_and_events():
    odd = TEN + timedelta(minutes=17)
    found = explain_slots(
        hourly(), [TEN], [run(scheduled_for=odd, created_at=odd)], [event("held", slot=odd + HOUR)], NOW
    )
    assert [(slot.at, slot.state) for slot in found.slots] == [
        (TEN, SlotState.MISSED), (odd, SlotState.FIRED), (odd + HOUR, SlotState.HELD),
    ]  # fmt: skip


def test_a_stretch_logged_for_an_older_schedule_does_not_speak_of_todays_slots():
    """Two slots were missed, hourly; since noon it runs each ten minutes, and those between never were slots."""
    slots = [TEN + minutes * MINUTE for minutes in range(0, 61, 10)]
    events = [span("missed", TEN, TEN + HOUR, 2)]
    found = explain_slots(hourly(armed_from=TEN + 2 * HOUR), slots, [], events, NOW).slots
    states = [slot.state for slot in found]
    assert states == [SlotState.MISSED, *[SlotState.NOT_DUE] * 5, SlotState.MISSED]


def test_every_slot_is_in_the_list_once_and_in_order():
    slots = [TEN - number * HOUR for number in range(50)]
    found = explain_slots(hourly(), slots, [run()], [event("skipped", slot=TEN - HOUR)], NOW)
    assert [slot.at for slot in found.slots] == sorted(slots)
    assert sum(found.counts().values()) == 50


def test_only_what_went_well_and_what_moved_has_no_remedy():
    assert [remedy for remedy in Remedy if not remedy.value] == [Remedy.NOTHING]
    assert len({remedy.value for remedy in Remedy}) == len(Remedy)
