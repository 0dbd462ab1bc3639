"""Promises of the search: finds each kind, by name, code and number; names nothing that a person may not see."""

import re
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scheduling import clock
from scheduling.admin.search.asked import read_wanted
from scheduling.models import Job, Plan, Run
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_batch_now
from staging.members.find import members_by_code
from staging.models import Batch
from staging.sql.dialect import dialect
from tests.scheduling.admin.conftest import client_for, client_of, make_configuration, make_limited
from tests.scheduling.plans.conftest import step
from tests.staging.tables.test_rejected import forget_plans

pytestmark = pytest.mark.django_db
SEARCH = "admin:scheduling_schedulerconfiguration_search"
OPTIONS = "admin:scheduling_schedulerconfiguration_search_options"


def add_members(code: str, *codes: str) -> None:
    with connection.cursor() as cursor:
        for each in codes:
            cursor.execute(f"INSERT INTO mdm_{code} (code, name) VALUES (%s, %s)", [each, f"Name of {each}"])


def search(client, text: str) -> str:
    page = client.get(reverse(SEARCH), {"q": text})
    assert page.status_code == 200
    return page.content.decode().partition('id="content-main"')[2]


def options(client, text: str) -> list[str]:
    """The names and addresses of the options that the box shows."""
    answer = client.get(reverse(OPTIONS), {"q": text})
    assert answer.status_code == 200 and "no-store" in answer["Cache-Control"]
    return re.findall(r'data-url="([^"]*)"', answer.content.decode())


@pytest.fixture
def world():
    """Two entities with members, a plan, a job and a run."""
    customer, branch = make_configuration("customer"), make_configuration("branch")
    add_members("customer", "NL-0001", "NL-0002", "BE-7")
    add_members("branch", "NL-0003")
    plan = save_plan(PlanDraft(Plan(name="Nightly customers"), {}, [step(customer.entity)]), now=clock.now())
    job = Job.objects.create(name="Report", path="shop.jobs.report", source="shop/jobs.py:1")
    started = start_batch_now(branch, started_by="someone", now=clock.now())
    return {
        "customer": customer,
        "branch": branch,
        "plan": plan,
        "job": job,
        "run": started.run,
        "batch": started.batch,
    }


def url(name: str, *args: object) -> str:
    return reverse(f"admin:{name}", args=args)


def test_each_kind_is_found_by_its_name_in_upper_or_lower_case(viewer, world):
    assert url("staging_entity_change", world["customer"].entity_id) in search(viewer, "CUSTO")
    assert url("scheduling_schedulerconfiguration_change", world["customer"].pk) in search(viewer, "customer")
    assert url("scheduling_plan_change", world["plan"].pk) in search(viewer, "nightly")
    assert url("scheduling_job_change", world["job"].pk) in search(viewer, "rep")
    assert url("scheduling_schedulerlog_changelist") in search(viewer, "scheduler log")


@pytest.mark.parametrize("text", ["{0}", "#{0}", "run {0}", "RUN #{0}"])
def test_a_run_is_found_by_its_number(viewer, world, text):
    assert url("scheduling_run_change", world["run"].pk) in options(viewer, text.format(world["run"].pk))


def test_a_batch_is_found_by_its_number_and_the_kind_that_is_named_alone(viewer, world):
    found = options(viewer, f"batch {world['batch'].pk}")
    assert url("staging_batch_change", world["batch"].pk) in found
    assert not [each for each in found if "/run/" in each]


def test_what_completed_with_warnings_says_so(viewer, world):
    Batch.objects.filter(pk=world["batch"].pk).update(status="completed", rejected=1, finished_at=clock.now())
    Run.objects.filter(pk=world["run"].pk).update(
        status="completed", warnings=1, title="Report", started_at=clock.now(), finished_at=clock.now()
    )

    for text in (f"run {world['run'].pk}", f"batch {world['batch'].pk}"):
        assert search(viewer, text).count(", completed with warnings") == 1
    Run.objects.filter(pk=world["run"].pk).update(kind="job", entity=None)
    assert "Report, completed with warnings" in search(viewer, "report")


