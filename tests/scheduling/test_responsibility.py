"""Promise: an entity, a plan, a job may have an owner: shown, kept by every door, and what *mine* on lists asks for."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, connection, transaction
from django.urls import reverse, reverse_lazy

from scheduling import clock
from scheduling.errors import InvalidSchedule
from scheduling.formatters import linked
from scheduling.jobs.edit import edit_job
from scheduling.lifecycle import events
from scheduling.model_files.dump import dump
from scheduling.model_files.load import load
from scheduling.models import Alert, Job, JobSchedule, Plan, Queue, Run, SchedulerConfiguration
from scheduling.schedules.change import apply_schedule
from scheduling.schedules.responsibility import owners_of
from scheduling.states import EventType
from scheduling.subjects.all import ALL
from staging import tokens
from staging.errors import CannotGoBack, InvalidDefinition
from staging.models import Batch, BusinessRule, Entity, RuleLine, Version
from staging.versions.subjects import subject_of
from tests.scheduling.admin.conftest import client_of, failure_rule, make_configuration, make_user

pytestmark = pytest.mark.django_db
MORE = "See https://wiki.example.com/x"
DAILY = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "06:00", "is_enabled": True}
FORECAST = reverse_lazy("admin:scheduling_schedulerconfiguration_forecast")


@pytest.fixture
def anna() -> User:
    """An administrator who is in a group of her own."""
    person = make_user("Administrator")
    person.groups.add(Group.objects.create(name="Data office"))
    return person


@pytest.fixture
def things(anna: User) -> None:
    """An entity of hers, a plan of her group, a job of hers; and one of each that is nobody's."""
    now, office = clock.now(), Group.objects.get(name="Data office")
    for name, owner, group in (("own", anna, office), ("other", None, None)):
        entity = make_configuration(name).entity
        entity.owner, entity.description = owner, MORE
        entity.save()
        plan = Plan.objects.create(name=f"Plan {name}", owner_group=group, description=MORE)
        job = Job.objects.create(name=f"Job {name}", path=f"{name}.b", source="a.py:1", owner=owner, description=MORE)
        JobSchedule.objects.create(job=job, name=f"Schedule {name}")
        rule = BusinessRule.objects.create(entity=entity, name=f"Rule {name}")
        RuleLine.objects.create(rule=rule, attribute="name", comparison="not_empty")
        Batch.objects.create(entity=entity, status="held", created_at=now)
        for kind, title in (("plan", plan.run_title), ("job", job.name)):
            Run.objects.create(kind=kind, title=title, fire_key=title, created_at=now)
        events.record(EventType.FIRED, now=now, plan_id=plan.pk, message=f"Told of {name}")
        Alert.objects.create(rule=failure_rule(), subject=f"plan:{plan.pk}", said={"say": f"Wrong is {name}"},
                             opened_at=now, leads_to=f"plan:{plan.pk}")  # fmt: skip


@pytest.mark.parametrize(
    ("address", "own", "other"),
    [
        ("staging_entity_changelist", "Own", "Other"),
        ("staging_businessrule_changelist", "Rule own", "Rule other"),
        ("scheduling_schedulerconfiguration_changelist", "Own", "Other"),
        ("scheduling_plan_changelist", "Plan own", "Plan other"),
        ("scheduling_job_changelist", "Job own", "Job other"),
        ("scheduling_jobschedule_changelist", "Schedule own", "Schedule other"),
        ("scheduling_run_changelist", ">Job own", ">Job other"),
        ("scheduling_schedulerlog_changelist", "Told of own", "Told of other"),
        ("scheduling_alert_changelist", "Wrong is own", "Wrong is other"),
    ],
)
def test_mine_filters_each_list(things, anna, address, own, other):
    client = client_of(anna)
    everything = _rows(client.get(reverse(f"admin:{address}")).content.decode())
    mine = _rows(client.get(reverse(f"admin:{address}"), {"mine": "yes"}).content.decode())
    assert own in everything and other in everything
    assert own in mine and other not in mine


