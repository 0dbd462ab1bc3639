"""Promise: times, switches and titles are written in one way on every page, in words and not in those of the code."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.admin import site

from scheduling import clock
from scheduling.admin.inputs import known_zones
from scheduling.models import Plan, SchedulerConfiguration, SchedulerLog
from scheduling.schedules.pause import pause, pause_everything
from tests.depth import DEEP
from tests.scheduling.admin.addresses import addresses
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.admin.test_languages import _Texts
from tests.scheduling.payloads.test_pages import ASKED
from tests.scheduling.payloads.world import World

pytestmark = pytest.mark.django_db

_MONTH = r"(jan|feb|mar|mrt|apr|may|mei|jun|jul|aug|sep|oct|okt|nov|dec)[a-z]*\.?"
_MOMENT = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
# What no text of a page looks like, and what to use.
OTHER_FORMS = {
    "a time as JSON has it": re.compile(r"\d{4}-\d\d-\d\dT|\d\d:\d\d:\d\d[.,]\d|\d\d:\d\d[+-]\d\d:\d\d"),
    "a month in words": re.compile(rf"(?i)\b(\d{{1,2}} {_MONTH}|{_MONTH} \d{{1,2}}),? (\d{{4}}|\d\d:)"),
    "another order": re.compile(r"\b\d{1,2}[-/.]\d{1,2}[-/.]\d{4}\b"),
    "half a day": re.compile(r"(?i)\d ?[ap]\.?m\b|^(midnight|noon|middernacht)$|, (midnight|noon|middernacht)$"),
    "an instant without seconds": re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?!:?\d)"),
    "a value of Python": re.compile(r"^(True|False|None|-|datetime\..*)$"),
    "a word of the code": re.compile(r"(?i)zombie|\b(trigger|after|plan|job|entity):\w"),
    "a switch by its column": re.compile(r"^(By )?(Is|is|Has|has) (enabled|cancelled|running|partial|shared|kept)\b"),
}
_SENTENCE_WITHOUT_ZONE = re.compile(rf"{_MOMENT}(?! [A-Z])")
_ALONE = re.compile(rf"([A-Za-z]{{2,3}} )?{_MOMENT}( [A-Z][\w/+-]+)?(:.*| [a-z]+ ([A-Za-z]{{2,3}} )?{_MOMENT}:.*)?")
_CODE = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
# What has such a name because people gave it, or because whoever reads it is to type it.
NAMES = {
    "as_text", "as_integer", "as_decimal", "as_boolean", "as_date", "as_datetime", "previous_slot", "cost_centre",
    "is_active", "import_action", "import_status", "import_outcome", "error_code", "error_message", "updated_at",
    "updated_batch_id", "run_local", "restart_run",
}  # fmt: skip
_TYPED = ("a date and time: 2026-01-31T", "een datum met tijd: 2026-01-31T")  # what a delivery may write
_OF_A_THING = re.compile(r"/admin/(\w+)/(\w+)/(\d+)/(?:change|delete|history)/")
# What a page calls its thing, when that is not its name.
CALLED = {"alert": "Customer", "batch": "Batch {key}", "run": "Customer, run", "schedulerlog": "Customer",
          "auditentry": "owner", "retentionpolicy": ""}  # fmt: skip


@pytest.fixture
def world(db, settings, tmp_path) -> World:
    """One of everything, some of it paused, so that pages and messages tell since when and until when."""
    settings.UPLOAD_FOLDER = str(tmp_path / "uploads")
    made, now = World(), clock.now()
    until = now + timedelta(days=1)
    for thing in (*Plan.objects.all(), SchedulerConfiguration.objects.get(pk=made.keys["schedulerconfiguration"])):
        pause(thing, by="ann", reason="Audit", until=until, now=now)
    SchedulerLog.objects.filter(pk=made.keys["schedulerlog"]).update(
        details={"slot": now.isoformat(), "door": "file", "count": 3, "gates": []}
    )
    pause_everything(by="ann", reason="Audit", until=until, now=now)
    return made


def pages(world: World) -> Iterator[tuple[str, str]]:
    """Yield (address, name) of every page; left out is what shows another, or nobody."""
    none = {"logout", "autocomplete", ""}
    for model, its in site._registry.items():
        shown_nowhere = {*getattr(its, "never", ()), *(() if getattr(its, "keeps_versions", False) else ("history",))}
        none |= {f"{model._meta.app_label}_{model._meta.model_name}_{what}" for what in shown_nowhere - {"change"}}
    for pattern, name in addresses():
        if pattern.startswith("/admin/") and name not in none and "(?P" not in pattern:
            yield world.fill(pattern), name
    yield from ((each.format(**world.keys), "") for each in ASKED)


def texts_of(page: str) -> set[str]:
    """Return what is seen or heard of a page."""
    reader = _Texts()
    reader.feed(page)
    return {" ".join(text.split()) for text in reader.found} - known_zones()


def faults(text: str) -> Iterator[str]:
    """Yield what is wrong with a text."""
    if text.startswith(_TYPED):
        return
    yield from (f"{what}: {text}" for what, form in OTHER_FORMS.items() if form.search(text))
    if _SENTENCE_WITHOUT_ZONE.search(text) and not _ALONE.fullmatch(text):
        yield f"no zone in a sentence: {text}"
    if set(_CODE.findall(text)) - NAMES:
        yield f"a name of the code: {text}"


def title_faults(page: str, address: str) -> Iterator[str]:
    """Yield what is wrong with the title in the tab and the one above the page."""
    tab = re.search(r"<title>([^<]*)</title>", page.partition("<body")[0])
    heading = re.search(r"<h1[^>]*>([^<]*)</h1>", page.partition('id="content"')[2])
    if tab is None or heading is None:  # a part of a page
        return
    if heading[1].strip() not in tab[1]:
        yield f"the tab does not say what the page is about: {tab[1]}, {heading[1]}"
    if about := _OF_A_THING.fullmatch(address):
        app, model, key = about.groups()
        thing = apps.get_model(app, model)._base_manager.filter(pk=key).first()
        called = CALLED.get(model, str(thing).partition(" ")[0]).format(key=key)
        if called not in heading[1]:
            yield f"the title does not name {called!r}: {heading[1]}"


def wrong_pages(client, found: list[tuple[str, str]], answered: set[str]) -> dict[str, str]:
    """Return what is wrong on these pages, each with where; note those that answered."""
    wrong: dict[str, str] = {}
    for address, _ in found:
        response = client.get(address)
        if response.status_code == 200 and response.headers.get("Content-Type", "").startswith("text/html"):
            answered.add(address)
            page = response.content.decode()
            told = [*title_faults(page, address), *(each for text in texts_of(page) for each in faults(text))]
            wrong.update((each, address) for each in told if each not in wrong)
    return wrong


def test_every_page_writes_times_switches_and_titles_in_one_way(world):
    """In Dutch, a quick check looks at lists and at what nobody changes: Django writes their values."""
    client, answered = client_for("superuser"), set[str]()
    assert wrong_pages(client, list(pages(world)), answered) == {}
    assert len(answered) > 100
    session = client.session
    session["language"] = "nl"
    session.save()
    again = [(address, name) for address, name in pages(world) if address in answered]
    shown = {f"{one._meta.app_label}_{one._meta.model_name}_change" for one, its in site._registry.items()
             if "change" in getattr(its, "never", ())}  # fmt: skip
    stock = [each for each in again if DEEP or each[1].endswith("_changelist") or each[1] in shown]
    assert wrong_pages(client, stock, set()) == {}


@pytest.mark.parametrize(
    "text",
    ["2026-11-27T18:00:00+00:00", "Nov. 27, 2026, 6 p.m.", "27 november 2026 18:15", "27-11-2026", "2026-11-27 18:15",
     "midnight", "True", "-", "Is enabled", "By is cancelled", "worker_lost", "trigger:new_rows", "Zombie",
     "It waits since 2026-11-27 18:15:00."],
)  # fmt: skip
def test_another_form_is_seen(text):
    assert list(faults(text))


@pytest.mark.parametrize(
    "text",
    ["2026-11-27 18:15:00", "Fri 2026-11-27 18:15:00 Europe/Amsterdam", "Every day at 07:00, UTC", "2026-11-27",
     "It waits since 2026-11-27 18:15:00 UTC.", "Fri 2026-11-27 18:15:00: Customer failed", "Enabled", "none", "yes"],
)  # fmt: skip
def test_our_form_is_let_pass(text):
    assert not list(faults(text))