def test_members_are_found_by_their_code_and_by_how_it_begins(viewer, world):
    page = search(viewer, "nl-0")
    assert page.count("NL-000") >= 3 and "of Customer" in page and "of Branch" in page
    assert "BE-7" in search(viewer, "be-7") and "Name of BE-7 of Customer" in search(viewer, "BE-7")
    assert "BE-7" not in search(viewer, "BE"), "too short for a beginning"
    assert "NL-0001" not in search(viewer, "L-0001"), "not a beginning"


def test_a_broken_table_hides_nothing_of_the_others(viewer, world):
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE mdm_branch")
    page = search(viewer, "NL-00")
    assert "NL-0001" in page and "NL-0003" not in page


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "'", '"', "%", "%%s", "<script>", "9" * 30, "run", "run x", "²", "a" * 5000]
)
def test_any_text_is_answered(viewer, world, text):
    assert "<script>" not in search(viewer, text)
    options(viewer, text)


def test_nothing_found_is_said(viewer, world):
    assert "Nothing that you may open is called “zzz”" in search(viewer, "zzz")


def test_a_person_limited_to_an_entity_finds_nothing_of_another(world):
    limited = client_of(make_limited("Steward", "customer"))
    assert url("scheduling_plan_change", world["plan"].pk) in options(limited, "nightly")
    for text in ("branch", "NL-0003", str(world["run"].pk), f"batch {world['batch'].pk}", "report"):
        page = search(limited, text).replace(f"“{text}”", "").replace(f'value="{text}"', "")
        assert "ranch" not in page and "NL-0003" not in page and "eport" not in page, text
    assert "NL-0001" in search(limited, "NL-000")