@pytest.mark.django_db(transaction=True)
def test_mine_filters_the_changes_of_all_that_has_an_owner(anna):
    for code in ("own", "other"):
        entity = make_configuration(code).entity
        entity.owner = anna if code == "own" else None
        entity.save()
        BusinessRule.objects.create(entity=entity, name=f"Rule {code}")
        apply_schedule(entity.configuration, DAILY, now=clock.now())
        Plan.objects.create(name=f"Plan {code}", owner=entity.owner)
        job = Job.objects.create(name=f"Job {code}", path=f"{code}.b", source="a.py:1", owner=entity.owner)
        JobSchedule.objects.create(job=job, name=f"Schedule {code}")
    Queue.objects.create(name="nobody's")
    client, page = client_of(anna), reverse("admin:staging_version_changelist")
    everything = {name for name, _ in _things(client.get(page))}
    assert {"Own", "Other", "nobody's"} <= everything
    mine = _things(client.get(page, {"mine": "yes"}))
    assert {name for name, _ in mine} == {"Own", "Rule own", "Plan own", "Job own", "Job own: Schedule own"}
    assert {kind for _, kind in mine} == {each.key for each in ALL if each.owned is not None}
    assert _things(client.get(page, {"mine": "no"})) == _things(client.get(page))


def _things(response) -> set[tuple[str, str]]:
    """Return the name and the kind of what the page of all changes lists."""
    return {(version.name, version.subject_type) for version in response.context["cl"].result_list}


def test_mine_narrows_the_forecast_and_that_of_the_api(things, anna, client):
    """The load of the queues and the quiet times are those of all: who is alone in them is no matter of owners."""
    now, hourly = clock.now(), {"schedule_type": "interval", "interval_minutes": 60, "is_enabled": True}
    SchedulerConfiguration.objects.update(processing_mode="scheduled", next_scheduled_run=now, **hourly)
    Plan.objects.update(next_scheduled_run=now, **hourly)
    JobSchedule.objects.update(next_scheduled_run=now, **hourly)
    everything = {"own", "other", "plan Plan own", "plan Plan other", "job Job own", "job Job other"}
    own = {what for what in everything if what.endswith("own")}
    page, mine = (client_of(anna).get(FORECAST, query).context["found"] for query in ({}, {"mine": "yes"}))
    assert {fire.what for fire in page.fires} == everything and {fire.what for fire in mine.fires} == own
    peaks = {tuple(load.peak for load in one.load) for one in (page, mine)}
    assert len(peaks) == 1 and 'name="mine"' in client_of(anna).get(FORECAST).content.decode()
    _, secret = tokens.issue(anna, name="hers", scopes=["read"], entities=None, by="anna")
    asked = [
        client.get(f"/api/v1/forecast{query}", headers={"Authorization": f"Bearer {secret}"}).json()
        for query in ("", "?mine=0", "?mine=1")
    ]
    assert [{fire["what"] for fire in one["fires"]} for one in asked] == [everything, everything, own]
    assert {tuple(load["peak"] for load in one["load"]) for one in asked} == peaks


def _rows(page: str) -> str:
    """Return the tables of a page, where its filters name everything there is."""
    return "".join(part.partition("</tbody>")[0] for part in page.split("<tbody")[1:])


def test_mine_filters_the_lists_behind_the_cards_of_the_start_page(things, anna):
    long_ago = clock.now() - timedelta(days=1)
    due = {"is_enabled": True, "schedule_type": "interval", "interval_minutes": 60, "next_scheduled_run": long_ago}
    SchedulerConfiguration.objects.update(processing_mode="scheduled", **due)
    Plan.objects.update(**due)
    JobSchedule.objects.update(**due)
    for code in ("own", "other"):
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO stg_{code} (code, import_status) VALUES ('x', 2)")
    client, home = client_of(anna), "admin:scheduling_schedulerconfiguration_"
    assert _both(client, f"{home}rejected") == [{"own", "other"}, {"own"}]
    assert _both(client, f"{home}overdue") == [{"own", "other"}, {"own"}]
    for kind in (SchedulerConfiguration, Plan, Job):
        kind.objects.update(paused_at=long_ago, paused_by="ann")
    assert _both(client, f"{home}paused") == [{"own", "other"}, {"own"}]


def _both(client, address) -> list[set[str]]:
    """Return whose things stand in a list for everybody, and for its reader: things of each kind in both."""
    found = []
    for query in ({}, {"mine": "yes"}):
        context = client.get(reverse(address), query).context
        if "entities" in context:
            found.append({entity.code for entity, _ in context["entities"]})
            continue
        names = [row.name.lower() for row in context["rows"]]
        assert len(names) == 3 * len({name.rpartition(" ")[2] for name in names}), names
        found.append({name.rpartition(" ")[2] for name in names})
    return found


def test_mine_filters_batches_and_the_cards_of_the_start_page(things, anna):
    client = client_of(anna)
    assert len(client.get(reverse("admin:staging_batch_changelist"), {"mine": "yes"}).context["cl"].result_list) == 1
    for query, number in (({}, 2), ({"mine": "yes"}, 1)):
        page = client.get("/admin/", query).content.decode()
        for card in ("held", "alerts"):
            shown = page.partition(f'id="card-{card}"')[2].partition("</section>")[0]
            assert f'<p class="figure">{number}</p>' in shown and ("mine=yes" in shown) is (number == 1), card


