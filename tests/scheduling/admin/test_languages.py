"""Promise: no visible word of a page escapes translation: a page is read in a language that marks all it knows."""

import re
import sys
from collections.abc import Callable
from functools import _lru_cache_wrapper
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.utils.translation import override, trans_real

from scheduling import clock
from scheduling.admin.inputs import known_zones
from scheduling.dispatch.cycle import run_cycle
from scheduling.models import PersonalChoices, SchedulerConfiguration, SchedulerLog
from staging.models import Batch, Entity
from tests.house.test_templates import NOT_SHOWN, READ_OUT
from tests.scheduling.admin.addresses import OURS, filled
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.admin.test_every_door import fail_a_step, refused, things  # noqa: F401 (a fixture)
from tests.scheduling.conftest import work_off

pytestmark = pytest.mark.django_db

_MARKED = re.compile("⟦[^⟦⟧]*⟧")
_VOID = {"br", "hr", "img", "input", "link", "meta", "col", "source", "wbr"}
_WORD = re.compile(r"[A-Za-z_.]{2,}")
# What people or programs gave a name, and what is written alike in every language.
DATA = {
    "min", "Staging", "Scheduler", "English", "Nederlands", "UTC", "API", "CSV", "SQL", "JSON",
    "Viewer", "Operator", "Steward", "Administrator", "General", "run", "failed",  # names of groups and rules; "A …"
    "import_action", "cycle.never", "True", "read", "Alerts", "Periods",  # the last two: a page of Django
     "import_status", "is_active", "updated_at", "updated_batch_id", "code", "name", "default",
    "Daily_", "worker", "fired", "Id",  # the last three: codes on pages that Django makes
    "Customer", "customer", "Branch", "branch", "Nightly", "Report", "Daily", "Refresh", "Named", "Holidays", "Night",
    "loader", "owner", "someone", "superuser", "second", "plan", "Plan",
}  # fmt: skip


class _Marked:
    """A language in which each text has marks around it."""

    def gettext(self, text: str) -> str:
        return f"⟦{text}⟧" if text.strip() else text

    def ngettext(self, one: str, many: str, number: int) -> str:
        return self.gettext(one if number == 1 else many)

    def language(self) -> str:
        return "nl"

    to_language = language


class _Texts(HTMLParser):
    """Collects what is seen or heard of a page; code is code, and what says that it is English may be."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []  # tags, and whether what they hold is passed over

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if self._is_silent():
            self._enter(tag, True)
            return
        shown = READ_OUT | ({"value"} if given.get("type") in ("submit", "button") else set())
        self.found += [str(given[name]) for name in shown & given.keys()]
        self._enter(tag, tag in (*NOT_SHOWN, "code", "pre", "textarea") or given.get("lang") == "en")

    def handle_endtag(self, tag: str) -> None:
        while any(tag == each for each, _ in self._open) and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not self._is_silent():
            self.found.append(data)

    def _enter(self, tag: str, is_silent: bool) -> None:
        if tag not in _VOID:
            self._open.append((tag, is_silent))

    def _is_silent(self) -> bool:
        return bool(self._open) and self._open[-1][1]


@pytest.fixture
def marked(monkeypatch):
    """Dutch is, for a test, the language with the marks."""
    real = trans_real.translation
    monkeypatch.setattr(trans_real, "translation", lambda language: _Marked() if language == "nl" else real(language))
    _forget_words()
    yield
    _forget_words()


def _forget_words():
    """Let whatever keeps what it said once, by the name of a language, say it anew."""
    ours = [module for name, module in sys.modules.items() if name.startswith(("scheduling", "staging"))]
    for kept in (each for module in ours for each in vars(module).values()):
        if isinstance(kept, _lru_cache_wrapper):
            kept.cache_clear()


def escaped(page: str) -> set[str]:
    """Return the texts of a page that hold a word outside the marks which is no data."""
    while _MARKED.search(page):  # a sentence stands in a sentence
        page = _MARKED.sub(" ", page)
    reader = _Texts()
    reader.feed(page)
    texts = {" ".join(text.split()) for text in reader.found}
    return {text for text in texts if set(_WORD.findall(text)) - DATA and text.split(" ")[0] not in known_zones()}


def test_no_word_of_any_page_escapes_translation(marked, things):  # noqa: F811 (the fixture)
    fail_a_step()
    client = _dutch("superuser")
    wrong: dict[str, str] = {}
    for pattern, name in OURS:
        if not name:
            continue
        response = client.get(filled(pattern, things), {"task": 777})
        if not refused(response) and response.status_code == 200 and "html" in response.headers["Content-Type"]:
            wrong.update(dict.fromkeys(escaped(response.content.decode()) - wrong.keys(), name))
    assert PersonalChoices.objects.count() == 0
    assert wrong == {}


def _dutch(role: str) -> Client:
    client = client_for(role)
    client.get("/admin/")
    session = client.session
    session["language"] = "nl"
    session.save()
    return client


def _with_trigger(make_entity: Callable[..., SchedulerConfiguration], deposit: Callable[..., object]) -> Batch:
    """Return a batch that rows started and that is held: what was logged of both is the site's."""
    configuration = make_entity()
    Entity.objects.update(review="hold")
    SchedulerConfiguration.objects.update(processing_mode="triggered", trigger_row_threshold=2, is_enabled=True)
    deposit(rows=2)
    deposit(rows=1, staff="many", prefix="bad")
    run_cycle(clock.now())
    work_off(clock.now())
    return Batch.objects.get(entity=configuration.entity)


def test_no_word_of_a_held_batch_and_of_why_it_started_escapes(marked, make_entity, deposit):
    with override("en"):
        batch = _with_trigger(make_entity, deposit)
    client, held = (
        _dutch("superuser"),
        f"/admin/scheduling/schedulerconfiguration/{batch.entity.configuration.pk}/held/",
    )
    fired = SchedulerLog.objects.get(event_type="fired")
    asked = {"batch": batch.pk}
    places = {
        "held": (held, {}), "one": (held, asked), "batch": (f"/admin/staging/batch/{batch.pk}/change/", {}),
        "batches": ("/admin/staging/batch/", {}), "runs": ("/admin/scheduling/run/", {}),
        "run": (f"/admin/scheduling/run/{fired.run_id}/change/", {}), "log": ("/admin/scheduling/schedulerlog/", {}),
        "event": (f"/admin/scheduling/schedulerlog/{fired.pk}/change/", {}),
        "members": (f"/admin/staging/entity/{batch.entity_id}/members/", {}),
    }  # fmt: skip
    pages = {name: client.get(address, params) for name, (address, params) in places.items()}
    pages["changes"] = client.post(held, asked, follow=True)
    pages["rejected"] = client.get(held, {**asked, "outcome": "rejected"})
    for verb in ("approve", "send_back", "discard"):
        pages[verb] = client.post(held.replace("/held/", "/decide/"), {**asked, "verb": verb, "scope": "all"})
    assert {name: page.status_code for name, page in pages.items()} == dict.fromkeys(pages, 200)
    wrong = {text: name for name, page in pages.items() for text in escaped(page.content.decode())}
    names = {"bad0", "scheduler", "staff", "test"}  # of a member, of who started it, of an attribute, of a worker
    # What stands in staged rows is in the language of their entity.
    assert {text: name for text, name in wrong.items() if text not in names and "whole number" not in text} == {}
