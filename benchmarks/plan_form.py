"""What the form of a plan of 1,000 steps costs: opening it, saving one step of it, and adding 1,000 at once.

Through the whole web process, middleware and template included, as a steward; `plain list` is the list of plans in the
same run, as a measure for the machine.
"""

import re
from collections.abc import Callable
from html import unescape
from time import perf_counter, process_time

from benchmarks._scratch import scratch_database, statements

STEPS = 1000
TIMES = 3
TOGETHER = 50  # steps with the same number; the next fifty wait for them
INPUT = re.compile(r"<(input|select|textarea)\b([^>]*)>(?:(.*?)</\1>)?", re.DOTALL)


def main() -> None:
    """Build a plan of a thousand entities, then print a line for each thing that people do with its form."""
    with scratch_database() as vendor:
        without_test_signals()
        client, entities = steward(), many_entities()
        plan = plan_of(entities, "Nightly")
        url = f"/admin/scheduling/plan/{plan.pk}/change/"
        opened = client.get(url)
        assert opened.status_code == 200, opened
        print(f"{STEPS:,} steps on {vendor}, {STEPS:,} entities; the page has {len(opened.content) / 1000:,.0f} KB\n")
        print(f"{'what':40} {'ms':>8} {'own ms':>8} {'statements':>11}")
        report("plain list", lambda: client.get("/admin/scheduling/plan/"))
        report("open", lambda: client.get(url))
        report("open page 10 of the steps", lambda: client.get(f"{url}?steps=10"))
        values, priority = sent(opened.content.decode()), iter(range(1, 100))
        report("save, nothing changed", lambda: saved(client, url, values))
        report("save, one step changed", lambda: saved(client, url, {**values, "steps-7-priority": next(priority)}))
        number = iter(range(100))
        report(f"add {STEPS:,} steps to a new plan", lambda: add_many(client, entities, f"Many {next(number)}"))


def without_test_signals() -> None:
    """Render as the site does: the environment of tests tells of each template, which costs half of a page."""
    from django.template.base import Template
    from django.test.utils import _TestState

    Template._render = _TestState.saved_data.template_render


def report(what: str, action: Callable[[], object]) -> None:
    """Print the least of a few times, of which how much this process worked, and how many statements it sends."""
    sends = statements(action)
    times = [took(action) for _ in range(TIMES)]
    whole, own = min(times), min(own for _, own in times)
    print(f"{what:40} {whole[0] * 1000:>8.0f} {own * 1000:>8.0f} {sends:>11}", flush=True)


def took(action: Callable[[], object]) -> tuple[float, float]:
    """Return how long an action took, and how much of that this process was at work."""
    start, worked = perf_counter(), process_time()
    action()
    return perf_counter() - start, process_time() - worked


def steward():
    """Return the browser of a steward who is signed in."""
    from django.contrib.auth.models import Group, User
    from django.test import Client

    from scheduling.housekeeping.roles import sync_roles

    sync_roles()
    user = User.objects.create_user("steward", is_staff=True)
    user.groups.add(Group.objects.get(name="Steward"))
    client = Client()
    client.force_login(user)
    return client


def many_entities() -> list:
    """Return a thousand entities, without tables: no batch runs here."""
    from staging.models import Entity

    return Entity.objects.bulk_create(Entity(code=f"e{number:04}", name=f"Entity {number}") for number in range(STEPS))


def plan_of(entities: list, name: str):
    """Return a plan with a step for each entity."""
    from scheduling import clock
    from scheduling.models import Plan, PlanStep
    from scheduling.plans.draft import PlanDraft, StepDraft
    from scheduling.plans.save import save_plan

    steps = [StepDraft(PlanStep(entity=one, step_index=1 + at // TOGETHER)) for at, one in enumerate(entities)]
    return save_plan(PlanDraft(Plan(name=name), {}, steps), now=clock.now())


def sent(page: str) -> dict[str, object]:
    """Return what a browser sends of the page's form: what its inputs hold."""
    form = page[page.index('id="plan_form"') :]
    values: dict[str, object] = {}
    for kind, attributes, inside in INPUT.findall(form[: form.index("</form>")]):
        found = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
        name, input_kind = found.get("name"), found.get("type", "")
        ticked = "checked" in attributes or input_kind not in ("checkbox", "radio")
        if not name or not ticked or input_kind in ("submit", "button") or "__prefix__" in name:
            continue
        if kind == "select":
            chosen = [unescape(value) for value in re.findall(r'<option value="([^"]*)" selected', inside)]
            values[name] = chosen if "multiple" in attributes else next(iter(chosen), "")
        else:
            values[name] = unescape(inside.strip("\n") if kind == "textarea" else found.get("value", ""))
    return values


def saved(client, url: str, values: dict[str, object]) -> None:
    """Save the form; anything but a way on is a failure of the benchmark."""
    answer = client.post(url, {**values, "seen": "", "steps-seen": ""})  # whatever was saved meanwhile
    assert answer.status_code == 302, answer


def add_many(client, entities: list, name: str) -> None:
    """Make a plan of a thousand steps in one save."""
    values = sent(client.get("/admin/scheduling/plan/add/").content.decode())
    saved(
        client,
        "/admin/scheduling/plan/add/",
        {**values, "name": name, "many-what": [f"entity:{one.pk}" for one in entities]},
    )


if __name__ == "__main__":
    main()