@pytest.mark.parametrize("is_over", [False, True])
@pytest.mark.parametrize("kind", ["run of a plan", "run of a job", "job that code enqueues"])
def test_mine_shows_alerts_of_runs_and_of_jobs_also_when_they_are_over(things, anna, kind, is_over):
    Alert.objects.all().delete()
    now, rule = clock.now(), failure_rule()
    for name in ("own", "other"):
        run = Run.objects.get(
            title=Plan.objects.get(name=f"Plan {name}").run_title if "plan" in kind else f"Job {name}"
        )
        if "plan" in kind:
            Run.objects.filter(pk=run.pk).update(plans=[f"Plan {name}"])
        subject = f"run:{run.pk}" if "run" in kind else f"unscheduled:{Job.objects.get(name=f'Job {name}').pk}"
        Alert.objects.create(rule=rule, subject=subject, said={"say": f"Wrong is {name}"}, opened_at=now,
                             ended_at=now if is_over else None)  # fmt: skip
    Run.objects.update(status="completed", finished_at=now)
    query = {"mine": "yes", **({"state": "over"} if is_over else {})}
    page = _rows(client_of(anna).get(reverse("admin:scheduling_alert_changelist"), query).content.decode())
    assert "Wrong is own" in page and "Wrong is other" not in page
    owned = {alert.said["say"]: thing.responsible for alert in Alert.objects.all()
             if (thing := owners_of([alert]).get(alert.pk))}  # fmt: skip
    assert owned == {"Wrong is own": "Data office" if "plan" in kind else "administrator", "Wrong is other": ""}


def test_mine_filters_each_list_of_the_api(things, anna, client):
    _, secret = tokens.issue(anna, name="hers", scopes=["read"], entities=None, by="anna")
    for path, own, other in (
        ("entities", '"code":"own"', '"code":"other"'), ("batches", '"entity":"own"', '"entity":"other"'),
        ("plans", "Plan own", "Plan other"), ("jobs", "Job own", "Job other"), ("runs", "Job own", "Job other"),
        ("log", "Told of own", "Told of other"), ("alerts", "Wrong is own", "Wrong is other"),
    ):  # fmt: skip
        asked = [
            client.get(f"/api/v1/{path}{query}", headers={"Authorization": f"Bearer {secret}"}).content.decode()
            for query in ("", "?mine=0", "?mine=1")
        ]
        assert all(own in page for page in asked) and [other in page for page in asked] == [True, True, False], path
    listed = client.get("/api/v1/entities?mine=1", headers={"Authorization": f"Bearer {secret}"}).json()["results"]
    assert [(each["owner"], each["owner_group"]) for each in listed] == [("administrator", None)]


def test_mine_narrows_the_timeline_and_the_next_runs(things, anna):
    Plan.objects.update(schedule_type="interval", interval_minutes=60, next_scheduled_run=clock.now(), is_enabled=True)
    client = client_of(anna)
    pages = [client.get("/admin/", query).content.decode() for query in ({}, {"mine": "yes"})]
    for part in ('id="lanes"', 'aria-labelledby="next-runs"'):
        tables = [page.partition(part)[2].partition("</table>")[0] for page in pages]
        assert ["Plan own" in table for table in tables] == [True, True], part
        assert ["Plan other" in table for table in tables] == [True, False], part
    lanes = [page.partition('id="lanes"')[2].partition("</table>")[0] for page in pages]
    assert ["Job other" in table for table in lanes] == [True, False] and all("Job own" in table for table in lanes)


def test_whose_it_is_and_where_more_stands_is_shown_on_the_pages(things, anna):
    client, link = client_of(anna), '<a href="https://wiki.example.com/x" rel="noopener nofollow">'
    entity, plan = Entity.objects.get(code="own"), Plan.objects.get(name="Plan own")
    owners = ((entity, "administrator"), (plan, "Data office"), (entity.configuration, "administrator"))
    for thing, owner in owners:
        page = client.get(reverse(f"admin:{thing._meta.app_label}_{thing._meta.model_name}_change", args=[thing.pk]))
        assert f"<dt>Responsible</dt><dd>{owner}</dd>" in page.content.decode() and link in page.content.decode()
    job = client.get(reverse("admin:scheduling_job_change", args=[Job.objects.get(name="Job own").pk]))
    assert "<dt>Responsible</dt><dd>administrator</dd>" in job.content.decode() and link in job.content.decode()
    asked = client.get(reverse("admin:scheduling_job_run", args=[Job.objects.get(name="Job own").pk]))
    assert link in asked.content.decode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a <b> & https://x.org/?a=1&b=2.", 'a &lt;b&gt; &amp; <a href="https://x.org/?a=1&amp;b=2" rel="noopener nofollow">https://x.org/?a=1&amp;b=2</a>.'),
        ("javascript:alert(1) me@x.org www.x.org x.org ftp://x.org", "javascript:alert(1) me@x.org www.x.org x.org ftp://x.org"),
        ('http://x.org/"onclick="a', '<a href="http://x.org/" rel="noopener nofollow">http://x.org/</a>&quot;onclick=&quot;a'),
    ],
)  # fmt: skip
def test_only_addresses_of_the_web_become_links_and_all_is_escaped(text, shown):
    assert linked(text) == shown


