"""What every command shares: `--json`, `--now`, one-line errors and the exit codes of docs/commands.md."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from typing import Any, TypeVar, cast

from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DataError, InterfaceError, OperationalError

from scheduling import clock, conf
from scheduling.doctor.installation import TO_START
from scheduling.errors import AlreadyRunning, InvalidSchedule, SchedulingError
from scheduling.models import JobSchedule, Run, Schedule, SchedulerConfiguration
from scheduling.models.schedule import ScheduleQuerySet, run_schedule_models
from staging.entities.values import is_storable
from staging.errors import StagingError
from staging.models import Batch, Entity
from staging.phrases import listed
from staging.states import DoorKind, shown_status
from staging.tables.columns import has_tag
from staging.versions.doers import through
from staging.wording import one_line, said_together, say

EXIT_FAILED, EXIT_BAD_INPUT, EXIT_REFUSED = 1, 2, 3
REASON = "change_reason"
_MOST_DIGITS = 18
Thing = TypeVar("Thing")
_YEARS, _LONGEST_SPAN = (1900, 2200), timedelta(days=3660)


class PlainCommand(BaseCommand):
    """A command that says in one line that the database does not answer, and ends with exit code 1.

    `help` is marked with `gettext_noop`; it is said when the parser is made, which takes no text that is lazy.
    """

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Say what the command is for."""
        self.help = say(type(self).help)
        return super().create_parser(prog_name, subcommand, **kwargs)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command with the checks before it."""
        name = type(self).__module__.rpartition(".")[2]
        try:
            with through(DoorKind.COMMAND, detail=name, reason=options.get(REASON) or ""):
                return super().execute(*args, **options)
        except (OperationalError, InterfaceError) as error:
            text = say("The database does not answer: {error}", error=one_line(error))
            raise CommandError(text, returncode=EXIT_FAILED) from None


def add_reason(parser: ArgumentParser) -> None:
    """Let a command that changes what is defined take the reason for it."""
    text = say("Why you change this; it stands in the history.")
    parser.add_argument("--reason", dest=REASON, metavar="R", default="", help=text)


class Command(PlainCommand):
    """A command that answers with one document: text for people, JSON with `--json`."""

    requires_migrations_checks = True
    # Whether this installation may work. What its code looks like is for `check`, `migrate` and the server.
    requires_system_checks = [TO_START, Tags.database]
    takes_now = False

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Add the options every command has."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.add_argument("--json", action="store_true", help=say("Print exactly one JSON document."))
        if self.takes_now:
            parser.add_argument(
                "--now",
                metavar="INSTANT",
                help=say("Act as if it were this instant (needs SCHEDULER_ALLOW_TIME_TRAVEL=1)."),
            )
        return parser

    def handle(self, *args: Any, **options: Any) -> None:
        """Run `answer`, print what it returns, and turn expected errors into one line and an exit code."""
        try:
            document, code = self.answer(**options)
        except AlreadyRunning as error:
            raise CommandError(str(error), returncode=EXIT_REFUSED) from None
        except (SchedulingError, StagingError, InvalidSchedule) as error:
            raise CommandError(str(error), returncode=EXIT_BAD_INPUT) from None
        except (DataError, UnicodeEncodeError):  # a NUL, half a character, a number that is too large
            raise CommandError(say("A value does not fit where it belongs."), returncode=EXIT_BAD_INPUT) from None
        if options["json"]:
            self.stdout.write(json_text(document))
        else:
            self.stdout.write(self.text(document))
        if code:
            sys.exit(code)

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Do the command's work; return its document and exit code."""
        raise NotImplementedError

    def text(self, document: dict[str, Any]) -> str:
        """Return the document as text for people: one line a fact."""
        return "\n".join(f"{name}: {_plain(value)}" for name, value in document.items())

    def time_source(self, **options: Any) -> clock.TimeSource:
        """Return the clock, or one that starts at `--now`. Bad or forbidden instants end with exit code 2."""
        if not options.get("now"):
            return clock.now
        if not conf.may_travel_in_time():
            raise refused(say("--now needs SCHEDULER_ALLOW_TIME_TRAVEL=1."))
        return clock.starting_at(parse_instant(options["now"]))