def test_who_may_not_see_rows_finds_no_members(world):
    user = User.objects.create_user("clerk", password="secret", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_schedulerconfiguration"))
    page = search(client_of(user), "NL-0001")
    assert "of Customer" not in page


@pytest.mark.parametrize("role", ["Viewer", "Administrator"])
def test_every_page_that_is_found_opens(role, world):
    client, found = client_for(role), set()
    for letter in "ae":
        answer = client.get(reverse(SEARCH), {"q": letter}).content.decode().partition('id="found-page"')[2]
        found |= set(re.findall(r'<li><a href="([^"]*)"', answer))
    assert len(found) > 10
    assert {each: status for each in found if (status := client.get(each).status_code) not in (200, 302)} == {}


def test_a_search_takes_few_statements_and_reads_codes_through_the_index(viewer, world):
    for number in range(8):
        make_configuration(f"many_{number}")
    viewer.get(reverse(SEARCH), {"q": "NL-0001"})
    with CaptureQueriesContext(
        connection,
    ) as asked:
        viewer.get(reverse(SEARCH), {"q": "NL-0001"})
    statements = [each["sql"] for each in asked if "SAVEPOINT" not in each["sql"]]
    assert len(statements) <= 10, statements
    members = next(each for each in statements if "mdm_many_7" in each or each.startswith("EXECUTE"))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")  # tables of three rows would be read at once
        cursor.execute(f"{'EXPLAIN' if connection.vendor == 'postgresql' else 'EXPLAIN QUERY PLAN'} {members}")
        plan = "\n".join(str(row[-1]) for row in cursor.fetchall())
    assert "Seq Scan" not in plan and "SCAN p" not in plan and "Sort" not in plan, plan


def test_the_box_stands_on_every_page_for_those_who_find_something(viewer, world):
    page = viewer.get(reverse("admin:index")).content.decode()
    assert f'action="{reverse(SEARCH)}"' in page
    assert f'action="{reverse(SEARCH)}"' not in client_for("nobody").get(reverse("admin:index")).content.decode()


@pytest.mark.pure
@pytest.mark.parametrize(
    ("text", "number", "of"),
    [
        ("17", 17, ""),
        ("#17", 17, ""),
        ("run 17", 17, "run"),
        ("Batch  #17", 17, "batch"),
        ("plan 17", None, ""),
        ("1a", None, ""),
    ],
)
def test_numbers_are_read(text, number, of):
    wanted = read_wanted(text)
    assert (wanted.number, wanted.of) == (number, of)


def test_hundreds_of_entities_are_asked_in_parts(world, monkeypatch):
    monkeypatch.setattr(type(dialect()), "tables_at_once", 1)
    entities = [world["customer"].entity, world["branch"].entity]
    assert [each.code for each in members_by_code(entities, "nl-00")] == ["NL-0001", "NL-0002", "NL-0003"]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps no plans")
def test_members_are_found_where_a_pooler_hands_sessions_around(world):
    forget_plans()
    entities = [world["customer"].entity, world["branch"].entity]
    for after in ("DEALLOCATE ALL", "SELECT 1", "DEALLOCATE ALL", "SELECT 1"):
        with connection.cursor() as cursor:
            cursor.execute(after)
        assert [each.code for each in members_by_code(entities, "nl-00")] == ["NL-0001", "NL-0002", "NL-0003"]
        assert [each.code for each in members_by_code(entities, "be-7%s")] == []
    forget_plans()


def ordered(title: str, number: int = 1) -> list[Run]:
    """Return ended runs of ordered work under this title."""
    now, made = clock.now(), []
    for _ in range(number):
        key = f"ordered:{title}:{Run.objects.count()}"
        made.append(Run.objects.create(kind="ordered", title=title, status="completed", fire_key=key, created_at=now,
                                       finished_at=now))  # fmt: skip
    return made


def test_runs_are_found_by_how_their_title_begins_the_newest_first(viewer, world):
    monthly, once = ordered("Month end", 7), ordered("Month of 2019")[0]
    found = options(viewer, "month ")
    assert found == [url("scheduling_run_change", run.pk) for run in [once, *reversed(monthly[3:])]]
    assert "Month of 2019, completed" in search(viewer, "MONTH OF")
    assert options(viewer, "onth") == [], "not a beginning"


def test_a_run_of_a_plan_is_found_by_the_name_of_the_plan(viewer, world):
    (run,) = ordered("Plan Nightly customers")
    assert url("scheduling_run_change", run.pk) in options(viewer, "nightly")


def test_a_run_that_is_found_by_its_number_is_there_once(viewer, world):
    number = Run.objects.latest("pk").pk + 1
    (run,) = ordered(f"{number} orders")
    assert run.pk == number and options(viewer, str(number)).count(url("scheduling_run_change", number)) == 1


def test_runs_of_titles_are_nothing_for_who_is_limited_to_an_entity(world):
    ordered("Month end")
    assert options(client_of(make_limited("Steward", "customer")), "month") == []


@pytest.mark.postgresql
def test_a_title_is_looked_up_in_indexes_that_were_made_beside_a_working_system():
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'scheduling_run'")
        made = dict(cursor.fetchall())
    assert "entity_id IS NULL" in made["run_by_title"] and "text_pattern_ops" in made["run_by_beginning"]
    executor = MigrationExecutor(connection)
    assert not executor.loader.get_migration("scheduling", "0047_run_by_title").atomic


@pytest.mark.django_db(transaction=True)
def test_an_index_that_a_break_left_behind_is_made_anew():
    migration = import_module("scheduling.migrations.0047_run_by_title").Migration
    state = SimpleNamespace(apps=apps)
    with connection.schema_editor(atomic=migration.atomic) as editor:
        migration.operations[0].database_forwards("scheduling", editor, state, state)
    with connection.cursor() as cursor:
        made = connection.introspection.get_constraints(cursor, Run._meta.db_table)
    assert made["run_by_title"]["columns"] == ["title", "id"]