def test_a_thing_has_one_owner_at_most_at_every_door(things, anna):
    office = Group.objects.get(name="Data office")
    with pytest.raises(IntegrityError), transaction.atomic():
        Entity.objects.update(owner=anna, owner_group=office)
    with pytest.raises(InvalidSchedule, match="not both"):
        edit_job(Job.objects.get(name="Job own"), {"owner": anna, "owner_group": office})
    both = {"owner": "administrator", "owner_group": "Data office"}
    for section, thing in (("entities", {"code": "own", "name": "Own"}), ("plans", {"name": "Plan own"})):
        with pytest.raises(InvalidDefinition) as told:
            load({"version": 1, section: [{**thing, **both}]}, now=clock.now())
        assert told.value.errors.keys() == {f"{section}[0].owner_group"}
    client = client_of(anna)
    for name, thing in (("entity", Entity.objects.get(code="own")), ("job", Job.objects.get(name="Job own"))):
        url = reverse(f"admin:{thing._meta.app_label}_{name}_change", args=[thing.pk])
        form = client.get(url).context["adminform"].form
        given = {key: value for key, value in form.initial.items() if value is not None}
        inline = {f"attributes-{key}": "0" for key in ("TOTAL_FORMS", "INITIAL_FORMS")}
        answer = client.post(url, {**given, **inline, "owner": anna.pk, "owner_group": office.pk})
        assert "not both" in str(answer.context["adminform"].form.errors["owner_group"]), name


def test_a_file_keeps_owners_and_refuses_one_who_is_unknown_at_his_place(things):
    document = dump()
    entity = next(one for one in document["entities"] if one["code"] == "own")
    plan = next(one for one in document["plans"] if one["name"] == "Plan own")
    assert entity["owner"] == "administrator" and plan["owner_group"] == "Data office"
    assert not [one for one in load(document, now=clock.now()).as_json().get("changed", []) if "own" in one]
    assert Entity.objects.get(code="own").responsible == "administrator"
    entity["owner"], plan["owner_group"] = "nobody-here", "No office"
    with pytest.raises(InvalidDefinition) as told:
        load(document, now=clock.now())
    places = {
        f"entities[{document['entities'].index(entity)}].owner",
        f"plans[{document['plans'].index(plan)}].owner_group",
    }
    assert told.value.errors.keys() == places
    del entity["owner"], plan["owner_group"]
    load(document, now=clock.now())
    assert Entity.objects.get(code="own").responsible == Plan.objects.get(name="Plan own").responsible == ""


@pytest.mark.django_db(transaction=True)
def test_what_an_account_or_a_group_owned_stays_without_an_owner_and_its_history_says_so(things, anna):
    with transaction.atomic():
        Group.objects.get(name="Data office").delete()
    with transaction.atomic():
        anna.delete()
    owned = (Entity.objects.get(code="own"), Plan.objects.get(name="Plan own"), Job.objects.get(name="Job own"))
    for thing in owned:
        assert thing.responsible == ""
        versions = Version.objects.filter(subject_type=thing._meta.label_lower, subject_id=thing.pk)
        last = versions.order_by("-number").first()
        assert last is not None and "owner" in str(last.change), thing


def test_a_job_goes_back_to_its_owner_and_not_to_one_who_is_gone(things, anna):
    job, kind = Job.objects.get(name="Job own"), subject_of(Job)
    assert kind is not None
    before = kind.read(job)
    edit_job(job, {"owner": None})
    kind.go_back(Job.objects.get(pk=job.pk), before)
    assert Job.objects.get(pk=job.pk).owner == anna
    anna.delete()
    with pytest.raises(CannotGoBack, match=r"^Owner: There is no account"):
        kind.go_back(Job.objects.get(pk=job.pk), before)
