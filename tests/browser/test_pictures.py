"""Promise: `docs/images/pages` has a picture of every page, small, and of no page that is gone.

`make pictures` writes them afresh; a quick check starts no browser, and looks at what is there.
"""

from collections.abc import Iterator

import pytest
from django.apps import apps

from scheduling.models import Heartbeat
from tests.browser.conftest import Person
from tests.browser.pictured_world import drop_the_world, give_signs_of_life, make_the_world
from tests.browser.pictures import AS_SEEN, FOLDER, MOST_BYTES, MOST_TOGETHER, are_renewed, picture
from tests.scheduling.admin.addresses import OURS, SCHEDULING, filled
from tests.scheduling.admin.test_every_door import door

# What is to be asked besides, so that there is something to see.
ASKED = {
    "scheduling_schedulerconfiguration_search": "?q=customer",
    "scheduling_schedulerconfiguration_help": "?page=plans",
    "scheduling_schedulerconfiguration_undo": "?batch={batch}",
    "scheduling_schedulerconfiguration_held": "?batch={held}",
    "staging_businessrule_add": "?entity={entity}",
    "staging_rows_replace": "?bit=8",
    "staging_rows_retry": "?bit=8&row={row}",
}
# Not looked at: a file, a part of a page, what leads on, what is only reached through a step before, what nobody may.
NO_PAGE = {
    "scheduling_run_fragment", "scheduling_run_of_task", "scheduling_run_retry", "scheduling_run_release",
    "scheduling_run_step", "scheduling_run_compare", "scheduling_schedulerconfiguration_unsent",
    "scheduling_retentionpolicy_changelist", "scheduling_schedulerconfiguration_home",
    "scheduling_schedulerconfiguration_search_options",
    "staging_auditentry_export", "staging_rows_export", "staging_members_export", "staging_rows_upload_check",
    "staging_version_add", "staging_version_delete", "staging_version_history",
    "staging_auditentry_add", "staging_auditentry_delete", "staging_batch_add", "staging_batch_delete",
    "staging_apitoken_delete",
}  # fmt: skip


def wanted() -> set[str]:
    """Return the names of the addresses that have a picture: those that an administrator may open."""
    opened = {name for _, name in OURS if name.startswith("staging_")}
    opened |= {name for _, name in SCHEDULING if "superuser" in door(name)[0]}
    return opened - NO_PAGE | {"home"}


@pytest.fixture
def world(request: pytest.FixtureRequest, settings, tmp_path) -> Iterator[dict[str, int]]:
    """The world that the pictures show; its tables go afterwards."""
    settings.DEMO_PASSWORD, settings.UPLOAD_FOLDER = "secret", str(tmp_path)
    yield make_the_world()
    drop_the_world()


@pytest.mark.skipif(not are_renewed(), reason="only when the pictures are written afresh")
@pytest.mark.parametrize("person", [AS_SEEN], ids=["as seen"], indirect=True)
def test_the_pictures_are_written(person: Person, world: dict[str, int]):
    person.log_in("admin")
    for kept in (FOLDER / "pages").glob("*.png"):
        kept.unlink()
    ours = [each for each in apps.get_models() if each._meta.app_label in ("staging", "scheduling")]
    first = {each._meta.model_name: each._default_manager.values_list("pk", flat=True).first() for each in ours}
    things = first | world
    give_signs_of_life()
    person.visit("")
    picture(person.page, "pages/home.png")
    for pattern, name in OURS:
        if name in wanted():
            give_signs_of_life()
            things["heartbeat"] = Heartbeat.objects.values_list("pk", flat=True)[0]
            person.visit((filled(pattern, things) + ASKED.get(name, "").format(**things)).removeprefix("/admin/"))
            is_gone = person.page.locator(".messagelist", has_text="Perhaps it was deleted").count()
            assert person.page.locator("#content").count() and not is_gone, f"{name} is empty: say what to ask in ASKED"
            picture(person.page, f"pages/{name}.png")


def test_every_page_has_a_small_picture_and_no_other_has():
    pictures = {path.stem: path.stat().st_size for path in (FOLDER / "pages").glob("*.png")}
    assert set(pictures) == wanted(), "make pictures"
    every = {path.name: path.stat().st_size for path in FOLDER.rglob("*.png")}
    assert {name: size for name, size in every.items() if size > MOST_BYTES} == {}
    assert sum(every.values()) <= MOST_TOGETHER
