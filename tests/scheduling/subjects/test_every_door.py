"""Promise: history is complete: of each kind of thing, through each door, who, when, through what, why, old → new."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.management import get_commands, load_command_class
from django.test import RequestFactory

from scheduling import clock
from scheduling.management.base import REASON as OPTION
from scheduling.model_files.sections import ENTITY_KINDS, FILE_KINDS
from scheduling.models import BlackoutCalendar, Plan, Queue, SchedulerConfiguration, SchedulerLog, SqlScript
from scheduling.states import EventType
from scheduling.subjects.all import ALL
from staging.models import BusinessRule, Entity, Version
from staging.states import DoorKind, VersionKind
from staging.version_pages import Versioned
from staging.versions.difference import in_words
from staging.versions.subjects import subject_of
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.api.test_matrix import DOORS
from tests.scheduling.subjects.acts import REASON, RELEASE, Act, Hand
from tests.scheduling.subjects.every_door import ACTS, world
from tests.staging.api.conftest import api, person

__all__ = ["api", "person"]
_CLOCKS = timedelta(minutes=1)  # the database has its own
WHO = {  # the door, the account, what tells the door more closely, the token, the reason
    "page": (DoorKind.PAGE, "superuser", "", "", REASON),
    "bulk": (DoorKind.PAGE, "superuser", "", "", REASON),
    "file": (DoorKind.FILE, "", RELEASE, "", REASON),
    "api PUT model": (DoorKind.FILE, "administrator", RELEASE, "loader", REASON),
    "api": (DoorKind.API, "administrator", "loader", "", REASON),
    "command": (DoorKind.COMMAND, "", "import_calendar", "", REASON),
    "code": (DoorKind.CODE, "", "", "", ""),
}


SECTIONS = {  # of a model file, and of an entity in it
    "entities": Entity, "calendars": BlackoutCalendar, "queues": Queue, "scripts": SqlScript, "plans": Plan,
    "rules": BusinessRule, "schedule": SchedulerConfiguration, "depends_on": SchedulerConfiguration,
}  # fmt: skip
# Actions and pages that change nothing of what people define: they start, stop, pause, show, or bring rows.
OTHERS = {
    "test_run_selected", "process_selected", "pause_selected", "resume_selected", "run_selected",
    "staging_rows_retry", "staging_rows_replace", "staging_rows_upload", "staging_rows_upload_check",
    "staging_row_edit", "scheduling_alertchannel_test", "scheduling_plan_preview_new",
    *(f"scheduling_schedulerconfiguration_{name}" for name in (
        "keys", "unsent", "times", "switch_times", "switch_language", "dismiss_first_steps", "pause_everything",
        "resume_everything", "undo", "test_run", "process", "rows_preview", "held", "decide")),
    *(f"scheduling_{kind}_{name}" for kind in ("schedulerconfiguration", "plan", "job", "jobschedule", "queue")
      for name in ("chosen", "preview", "run", "pause", "resume", "backfill", "backfill_cancel")),
}  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_each_change_through_each_door_is_told(make_job: Any, api: Any, tmp_path: Any) -> None:
    world(make_job)
    hand = Hand(client_for("superuser"), api("Administrator"), tmp_path)
    wrong = {(act.ways, *act.told): told for act in ACTS if (told := _faults(act, hand))}
    assert wrong == {}
    met = set(Version.objects.values_list("door", flat=True))
    assert met == {*DoorKind} - {DoorKind.BESIDE}, "what came past all doors has a test of its own"


def _faults(act: Act, hand: Hand) -> list[Any]:
    """Do it; return what is wrong with what is told of it."""
    begun = clock.now()
    before = set(Version.objects.values_list("pk", flat=True))
    act.do(hand)
    new = list(Version.objects.exclude(pk__in=before).exclude(kind=VersionKind.FOUND).order_by("pk"))
    made = {version.subject_type: version for version in new}
    twice = len(made) != len(new) and act.ways[0].partition(" ")[0] in ("page", "bulk", "file", "api", "command")
    found: list[Any] = ["more than one version of one change"] if twice else []
    for model, expected in act.told.items():
        subject = subject_of(model)
        assert subject is not None
        if (version := made.get(subject.key)) is None:
            found.append(f"no version of {subject.key}")
            continue
        lines = [str(each) for each in in_words(version.change, subject.words)]
        who = version.door, version.made_by, version.detail, version.token, version.reason
        is_told = {*expected.split("; ")} <= {*lines, str(version.kind)}
        if who != WHO[_kind(act.ways[0])] or not is_told or version.made_at < begun - _CLOCKS:
            found.append((who, version.kind, lines, version.made_at))
        if subject.tell and version.door != DoorKind.CODE and version.kind == VersionKind.CHANGED:
            found += [] if _in_the_log(lines[0], version.made_by) else [f"the log does not tell {lines[0]}"]
    return found


def _kind(way: str) -> str:
    return way if way in WHO else way.partition(" ")[0]


def _in_the_log(line: str, by: str) -> bool:
    """Return whether one of the last changes that the log tells is this one, by the same."""
    events = SchedulerLog.objects.filter(event_type=EventType.CHANGED).order_by("-pk").values_list("message", flat=True)
    return any(line in message and by in message for message in events[:3])


def test_the_list_has_every_door_of_every_kind_of_thing(db: None) -> None:
    """A new kind of thing, part, page, action, section, address or command needs its line; what is gone has none."""
    listed = {(way, model) for act in ACTS for way in act.ways for model in act.told}
    there = {*_of_code(), *_of_pages(), *_of_files()}
    assert there - listed == set() and listed - there == set()


def _of_code() -> Iterator[tuple[str, type]]:
    for subject in ALL:
        yield "code", subject.model
        yield from ((f"code {part.__name__}", subject.model) for part in (*subject.parts, *subject.links))


def _of_pages() -> Iterator[tuple[str, type]]:
    request = RequestFactory().get("/")
    request.user = User.objects.create_superuser("superuser")
    for subject in ALL:
        pages: Any = admin.site._registry[subject.model]
        assert isinstance(pages, Versioned), "a form that asks for the reason, and is one change"
        yield "page", subject.model
        yield from ((f"inline {inline.model.__name__}", subject.model) for inline in pages.inlines)
        actions = {*pages.get_actions(request)} - OTHERS
        if "delete_selected" in actions:
            yield "page delete", subject.model
        yield from ((f"bulk {name}", subject.model) for name in actions - {"delete_selected"})
        posts = {name for _, view, name in getattr(pages, "pages", ()) if "POST" in getattr(view, "methods", ["POST"])}
        yield from ((f"page {name}", subject.model) for name in posts - OTHERS)


def _of_files() -> Iterator[tuple[str, type]]:
    sections = {*FILE_KINDS, *ENTITY_KINDS, "rules"} - {"version", "release"}
    assert sections == {*SECTIONS}
    yield from ((way, SECTIONS[name]) for way in ("file", "api PUT model") for name in sections)
    for route, method, door in DOORS:
        if door.changes_definitions(method) and route != "model":
            yield f"api {method} {route}", SchedulerConfiguration if "schedule" in route else Entity
    for name, app in get_commands().items():
        if app in ("scheduling", "staging") and name != "load_model" and _takes_a_reason(app, name):
            yield f"command {name}", BlackoutCalendar


def _takes_a_reason(app: str, name: str) -> bool:
    """Return whether a command changes what people define."""
    parser = load_command_class(app, name).create_parser("manage.py", name)
    return any(option.dest == OPTION for option in parser._actions)


@pytest.mark.django_db(transaction=True)
def test_where_a_reason_is_asked_for_nothing_is_changed_without_it(
    make_job: Any, api: Any, tmp_path: Any, settings: Any
) -> None:
    """On pages beside the form, by actions and by the API; of a command it is never required."""
    settings.CHANGE_REASON_REQUIRED = True
    world(make_job)
    hand = Hand(client_for("superuser"), api("Administrator"), tmp_path, reason="")
    asking = [act for act in ACTS if act.ways[0].startswith(("page ", "bulk ", "api "))]
    taken = []
    for act in asking:
        count = Version.objects.count()
        act.do(hand)
        taken += [] if Version.objects.count() == count else [(act.ways, *act.told)]
    assert taken == []
