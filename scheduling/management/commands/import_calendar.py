"""`import_calendar`: holidays from a CSV or iCalendar file into a blackout calendar."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.errors import InvalidSchedule
from scheduling.management import base
from scheduling.models import BlackoutCalendar
from scheduling.schedules.calendars import calendar_errors
from scheduling.schedules.drafts import PeriodDraft
from scheduling.schedules.holidays import MAX_BYTES, import_holidays, read_holidays
from staging.versions.units import one_change
from staging.wording import say


class Command(base.Command):
    """Import holidays, all of a file or nothing; the calendar is made when there is none of the name."""

    help = gettext_noop("Import holidays from a CSV or iCalendar (.ics) file into a blackout calendar.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the calendar and the file."""
        parser.add_argument("name", metavar="NAME", help=say("The calendar's name; it is made when there is none."))
        parser.add_argument("file", metavar="FILE", type=Path, help=say("A .ics file is iCalendar, any other is CSV."))
        parser.add_argument("--timezone", metavar="ZONE", help=say("The calendar's zone, such as Europe/Amsterdam."))
        parser.add_argument("--replace", action="store_true", help=say("Take out its days and yearly dates first."))
        base.add_reason(parser)

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Read, check and store; each fault is a line of its own."""
        try:
            drafts = read_holidays(_content(options["file"]), options["file"].name, today=clock.now().date())
            return _store(options["name"].strip(), drafts, options["timezone"], options["replace"]), 0
        except InvalidSchedule as error:
            lines = [f"{place}: {text}" for place, texts in error.errors.items() for text in texts]
            raise base.refused("\n".join(lines)) from None


def _content(path: Path) -> bytes:
    """Return the file's bytes, a little more than allowed at most; exit code 2 when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise base.refused(say("{file} cannot be read: {error}.", file=str(path), error=error.strerror)) from None


def _store(name: str, drafts: list[PeriodDraft], timezone: str | None, replace: bool) -> dict[str, Any]:
    """Store the periods, and the calendar when it is new; both or neither."""
    with one_change():
        calendar = BlackoutCalendar.objects.filter(name=name).first() or BlackoutCalendar(name=name)
        created = calendar.pk is None
        calendar.timezone = timezone or calendar.timezone
        facts = {"name": calendar.name, "timezone": calendar.timezone, "policy": calendar.policy}
        if errors := calendar_errors(facts, ()):
            raise InvalidSchedule(errors)
        calendar.save()
        imported = import_holidays(calendar, drafts, replace=replace)
    return {
        "calendar": calendar.name,
        "created": created,
        "timezone": calendar.timezone,
        "imported": imported,
        "known": len(drafts) - imported,
    }
