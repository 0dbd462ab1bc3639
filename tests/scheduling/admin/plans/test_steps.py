"""The table of steps: a page of them at a time, many added at once, names typed where there is much to choose from."""

import re
from datetime import time
from unittest.mock import patch

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext

from scheduling.admin.plans.steps import AT_ONCE
from scheduling.models import Plan, PlanStep
from scheduling.plans.draft import PlanDraft, StepDraft
from scheduling.plans.save import save_plan
from staging.models import Entity, Version
from tests.scheduling.admin.conftest import NOW
from tests.scheduling.admin.plans.test_admin import address, errors_of, form

pytestmark = pytest.mark.django_db

STEPS = 130


@pytest.fixture
def entities():
    return Entity.objects.bulk_create(Entity(code=f"e{number:03}", name=f"Entity {number}") for number in range(STEPS))


@pytest.fixture
def long(entities):
    steps = [StepDraft(PlanStep(entity=one, step_index=1 + place // 30)) for place, one in enumerate(entities)]
    return save_plan(PlanDraft(Plan(name="Long"), {}, steps), now=NOW)


def opened(client, plan, page=1):
    return client.get(address("change", plan.pk), {"steps": page})


def sent(response, **changes):
    """Return what a browser sends of the page of steps that it was shown, with these changes."""
    formset = response.context["inline_admin_formsets"][0].formset
    data = {f"steps-{name}": value for name, value in formset.management_form.initial.items()}
    for each in formset.forms:
        shown = {name: each[name].value() for name in each.fields}
        data |= {
            each.add_prefix(name): value for name, value in shown.items() if value is not None and value is not False
        }
    own = {"name": "Long", "order": "steps", "overlap": "skip", "is_enabled": "on", "timezone": "UTC"}
    return {**own, **data, **changes}


def test_a_page_shows_its_steps_and_saves_them_alone(steward, long):
    page = opened(steward, long, 4)
    text = page.content.decode()
    assert "Steps 76 to 100 of 130" in text and 'value="e075"' in text and 'value="e125"' in text, "of the names"
    formset = page.context["inline_admin_formsets"][0].formset
    assert [each.instance.key for each in formset.initial_forms] == [f"e{number:03}" for number in range(75, 100)]
    saved = steward.post(
        f"{address('change', long.pk)}?steps=4", sent(page, **{"steps-3-priority": 7, "_continue": "1"})
    )
    assert saved.status_code == 302 and saved["Location"].endswith("?steps=4"), errors_of(saved)
    assert {step.key for step in long.steps.select_related("entity").filter(priority=7)} == {"e078"}
    assert long.steps.count() == STEPS


def test_a_page_that_is_not_there_is_the_last_one(steward, long):
    for page in (99, "x", "9" * 30):
        assert opened(steward, long, page).status_code == 200
    assert "Steps 126 to 130 of 130" in opened(steward, long, 99).content.decode()


def test_names_are_typed_where_lists_would_be_long_and_what_is_not_there_is_told(steward, long):
    page = opened(steward, long)
    fresh = {"steps-25-step_index": 1}
    changed = {"steps-4-after": "e001\ne002", "steps-5-what": "Entity 5"}
    assert steward.post(address("change", long.pk), sent(page, **changed)).status_code == 302
    waits = long.steps.get(entity__code="e004").depends_on.all()
    assert [prior.key for prior in waits] == ["e001", "e002"] and long.steps.filter(entity__code="e005").exists()
    wrong = steward.post(address("change", long.pk), sent(page, **fresh, **{"steps-25-what": "e1299"}))
    assert "did you mean 'e1" in errors_of(wrong)["25.what"][0]
    wrong = steward.post(address("change", long.pk), sent(page, **{"steps-4-after": "e1299"}))
    assert errors_of(wrong)["4.after"] == ["There is no step 'e1299' in this plan; did you mean 'e129'?"]
    circle = steward.post(address("change", long.pk), sent(page, **{"steps-4-after": "e129"}))
    assert "circle" in errors_of(circle)["steps"][0], "with a step of another page"


def test_a_name_is_offered_for_typing_letter_by_letter(steward, long):
    Plan.objects.create(name="Close  the books")
    assert '<option value="plan Close  the books">' in opened(steward, long).content.decode(), "a text loses blanks"


def test_many_steps_are_added_at_once_together_or_one_by_one(steward, entities):
    chosen = [f"entity:{one.pk}" for one in entities]
    for order, numbers in (("together", {5}), ("one_by_one", set(range(5, 5 + STEPS)))):
        data = form(name=order, **{"many-what": chosen, "many-number": 5, "many-order": order}, order="steps")
        response = steward.post(address("add"), data)
        assert response.status_code == 302, errors_of(response)
        assert set(Plan.objects.get(name=order).steps.values_list("step_index", flat=True)) == numbers
    assert len(Version.objects.latest("pk").content["steps"]) == STEPS, "the history has them all"


def test_what_is_wrong_with_one_of_many_is_told_above_the_table(steward, entities, long):
    page = opened(steward, long)
    again = sent(page, **{"many-what": [f"entity:{entities[125].pk}"]})
    assert "e125 is a step of this plan twice" in errors_of(steward.post(address("change", long.pk), again))["steps"][0]
    strange = sent(page, **{"many-what": ["entity:x"], "many-number": 0})
    assert len(errors_of(steward.post(address("change", long.pk), strange))["steps"]) == 2
    assert long.steps.count() == STEPS


def test_a_step_of_another_plan_is_not_changed_through_this_one(steward, long, entities):
    other = save_plan(PlanDraft(Plan(name="Other"), {}, [StepDraft(PlanStep(entity=entities[0]))]), now=NOW)
    page = opened(steward, long)
    taken = {"steps-0-id": other.steps.get().pk, "steps-0-priority": 9}
    assert steward.post(address("change", long.pk), sent(page, **taken)).status_code == 200
    assert other.steps.get().priority == 0


def test_what_a_page_and_a_save_cost_does_not_grow_with_the_steps(steward, long, entities):
    small = save_plan(PlanDraft(Plan(name="Small"), {}, [StepDraft(PlanStep(entity=entities[0]))]), now=NOW)

    def cost(action):
        with CaptureQueriesContext(connection) as captured:
            action()
        return len(captured)

    pages = {plan: opened(steward, plan) for plan in (small, long)}
    looks = {plan: cost(lambda plan=plan: opened(steward, plan)) for plan in pages}
    assert looks[long] == looks[small] <= 18
    saves = {
        plan: cost(
            lambda plan=plan, page=page: steward.post(
                address("change", plan.pk), sent(page, name=plan.name, **{"steps-0-priority": 5})
            )
        )
        for plan, page in pages.items()
    }
    assert PlanStep.objects.filter(priority=5).count() == 2
    assert saves[long] <= saves[small] + AT_ONCE, "one to find each step that was sent, of a page at most"


def test_a_viewer_reads_the_steps_in_the_words_of_the_table(viewer, entities):
    one, two = entities[:2]
    steps = [
        StepDraft(PlanStep(entity=one, attempts=3, timeout_seconds=60, continue_on_failure=True)),
        StepDraft(PlanStep(entity=two, is_cancelled=True, run_if="always"), [one.code]),
    ]
    plan = save_plan(PlanDraft(Plan(name="Two"), {}, steps), now=NOW)
    page = opened(viewer, plan).content.decode()
    assert "runs always, when all before it ended" in page
    for words in ("Entity 0", "3 tries; 60 s between them; at most 60 s", "go on", "stop what depends on it", ">e000<"):
        assert words in page, words
    assert "<select" not in page.split('id="steps-group"')[1]


def test_a_viewer_reads_the_plan_in_the_words_of_its_form(viewer, steward, entities):
    daily = {"schedule_type": "daily", "run_times": "02:30"}
    steps = [StepDraft(PlanStep(entity=entities[0]))]
    plan = save_plan(PlanDraft(Plan(name="Daily"), daily, steps), now=NOW)
    page, form_page = opened(viewer, plan).content.decode(), opened(steward, plan).content.decode()
    for words in ("What comes first", "While a run goes on", "Cancelled", "How often", "Enabled"):
        assert f"{words}:" in page and words in form_page, words
    assert '<div class="readonly">yes</div>' in page and '<div class="readonly">no</div>' in page
    assert "Cron expression" not in page and "icon-no" not in page


def test_what_a_viewer_reads_costs_no_statement_for_each_step(viewer, long, entities):
    small = save_plan(PlanDraft(Plan(name="Small"), {}, [StepDraft(PlanStep(entity=entities[0]))]), now=NOW)
    for step in long.steps.all()[1:30]:
        step.depends_on.set(long.steps.all()[:1])
    costs = []
    for plan in (small, small, long):
        with CaptureQueriesContext(connection) as captured:
            opened(viewer, plan)
        costs.append(len(captured))
    assert costs[2] <= costs[1] + 2


@pytest.mark.parametrize("is_typed", [False, True])
def test_what_steps_wait_for_stays_when_lists_grow_long_or_short_meanwhile(steward, entities, is_typed):
    Entity.objects.filter(code__gte="e020").update(is_cancelled=not is_typed)
    steps = [StepDraft(PlanStep(entity=one)) for one in entities[:20]]
    steps[5].depends_on = ["e001", "e002"]
    plan = save_plan(PlanDraft(Plan(name="Long"), {}, steps), now=NOW)
    page = opened(steward, plan)
    assert page.context["inline_admin_formsets"][0].formset.is_typed is is_typed
    Entity.objects.filter(code__gte="e020").update(is_cancelled=is_typed)
    data = sent(page, **({"steps-5-after": "e001\ne002"} if is_typed else {}))
    saved = steward.post(address("change", plan.pk), data)
    assert saved.status_code == 302, errors_of(saved)
    assert [prior.key for prior in plan.steps.get(entity__code="e005").depends_on.all()] == ["e001", "e002"]


def test_a_step_that_is_called_otherwise_is_the_same_to_the_steps_of_other_pages(steward, entities):
    first = PlanStep(wait_until=time(6))
    steps = [StepDraft(first), *(StepDraft(PlanStep(entity=one)) for one in entities[:35])]
    steps[35].depends_on = [first.key]
    plan = save_plan(PlanDraft(Plan(name="Long"), {}, steps), now=NOW)
    page, later = opened(steward, plan), {"steps-0-wait_until": "07:00"}
    circle = steward.post(address("change", plan.pk), sent(page, **later, **{"steps-0-after": ["e034"]}))
    assert "circle" in errors_of(circle)["steps"][0]
    assert steward.post(address("change", plan.pk), sent(page, **later)).status_code == 302
    assert [prior.wait_until for prior in plan.steps.get(entity__code="e034").depends_on.all()] == [time(7)]


def test_two_people_who_save_different_pages_do_not_meet_and_of_one_page_the_second_is_told(steward, long):
    def opened_as_shown(number):
        page = opened(steward, long, number)
        seen = re.search(r'name="steps-seen" value="(\w+)"', page.content.decode())[1]
        own = page.context["adminform"].form["seen"].value()
        return {"data": sent(page), "at": f"{address('change', long.pk)}?steps={number}", "seen": seen, "own": own}

    def save(shown, **changes):
        own = {"steps-seen": shown["seen"], "seen": shown["own"]}
        return steward.post(shown["at"], {**shown["data"], **own, **changes})

    ann, bob, carol, dan = (opened_as_shown(number) for number in (1, 1, 2, 2))
    assert save(ann, **{"steps-3-priority": 7}).status_code == 302
    assert save(carol, **{"steps-3-priority": 8}).status_code == 302, "another page"
    told = save(bob, **{"steps-4-priority": 9})
    assert "Somebody else changed steps" in errors_of(told)["steps"][0]
    assert bob["seen"] in told.content.decode(), "sent once more it is refused once more"
    assert {step.key: step.priority for step in long.steps.exclude(priority=0)} == {"e003": 7, "e028": 8}
    Plan.objects.filter(pk=long.pk).update(description="By somebody else")
    assert "Somebody else changed" in save(dan).content.decode()
    assert Plan.objects.get(pk=long.pk).description == "By somebody else"


def test_a_page_of_a_thousand_steps_and_entities_stays_below_300_kb_and_reads_its_steps_once(steward):
    made = Entity.objects.bulk_create(Entity(code=f"m{n:04}", name=f"Entity {n}") for n in range(1000))
    steps = [StepDraft(PlanStep(entity=one, step_index=1 + place // 50)) for place, one in enumerate(made)]
    plan = save_plan(PlanDraft(Plan(name="Long"), {}, steps), now=NOW)

    def reads(action):
        with CaptureQueriesContext(connection) as captured:
            answer = action()
        return answer, [
            each["sql"]
            for each in captured
            if re.search(r'FROM "scheduling_planstep" .*WHERE "scheduling_planstep"."plan_id"', each["sql"])
        ]

    page, read = reads(lambda: opened(steward, plan))
    assert len(page.content) < 260_000 and len(read) == 1
    assert len(page.content.decode().split("<datalist")[1].split("</datalist>")[0]) < 36_000
    saved, read = reads(
        lambda: steward.post(
            address("change", plan.pk), sent(page, **{"steps-3-priority": 7, "steps-4-after": "m0003"})
        )
    )
    assert saved.status_code == 302, errors_of(saved)
    waits = plan.steps.get(entity__code="m0004").depends_on.all()
    assert plan.steps.get(entity__code="m0003").priority == 7 and [prior.key for prior in waits] == ["m0003"]
    of_all = [sql for sql in read if '"scheduling_planstep"."id" IN' not in sql]
    assert len(of_all) == 3, "for the form with all rules, and for the history as it was and as it is"


def test_what_few_steps_need_is_rendered_once_for_all_that_need_none_of_it(steward, entities):
    steps = [StepDraft(PlanStep(entity=one)) for one in entities[:20]]
    steps[3].step.priority, steps[4].step.wait_rows = 7, 5
    plan = save_plan(PlanDraft(Plan(name="Long"), {}, steps), now=NOW)
    with patch("scheduling.admin.plans.step_form.render_to_string", wraps=render_to_string) as rendered:
        page = opened(steward, plan)
    assert rendered.call_count == 3, "that of the empty row, and two of their own"
    text, formset = page.content.decode(), page.context["inline_admin_formsets"][0].formset
    for number, row in enumerate([*formset.forms, formset.empty_form]):
        own = "".join(str(row[name]) for name in row.below)
        for name in re.findall(r'name="([^"]+)"', own):
            assert text.count(f'name="{name}"') == 1 and text.count(f'id="id_{name}"') == 1, (number, name)
    assert 'name="steps-3-priority" value="7"' in text and 'name="steps-4-wait_rows" value="5"' in text
    assert 'name="steps-5-priority" value="0"' in text


def test_names_of_many_at_once_are_typed_where_lists_would_be_long(steward, long, entities):
    page = opened(steward, long)
    assert 'textarea name="many-what"' in page.content.decode()
    Entity.objects.bulk_create(Entity(code=f"n{n}", name=f"New {n}") for n in range(3))
    wrong = steward.post(address("change", long.pk), sent(page, **{"many-what": "n0\nNew 1\nwait\nn10"}))
    told = errors_of(wrong)["steps"]
    assert len(told) == 2 and "'wait'" in told[0] and "did you mean 'n" in told[1], "a wait needs to be told for what"
    assert "n0\nNew 1\nwait\nn10</textarea>" in wrong.content.decode()
    added = {"many-what": f"n0\nNew 1\n\n n0 \nentity:{Entity.objects.get(code='n2').pk}", "many-number": "6"}
    assert steward.post(address("change", long.pk), sent(page, **added)).status_code == 302
    assert [each.key for each in long.steps.filter(step_index=6)] == ["n0", "n1", "n2"]


def test_every_field_of_a_step_is_described_once_and_a_fault_stands_beside_it(steward, long):
    page = opened(steward, long)
    text = page.content.decode()
    described = {each for told in re.findall(r'aria-describedby="([^"]*)"', text) for each in told.split()}
    about = {each for each in described if re.fullmatch(r"a\d+", each)}
    assert len(about) > 15 and all(text.count(f'<dd id="{each}">') == 1 for each in about)
    wrong = steward.post(address("change", long.pk), sent(page, **{"steps-2-attempts": 0})).content.decode()
    field = re.search(r'<input [^>]*name="steps-2-attempts"[^>]*>', wrong).group()
    assert 'id_steps-2-attempts_error"' in field and 'id="id_steps-2-attempts_error"' in wrong
