"""Promise: the tour can be followed to the letter: a browser does what its lines say, and sees what they say."""

import re
from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from playwright.sync_api import Locator, Page, expect

from scheduling import clock
from scheduling.management.demo.accounts import make_accounts
from scheduling.models import Heartbeat, Task
from scheduling.runs.execute import execute_task
from tests.browser.conftest import Person
from tests.browser.pictures import AS_SEEN, FOLDER, picture

TOUR = (FOLDER.parent / "tour.md").read_text(encoding="utf-8")
LINE = re.compile(r"^(?:\d+\. (?P<words>.+)|!\[(?P<about>.+)\]\(images/(?P<picture>.+)\))$", re.MULTILINE)
BLOCK = re.compile(r"\s*```\n(.*?)```", re.DOTALL)
ROUNDS = 5


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def link(page: Page, name: str) -> Locator:
    """Return a link of the page itself, else one around it; what only screen readers are told may follow its words."""
    wanted = re.compile(rf"^{re.escape(name)}( row \d+)?$")
    inside = page.locator("#content").get_by_role("link", name=wanted)
    return (inside if inside.count() else page.get_by_role("link", name=wanted)).first


def number(page: Page, beside: str) -> Locator:
    """Return the first link in the card, or in the row of a table, that says so."""
    return page.locator("#content section, #content tbody tr").filter(has_text=beside).first.get_by_role("link").first


def field(page: Page, label: str) -> Locator:
    return page.get_by_label(re.compile(rf"^{re.escape(label)}:?$")).first


def work_off() -> None:
    """Do what waits, as the workers of a real installation do."""
    for _ in range(ROUNDS):
        for task in Task.objects.filter(status="queued"):
            execute_task(task.pk, worker="worker")


def sees(page: Page, words: str) -> None:
    expect(page.locator("#container")).to_contain_text(words)


def waits(page: Page, words: str) -> None:
    work_off()
    expect(page.locator("#container")).to_contain_text(words, timeout=15_000)


def brings(page: Page, label: str, name: str, lines: str) -> None:
    file = {"name": name, "mimeType": "text/csv", "buffer": lines.encode()}
    field(page, label).set_input_files([file])


# What a line says -> what is done; the lines of a block below it come last.
VERBS: dict[str, Callable[..., object]] = {
    r"Open `(.+)` at the address that it printed\.": lambda page, path, _: page.goto(path),
    r"Follow \*\*(.+)\*\*\.": lambda page, name, _: link(page, name).click(),
    r"Follow the number at \*\*(.+)\*\*.*\.": lambda page, beside, _: number(page, beside).click(),
    r"Unfold \*\*(.+)\*\*\.": lambda page, name, _: page.locator("summary", has_text=name).click(),
    r"Press \*\*(.+)\*\*\.": lambda page, name, _: button(page, name).click(),
    r"Write `(.+)` into \*\*(.+)\*\*\.": lambda page, value, label, _: field(page, label).fill(value),
    r"Write the password into \*\*(.+)\*\*\.": lambda page, label, _: field(page, label).fill("secret"),
    r"Write these lines into \*\*(.+)\*\*\.": lambda page, label, lines: field(page, label).fill(lines),
    r"Choose as \*\*(.+)\*\* one with these lines, `(.+)`\..*": brings,
    r"Tick \*\*(.+)\*\*\.": lambda page, label, _: field(page, label).check(),
    r"See “(.+)”\.?": lambda page, words, _: sees(page, words),
    r"Miss “(.+)”\.?": lambda page, words, _: expect(page.locator("#content")).not_to_contain_text(words),
    r"Wait for “(.+)”\.": lambda page, words, _: waits(page, words),
}


def follow(page: Page, words: str, rest: str) -> None:
    """Do what one line says; one that nobody understands is a fault of the tour."""
    block = BLOCK.match(rest)
    lines = re.sub(r"^   ", "", block[1], flags=re.MULTILINE) if block else ""
    for pattern, verb in VERBS.items():
        if found := re.fullmatch(pattern, words):
            verb(page, *found.groups(), lines)
            page.wait_for_load_state()
            return
    raise AssertionError(f"Nobody knows how to do this: {words}")


@pytest.fixture
def newcomer(person: Person, settings, tmp_path) -> Iterator[Person]:
    """Somebody at the sign-in of an empty installation; what the tour makes goes afterwards."""
    settings.DEMO_PASSWORD, settings.UPLOAD_FOLDER = "secret", str(tmp_path)
    make_accounts()
    Heartbeat.note(Heartbeat.DISPATCHER, "dispatcher", clock.now())  # as `make run` has one
    yield person
    with connection.cursor() as cursor:
        for prefix in ("stg", "mdm", "hst"):
            cursor.execute(f"DROP TABLE IF EXISTS {prefix}_supplier")


@pytest.mark.parametrize("person", [AS_SEEN], ids=["as seen"], indirect=True)
def test_the_tour_leads_where_it_says(newcomer, live_server):
    page, at = newcomer.page, ""
    page.set_default_timeout(10_000)
    for line in LINE.finditer(TOUR):
        if line["picture"]:
            picture(page, line["picture"])
            continue
        words = line["words"].replace("`/admin/`", f"`{live_server.url}/admin/`")
        try:
            follow(page, words, TOUR[line.end() :])
        except Exception as error:
            raise AssertionError(f"{at!r}, then {words!r}: {error}") from error
        at = words
    assert newcomer.complaints == []
