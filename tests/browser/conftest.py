"""A real Chromium against a live server: people of the roles, and an eye on the console and on accessibility."""

import os
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from scheduling.housekeeping.roles import sync_roles
from scheduling.models import SchedulerConfiguration
from staging.models import Entity
from staging.tables.create import create_tables
from tests.conftest import chromium as chromium_path
from tests.scheduling.admin.conftest import make_user


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything here: it needs a browser, and a database that the live server also sees."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """One browser for the tests in here. Its event loop lives in this thread, where Django also uses the database.

    It ends with them: while such a loop runs, no other test could start one of its own.
    """
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        yield playwright.chromium.launch(executable_path=chromium_path(), args=arguments)
    os.environ.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)


@pytest.fixture(scope="package", autouse=True)
def patient() -> Iterator[None]:
    """What is clicked or pressed waits until the page that it leads to is whole.

    Playwright waits until that page begins, with nothing in it yet, and what counts or looks at once, sees that.
    """
    with pytest.MonkeyPatch.context() as patch:
        for of, name in ((Page, "click"), (Page, "press"), (Locator, "click"), (Locator, "press")):
            patch.setattr(of, name, _patiently(getattr(of, name)))
        yield


def _patiently(act: Callable[..., None]) -> Callable[..., None]:
    @wraps(act)
    def act_and_wait(on: Page | Locator, *args: Any, **options: Any) -> None:
        act(on, *args, **options)
        page = on if isinstance(on, Page) else on.page
        if not page.is_closed():
            page.wait_for_load_state()

    return act_and_wait


class Person:
    """Somebody at a browser; `complaints` collects what its console says."""

    def __init__(self, page: Page, base: str):
        self.page, self.base, self.complaints = page, base, list[str]()
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def visit(self, path: str) -> None:
        """Open a page of the admin."""
        self.page.goto(f"{self.base}/admin/{path}")

    def log_in(self, name: str) -> None:
        """Log in through the form, as people do."""
        self.visit("login/")
        self.page.fill("#id_username", name)
        self.page.fill("#id_password", "secret")
        self.page.click("input[type=submit]")
        self.page.wait_for_selector("#user-tools")


@pytest.fixture
def person(chromium, live_server, request) -> Iterator[Person]:
    """A person who has not logged in; `@pytest.mark.parametrize("person", [{…}], indirect=True)` sets the browser."""
    sync_roles()  # the flush after a transactional test also takes the groups
    context = chromium.new_context(**getattr(request, "param", {}))
    yield Person(context.new_page(), live_server.url)
    context.close()


@pytest.fixture
def steward(person) -> Person:
    """A steward, logged in."""
    make_user("Steward")
    person.log_in("steward")
    return person


@pytest.fixture
def customer() -> Iterator[SchedulerConfiguration]:
    """The configuration of an entity with three rows waiting; its tables go afterwards."""
    entity = Entity.objects.create(code="customer", name="Customer")
    create_tables(entity)
    with connection.cursor() as cursor:
        for code in ("A", "B", None):
            cursor.execute("INSERT INTO stg_customer (code, name) VALUES (%s, %s)", [code, "x"])
    yield SchedulerConfiguration.objects.get(entity=entity)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE stg_customer")
        cursor.execute("DROP TABLE mdm_customer")
