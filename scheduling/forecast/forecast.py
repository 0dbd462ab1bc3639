"""The forecast: puts what the schedules of every kind have ahead on one line of time."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import islice

from scheduling.decisions.decision import EVERYTHING_PAUSED, pause_sentence
from scheduling.forecast.ahead import ahead_of, entity_id, waits_for_rows
from scheduling.forecast.load import load_of, quiet_of, works_of
from scheduling.forecast.values import Forecast, Outlook, Owner
from scheduling.kinds import KINDS, usual_runs
from scheduling.models import Plan, Queue, RunSchedule, Schedule, SchedulerState, Task
from scheduling.simulation.attempt import NextAttempt
from scheduling.usual_runs import Key, Piece, key_of, pieces_left
from staging.rights import Entities
from staging.wording import in_one_language, say

MOST_FIRES = 20_000


@in_one_language()
def forecast(
    start: datetime, until: datetime, *, now: datetime, most: int = MOST_FIRES, of: Entities = None
) -> Forecast:
    """Return what will fire from `start` until before `until`, as things stand at `now`. Writes nothing.

    At most `most` slots are listed, the earliest; the look ahead is lazy, so what is not listed costs nothing. `of`:
    only what works on nothing but these entities, also in load and quiet times.
    """
    everything = SchedulerState.current()
    schedules = [
        schedule for kind in KINDS for schedule in sorted(kind.foreseen(of), key=lambda one: (one.what, str(one)))
    ]
    ahead = _ahead(schedules, start, until, now, everything)
    found = list(islice(ahead.slots, most + 1))
    paused = [pause_sentence(EVERYTHING_PAUSED, everything)] if everything.paused_at is not None else []
    notes = [*paused, *ahead.notes]
    shown_until = until
    if len(found) > most:
        shown_until = found.pop().at
        notes.append(
            say(
                "Only the first {most:,} slots are shown, those before {shown_until}.",
                most=most,
                shown_until=shown_until,
            )
        )
        found = [fire for fire in found if fire.at < shown_until] or found
    works = works_of([*ahead.running, *found])
    return Forecast(
        start=start,
        until=until,
        shown_until=shown_until,
        fires=tuple(found),
        running=ahead.running,
        load=load_of(works, dict(Queue.objects.values_list("name", "max_running")), start, shown_until),
        quiet=quiet_of(works, start, shown_until),
        when_data_arrives=ahead.when_data_arrives,
        notes=tuple(notes),
        owners={schedule.what: _owner(schedule) for schedule in schedules},
    )


def _owner(schedule: Schedule) -> Owner:
    """Return whose slots those of the schedule are."""
    is_of_entity = entity_id(schedule) is not None
    return Owner(schedule.label, schedule.pk) if is_of_entity else Owner(schedule.what)


def _ahead(
    schedules: list[Schedule], start: datetime, until: datetime, now: datetime, everything: SchedulerState
) -> Outlook:
    """Return what these schedules have ahead."""
    left = _left(schedules, now)
    attempts = _attempts(schedules, left)
    usual = usual_runs(schedule for schedule in schedules if schedule.is_running or not waits_for_rows(schedule))
    return ahead_of(schedules, usual, start, until, now, left_of=left, attempts=attempts, everything=everything)


def _attempts(schedules: Iterable[Schedule], left: Mapping[Key, tuple[Piece, ...]]) -> dict[Key, NextAttempt]:
    """Return what plans wait for whose run failed; of several plans of one run the first has the pieces of it."""
    found, lasts = {}, dict[int, timedelta]()
    for plan in schedules:
        run = plan.running_run if isinstance(plan, Plan) else None
        if run is not None and run.next_attempt_at is not None:
            pieces = left[key_of(plan)]
            lasts.setdefault(run.pk, max((piece.after + piece.lasts for piece in pieces), default=timedelta()))
            found[key_of(plan)] = NextAttempt.of(run, pieces, lasts[run.pk])
    return found


def _left(schedules: Iterable[Schedule], now: datetime) -> dict[Key, tuple[Piece, ...]]:
    """Return what is left of the runs that hold schedules now.

    A run counts once, whoever waits for its end: with the first schedule that it holds, and not again with the batch of
    an entity that is a step of it.
    """
    runs, tasks = {}, {}
    for schedule in schedules:
        if isinstance(schedule, RunSchedule) and schedule.running_run_id is not None:
            runs[key_of(schedule)] = schedule.running_run_id
        elif (held_by := getattr(schedule, f"{schedule.HELD_BY}_id")) is not None:
            tasks[held_by] = key_of(schedule)
    left = pieces_left(set(runs.values()), now)
    steps = Task.objects.filter(pk__in=tasks, run__in=left).values_list("pk", flat=True) if left and tasks else ()
    return {key: left.pop(run, ()) for key, run in runs.items()} | {tasks[pk]: () for pk in steps}
