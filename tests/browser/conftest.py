"""A real browser against a real server: what a person sees, clicks and reads."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import Group, User
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from scheduling.roles import sync_roles
from tests.conftest import chromium

# Playwright's loop runs in this thread, so Django takes plain database calls of the tests for asynchronous ones.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

PASSWORD = "a-long-test-password"
VIEWS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1440, "height": 900}},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}},
}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window, once for all tests."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        yield playwright.chromium.launch(executable_path=chromium(), args=arguments)


@pytest.fixture
def open_page(browser: Browser, live_server: Any) -> Iterator[Callable[..., Page]]:
    """Return a factory: a page signed in as somebody of this group; at the end no page may have logged an error."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def sign_in(role: str, view: str = "light", **options: Any) -> Page:
        sync_roles()
        user, _ = User.objects.get_or_create(username=role.lower(), defaults={"is_staff": True})
        user.set_password(PASSWORD)
        user.save()
        user.groups.set([Group.objects.get(name=role)])
        context = browser.new_context(base_url=live_server.url, **VIEWS[view], **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto("/admin/login/?next=/admin/")
        page.fill("#id_username", user.username)
        page.fill("#id_password", PASSWORD)
        page.click("[type=submit]")
        return page

    yield sign_in
    for context in contexts:
        context.close()
    # A browser asks for an icon that we do not have; axe injects styles that our policy rightly stops.
    real = [text for text in problems if "404" not in text and "Applying inline style" not in text]
    assert real == []


@pytest.fixture
def serious() -> Callable[[Page], list[str]]:
    """Return a function that names what axe finds serious or critical on a page."""

    def check(page: Page) -> list[str]:
        found = Axe().run(page).response["violations"]
        return [f"{v['id']}: {v['nodes'][0]['html']}" for v in found if v["impact"] in ("serious", "critical")]

    return check
