"""The forecast: asks every kind of work what it has ahead and puts the answers on one line of time."""

from collections.abc import Callable
from datetime import datetime
from heapq import merge
from itertools import islice, takewhile

from scheduling.forecast.configurations import configurations_ahead
from scheduling.forecast.jobs import jobs_ahead
from scheduling.forecast.load import load_of, quiet_of
from scheduling.forecast.plans import plans_ahead
from scheduling.forecast.values import Forecast, Outlook
from scheduling.models import Queue
from staging.wording import instant

MOST_FIRES = 20_000

# A kind of work is a function (start, until, now) -> Outlook, in a file of its own; it is registered by a line here.
KINDS: tuple[Callable[[datetime, datetime, datetime], Outlook], ...] = (configurations_ahead, plans_ahead, jobs_ahead)


def forecast(start: datetime, until: datetime, *, now: datetime, most: int = MOST_FIRES) -> Forecast:
    """Return what will fire from `start` until before `until`, as things stand at `now`. Writes nothing.

    At most `most` slots are listed, the earliest; walks are lazy, so what is not listed costs nothing.
    """
    outlooks = [ahead(start, until, now) for ahead in KINDS]
    walks = [walk for outlook in outlooks for walk in outlook.walks]
    ascending = merge(*walks, key=lambda fire: fire.at)
    found = list(islice(takewhile(lambda fire: fire.at < until, ascending), most + 1))
    notes = [note for outlook in outlooks for note in outlook.notes]
    shown_until = until
    if len(found) > most:
        shown_until = found.pop().at
        notes.append(f"Only the first {most:,} slots are shown, those before {instant(shown_until)}.")
        found = [fire for fire in found if fire.at < shown_until] or found
    running = tuple(run for outlook in outlooks for run in outlook.running)
    limits = dict(Queue.objects.values_list("name", "max_running"))
    return Forecast(
        start=start,
        until=until,
        shown_until=shown_until,
        fires=tuple(found),
        running=running,
        load=load_of([*running, *found], limits, start, shown_until),
        quiet=quiet_of([*running, *found], start, shown_until),
        when_data_arrives=tuple(entry for outlook in outlooks for entry in outlook.when_data_arrives),
        notes=tuple(notes),
    )