def json_text(document: Any) -> str:
    """Return a document as JSON; half a surrogate pair, which no terminal takes, is written as its escape."""
    text = json.dumps(document, ensure_ascii=False)
    return text if is_storable(text) else json.dumps(document)


def refused(text: str) -> CommandError:
    """Return the error of bad input: one line and exit code 2."""
    return CommandError(text, returncode=EXIT_BAD_INPUT)


def json_object(option: str, text: str, example: str) -> dict[str, Any]:
    """Return what an option says as JSON; exit code 2 when it is no JSON object."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise refused(say("{option} is not JSON: {error}.", option=option, error=str(error))) from None
    if not isinstance(found, dict):
        raise refused(say("{option} must be a JSON object, like {example}.", option=option, example=example))
    return found


def refuse_unknown_tag(entity: Entity, tag: str) -> None:
    """Refuse with exit code 2 a tag that no staged row of the entity has: a typo would look like success."""
    if tag and not has_tag(entity, tag):
        raise refused(say("No staged row of {entity} has the tag {tag!r}.", entity=entity.name, tag=tag))


def parse_instant(text: str) -> datetime:
    """Return an ISO-8601 instant; exit code 2 when it is not one or has no offset."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise refused(say("{text!r} is not an instant; write 2026-03-01T06:00:00+00:00.", text=text)) from None
    if instant.tzinfo is None:
        raise refused(say("{text!r} has no offset; write {text}+00:00 for UTC.", text=text))
    return instant


def parse_span(start: str, until: str) -> tuple[datetime, datetime]:
    """Return two instants in UTC; exit code 2 when one is bad, or they are out of order or too far apart."""
    return check_span(parse_instant(start), parse_instant(until))


def moved_on(instant: datetime, span: timedelta) -> datetime:
    """Return the instant this much later; exit code 2 when the calendar ends before."""
    try:
        return instant + span
    except OverflowError:
        raise _too_far() from None


def _too_far() -> CommandError:
    return refused(say("Stay between the years {first} and {last}.", first=_YEARS[0], last=_YEARS[1]))


def check_span(start: datetime, until: datetime) -> tuple[datetime, datetime]:
    """Return the two instants in UTC; exit code 2 when the second is not the later one or they are too far apart."""
    if not (_YEARS[0] <= start.year < _YEARS[1] and _YEARS[0] <= until.year < _YEARS[1]):
        raise _too_far()
    if until <= start:
        first, last = start.isoformat(), until.isoformat()
        raise refused(say("--until {last} is not later than --from {first}.", first=first, last=last))
    if until - start > _LONGEST_SPAN:
        raise refused(say("--from and --until are more than ten years apart."))
    return start.astimezone(UTC), until.astimezone(UTC)


def find_named(things: Iterable[Thing], name: str, kind: str, name_of: Callable[[Thing], str] = str) -> Thing:
    """Return the thing of this name; exit code 2, with the likely name, when there is none or several would do."""
    by_name = {name_of(thing): thing for thing in things}
    if name in by_name:
        return by_name[name]
    same = [known for known in by_name if known.casefold() == name.casefold()]
    if len(same) == 1:
        return by_name[same[0]]
    if same:
        several = listed(map(repr, sorted(same)))
        raise refused(say("{name!r} may be {several}; write the name as it is.", name=name, several=several))
    text = say("There is no {kind} {name!r}.", kind=say(kind), name=name)
    if likely := get_close_matches(name, list(by_name), n=1):
        text = said_together(text, say("Did you mean {likely!r}?", likely=likely[0]))
    raise refused(text)


def find_configuration(entity_code: str) -> SchedulerConfiguration:
    """Return the configuration of an entity; exit code 2 when there is no such entity."""
    for code in (entity_code, entity_code.lower()):  # stored codes have no capitals
        with suppress(SchedulerConfiguration.DoesNotExist):
            return SchedulerConfiguration.objects.of_entity(code)
    raise refused(no_entity(entity_code))


