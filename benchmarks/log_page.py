"""What a page of the scheduler log costs with 1,000,000 events, beside the same page with 10,000."""

from datetime import datetime, timedelta

from benchmarks._scratch import least_seconds, scratch_database, statements

SMALL, BIG, CHUNK = 10_000, 1_000_000, 20_000
PERIOD = timedelta(days=30)


def main() -> None:
    """Fill the log twice and print a line for each page."""
    with scratch_database() as vendor:
        from scheduling import clock

        now = clock.now()
        codes = make_entities()
        print(f"log page on {vendor}: statements and least milliseconds, {SMALL:,} and {BIG:,} events\n")
        fill(0, SMALL, now)
        small = measure(codes[0])
        fill(SMALL, BIG, now)
        big = measure(codes[0])
        print(f"{'page':34} {'statements':>12} {'ms':>16} {'growth':>8}")
        for page, (count, time) in small.items():
            more, longer = big[page]
            print(f"{page:34} {count:>5} {more:>6} {time * 1000:>8.1f} {longer * 1000:>7.1f} {longer / time:>7.1f}x")


def make_entities() -> list[str]:
    """Define entities for the events to speak of; the log needs no tables of theirs."""
    from staging.models import Entity

    entities = [Entity(code=f"entity_{number:03d}", name=f"Entity {number}") for number in range(100)]
    Entity.objects.bulk_create(entities)
    return [entity.code for entity in entities]


def fill(first: int, last: int, now: datetime) -> None:
    """Add events numbered first to last, spread over the period, then let the database learn of them."""
    from django.db import connection

    from scheduling.models import SchedulerLog
    from scheduling.states import EventType
    from staging.models import Entity

    keys = list(Entity.objects.values_list("pk", flat=True))
    kinds = [EventType.FIRED, EventType.COMPLETED, EventType.SKIPPED, EventType.FIRED, EventType.COMPLETED]
    gates = [{"gate": "due", "passed": True, "value": "06:00", "limit": "06:00", "text": "Due since 06:00."}]
    for start in range(first, last, CHUNK):
        SchedulerLog.objects.bulk_create(
            SchedulerLog(
                entity_id=keys[number * 7 % len(keys)],
                event_time=now - PERIOD * ((number * 7919 % BIG) / BIG),
                event_type=EventType.ERROR if number % 1000 == 0 else kinds[number % 5],
                trigger_source="Schedule",
                reason="overlap" if number % 5 == 2 else None,
                starter="person" if number % 500 == 0 else "schedule" if number % 5 in (0, 1, 3, 4) else None,
                message=f"Event {number}: 35 inserted, 7 rejected.",
                details={"gates": gates},
            )
            for number in range(start, min(start + CHUNK, last))
        )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE scheduling_schedulerlog")


def measure(code: str) -> dict[str, tuple[int, float]]:
    """Return statements and seconds of each kind of page."""
    from django.contrib.auth.models import User
    from django.test import Client
    from django.urls import reverse

    client = Client()
    client.force_login(User.objects.get_or_create(username="reader", is_staff=True, is_superuser=True)[0])
    url = reverse("admin:scheduling_schedulerlog_changelist")
    older = client.get(url, {"period": "all"}).context["page"].older
    pages = {
        "newest": {},
        "all that is kept": {"period": "all"},
        "one entity": {"period": "all", "entity": code},
        "errors only": {"period": "all", "event_type": "error"},
        "held back by a run": {"period": "all", "reason": "overlap"},
        "started by people": {"period": "all", "starter": "person"},
        "the oldest page": {"period": "all", "newer": "0-0"},
        "the page after": {"period": "all", "older": older},
        "far back": {"period": "all", "older": _far_back()},
        "words, last 24 hours": {"period": "24h", "q": "Event 77"},
    }

    def get(query: dict[str, str]) -> None:
        assert client.get(url, query).status_code == 200

    return {
        page: (statements(lambda query=query: get(query)), least_seconds(lambda query=query: get(query)))
        for page, query in pages.items()
    }


def _far_back() -> str:
    """Return the position of an event near the end of the log."""
    from scheduling.admin.keyset import Position
    from scheduling.models import SchedulerLog

    event = SchedulerLog.objects.order_by("event_time", "id")[100]
    return str(Position(event.pk, event.event_time))


if __name__ == "__main__":
    main()
