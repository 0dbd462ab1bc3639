"""What the configurations have ahead: each scheduled one walked slot by slot, each triggered one by its sentence.

The judgement is `decide`'s, asked at each slot with a copy of the configuration that moves on in memory.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from scheduling.cadence.errors import CadenceError
from scheduling.decisions.wording import pause_sentence
from scheduling.forecast.values import RUNNING, ExpectedFire, Outlook, WhenDataArrives
from scheduling.forecast.walk import Walk
from scheduling.models import Run, SchedulerConfiguration, SchedulerState
from scheduling.schedules.sentence import describe
from scheduling.states import ProcessingMode


def configurations_ahead(start: datetime, until: datetime, now: datetime) -> Outlook:
    """Return what the enabled configurations have ahead; a few statements, whatever their number."""
    everything = SchedulerState.current()
    durations = Run.objects.usual_durations()
    triggered, walks, notes, running = [], [], [], []
    if everything.paused_at is not None:
        notes.append(pause_sentence("Everything is paused", everything))
    for configuration in _enabled():
        if configuration.is_running:
            running.append(_running(configuration, durations.get(configuration.entity_id), now))
        paused = pause_sentence("Paused", configuration) if configuration.paused_at else ""
        if configuration.processing_mode == ProcessingMode.TRIGGERED:
            what, sentence = configuration.entity.code, describe(configuration)
            triggered.append(WhenDataArrives(what, sentence, configuration.entity_id, paused))
            continue
        if paused:
            notes.append(f"{configuration.entity.code}: {paused}")
        try:
            ready = _walk(configuration, everything, durations, start, now)
        except CadenceError as error:
            notes.append(f"{configuration.entity.code}: this schedule cannot be read: {error}")
            continue
        if ready is not None:
            walks.append(ready.fires(until))
    return Outlook(tuple(walks), tuple(running), tuple(triggered), tuple(notes))


def _enabled() -> Iterator[SchedulerConfiguration]:
    known = SchedulerConfiguration.objects.automatic().select_related("entity", "calendar")
    yield from known.prefetch_related("calendar__periods").order_by("entity__code")


def _running(configuration: SchedulerConfiguration, lasts: timedelta | None, now: datetime) -> ExpectedFire:
    """Return the batch that runs now: for its usual duration, and at least until now."""
    started = configuration.run_started_at or now
    code, reason = configuration.entity.code, f"Started by {configuration.run_started_by}."
    milliseconds = round(max(lasts or timedelta(), now - started) / timedelta(milliseconds=1))
    return ExpectedFire(
        started, code, describe(configuration), RUNNING, milliseconds, configuration.entity_id, reason=reason
    )


def _walk(
    configuration: SchedulerConfiguration,
    everything: SchedulerState,
    durations: dict[int, timedelta],
    start: datetime,
    now: datetime,
) -> Walk | None:
    """Return the walk of a scheduled configuration; None when a pause without an end keeps it still."""
    walk = Walk(configuration, durations.get(configuration.entity_id), start, now)
    for pause in (configuration, everything):
        if pause.paused_at is not None and not walk.wait_for(pause.paused_until):
            return None
    return walk