def no_entity(code: str) -> str:
    """Return the sentence that refuses a code that no entity has."""
    return say("There is no entity with the code {code!r}.", code=code)


def find_schedule(name: str) -> Schedule:
    """Return the schedule of an entity, by its code, of a plan, as `plan NAME`, or of a job; else exit code 2.

    A job is `job NAME`, or `job NAME: SCHEDULE` when it has several.
    """
    kind, _, rest = name.partition(" ")
    model = next((model for model in run_schedule_models() if kind == model.KIND), None)
    if model is None or not rest:
        return find_configuration(name)
    if model is JobSchedule:
        return _find_job_schedule(rest)
    return find_named(cast(ScheduleQuerySet, model._default_manager.all()).readable(), rest, kind)


def _find_job_schedule(name: str) -> JobSchedule:
    """Return the schedule of a job that `NAME` or `NAME: SCHEDULE` names."""
    found = [
        schedule
        for schedule in JobSchedule.objects.readable().filter(removed_at__isnull=True)
        if name.casefold() in (schedule.job.name.casefold(), str(schedule).casefold())
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise refused(say("Job {name!r} has no schedule.", name=name))
    names = ", ".join(f"'job {schedule}'" for schedule in found)
    raise refused(say("Job {name!r} has several schedules; name one of {names}.", name=name, names=names))


def add_entity(parser: ArgumentParser) -> None:
    """Add the ENTITY argument."""
    parser.add_argument("entity", metavar="ENTITY", help=say("The entity's code."))


def add_plans(parser: ArgumentParser) -> None:
    """Add the NAME[,NAME…] argument."""
    parser.add_argument(
        "plans", metavar="NAME[,NAME...]", help=say("The names of the plans, with commas between them.")
    )


def plan_names(text: str) -> list[str]:
    """Return the names of a comma list; exit code 2 when there are none."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise refused(say("Name at least one plan."))
    return list(dict.fromkeys(names))


def add_run(parser: ArgumentParser) -> None:
    """Add the RUN argument."""
    parser.add_argument("run", metavar="RUN", type=int, help=say("The run's number."))


def find_run(number: int) -> Run:
    """Return a run; exit code 2 when there is none with this number."""
    try:
        return Run.objects.get(pk=number)
    except (Run.DoesNotExist, OverflowError):
        raise refused(say("There is no run {number}.", number=number)) from None


def add_batch(parser: ArgumentParser) -> None:
    """Add the BATCH argument."""
    parser.add_argument("batch", metavar="BATCH", help=say("The batch's number."))


def find_batch(text: str) -> Batch:
    """Return a batch; exit code 2 when there is none with this number."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0
    batch = Batch.objects.select_related("entity").filter(pk=number).first()
    if batch is None:
        raise refused(say("There is no batch {text!r}.", text=text))
    return batch


def run_text(document: dict[str, Any]) -> str:
    """Return the document of a run for people: the run, with why it did not complete, then one line a task."""
    lines = [f"{run_line(document)}  {document.get('error', '')}".rstrip()]
    for task in document["tasks"]:
        held = say("Held by {by}.", by=task["held_by"]) if "held_by" in task else ""
        told = "".join(f"  {words}" for words in (held, task["message"]) if words)
        state = "awaiting" if "waits_since" in task else _state(task)
        lines.append(f"  {state:<10} {task['task']}{told}")
    return "\n".join(lines)


def run_line(document: dict[str, Any]) -> str:
    """Return the run of a document in one line; while it is under way with how far it is."""
    run, done, total = (document[name] for name in ("run", "steps_done", "steps_total"))
    status = _state(document)
    if done < total and total > 1:
        return say("run {run}: {status}, {done} of {total} steps ended", run=run, status=status, done=done, total=total)
    return say("run {run}: {status}", run=run, status=status)


def _state(document: dict[str, Any]) -> str:
    """Return how a run or a task stands, told apart when it completed with warnings."""
    return shown_status(document["status"], document.get("warnings", 0))


def _plain(value: Any) -> str:
    """Return a value for a text line."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "-"
    if isinstance(value, dict):
        return " ".join(f"{key}={_plain(item)}" for key, item in value.items())
    return str(value)
