"""Promise: a run is watched, stopped, mended and repeated on its pages, with and without scripts, on every screen;
queues and workers beside it."""

import pytest
from playwright.sync_api import expect

from scheduling import clock
from scheduling.models import Attempt, Heartbeat, Queue, Run
from scheduling.queues import claim_next, pause_queue
from scheduling.runs.execute import run_attempt
from scheduling.runs.intervene import hold_step
from tests.browser.screens import faults, looks_at_pages
from tests.scheduling.admin.conftest import make_user
from tests.scheduling.runs.pieces import FAILING, item, of, start, states, work


@pytest.fixture
def run() -> Run:
    """Regions completed, a branch failed and blocks its tills, one step runs, one waits for its worker."""
    FAILING.add("branch")
    now = clock.now()
    steps = [item("region"), item("branch", "region"), item("till", "branch"), item("customer", "region")]
    made = start(*steps, item("a price list with a long name", "customer region"), item("report", "till"), now=now)
    work(now, most=2)
    FAILING.clear()
    claim_next(worker="host-1:4711", now=clock.now())
    return made


@looks_at_pages
def test_the_pages_of_runs_queues_and_workers_have_no_serious_fault(steward, run):
    queue = Queue.objects.get()
    now = clock.now()
    Heartbeat.objects.create(name="host-1:4711", kind="worker", started_at=now, seen_at=now)
    failed = of(run, "branch")
    held = of(run, "a price list with a long name")
    hold_step(held, by="ann", now=now)
    one = f"scheduling/run/{run.pk}"
    pages = {
        "runs": "scheduling/run/", "run": f"{one}/change/", "times": f"{one}/times/", "order": f"{one}/order/",
        "cancel": f"{one}/cancel/", "retry": f"{one}/retry/?task={failed.pk}", "restart": f"{one}/restart/",
        "step": f"{one}/step/?task={failed.pk}", "held step": f"{one}/step/?task={held.pk}",
        "queues": "scheduling/queue/", "queue": f"scheduling/queue/{queue.pk}/change/",
        "pause queue": f"scheduling/queue/{queue.pk}/pause/", "workers": "scheduling/heartbeat/",
    }  # fmt: skip
    found = []
    for name, path in pages.items():
        steward.visit(path)
        found += faults(steward, name)
    Run.objects.filter(pk=run.pk).update(status="failed", finished_at=now)
    pause_queue(queue, by="ann", reason="The printer is on fire", now=now)
    for name in ("restart", "queues", "queue"):
        steward.visit(pages[name])
        found += faults(steward, f"{name} after")
    assert found == []


@looks_at_pages
def test_the_page_of_the_doctor_has_no_serious_fault_with_findings_and_without(person, monkeypatch):
    make_user("Administrator")
    person.log_in("administrator")
    person.visit("scheduling/heartbeat/")
    person.page.click("text=Ask the doctor")
    expect(person.page.locator("#findings")).to_contain_text("No cycle has ever run here")
    found = faults(person, "findings")
    monkeypatch.setattr("scheduling.admin.monitoring.workers.findings", lambda _: [])
    person.page.reload()
    expect(person.page.locator("#content-main")).to_contain_text("Nothing is wrong")
    assert found + faults(person, "nothing") == []


def test_a_live_page_follows_the_run_pauses_and_offers_the_restart_at_the_end(steward, run):
    page = steward.page
    steward.visit(f"scheduling/run/{run.pk}/change/")
    row = page.locator(f"#step-{of(run, 'customer').pk}")
    expect(row).to_contain_text("running")
    page.click("#run-pause")
    attempt = Attempt.objects.get(task__key="customer")
    finish(attempt)
    page.wait_for_timeout(3000)
    expect(row).to_contain_text("running")
    page.click("#run-pause")
    page.mouse.click(5, 5)
    expect(row).to_contain_text("completed", timeout=10_000)
    expect(page.locator("#run-restart")).to_be_hidden()
    work(clock.now())
    expect(page.locator("h1")).to_contain_text("Failed", timeout=10_000)
    expect(page.locator("#run-announcement")).to_have_text("The run has ended: failed.")
    expect(page.locator("#run-cancel")).to_be_hidden()
    page.click("#run-restart")
    expect(page.locator("#content")).to_contain_text("Failed, cancelled or never ran: branch, till, report.")
    page.click("button:has-text('Restart')")
    expect(page.locator(".messagelist")).to_contain_text("started again as run")
    assert set(states(Run.objects.get(restart_of=run))) == {"branch", "till", "report"}
    assert steward.complaints == []


@pytest.mark.parametrize("person", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_a_step_is_retried_the_views_follow_a_reload_and_the_run_is_cancelled(steward, run):
    page = steward.page
    steward.visit(f"scheduling/run/{run.pk}/change/")
    page.click("a:has-text('Retry now')")
    expect(page.locator("#content")).to_contain_text("What it had blocked waits for it again: till")
    page.click("button:has-text('Retry now')")
    assert states(run)["branch"] == "queued" and states(run)["till"] == "waiting"
    page.click(".view-links >> text=Times")
    expect(page.locator("#run-times")).to_contain_text("still runs")
    finish(Attempt.objects.get(task__key="customer"))
    page.click("text=Reload")
    expect(page.locator("#run-times")).not_to_contain_text("still runs")
    page.click(".view-links >> text=Order")
    expect(page.locator(".waves")).to_contain_text("customer (completed)")
    page.click("text=Cancel this run …")
    page.click("button:has-text('Cancel this run')")
    expect(page.locator("h1")).to_contain_text("Cancelled")


def finish(attempt: Attempt) -> None:
    """Let the attempt do its work and end well."""
    run_attempt(attempt, time=clock.now)
