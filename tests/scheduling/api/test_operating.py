"""What operators do by the API: runs, plans, jobs and queues, by the verbs and the rights of the pages."""

from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import Permission

from scheduling import clock
from scheduling.jobs.reconcile import sync_jobs
from scheduling.model_files.load import load
from scheduling.models import Job, Plan, Queue, Run, SchedulerLog, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_batch_now, start_job_now
from scheduling.runs.execute import work_off_run
from tests.scheduling.runs.pieces import FAILING, item, start, work
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site(make_entity: Any) -> Any:
    """Two entities, a plan of one of them, one of both, and one in the other's clothes."""
    own, other = make_entity("own"), make_entity("other")
    plans = [
        {"name": "Own", "steps": [{"entity": "own"}]},
        {"name": "Inner", "steps": [{"plan": "Own"}]},
        {"name": "Both", "steps": [{"entity": "own"}, {"entity": "other"}]},
        {"name": "Outer/2", "steps": [{"plan": "Both"}]},
    ]
    load({"version": 1, "plans": plans}, now=clock.now())
    return own, other


def test_a_run_is_cancelled_and_started_again(api, site):
    started = start_batch_now(site[0], started_by="test", now=clock.now())
    caller = api("Operator")
    cancelled = caller.post(f"runs/{started.run.pk}/cancel")
    assert cancelled.status_code == 200 and cancelled.json()["status"] == "cancelled"
    assert "operator (token loader)" in cancelled.json()["tasks"][0]["message"]
    problem(caller.post(f"runs/{started.run.pk}/cancel"), 409)
    again = caller.post(f"runs/{started.run.pk}/restart", {"failed": True}, Idempotency_Key="k")
    assert again.status_code == 202 and again.json()["run"] != started.run.pk
    assert caller.post(f"runs/{started.run.pk}/restart", {"failed": True}, Idempotency_Key="k").json() == again.json()
    problem(caller.post(f"runs/{started.run.pk}/restart", {"current": True}), 409)
    read = caller.get(f"runs/{again.json()['run']}").json()
    assert read["restart_of"] == started.run.pk and read["started_by"] == "operator (token loader)"


def test_everything_is_cancelled_by_whoever_may_cancel_all_of_it(api, site):
    runs = [start_batch_now(each, started_by="test", now=clock.now()).run for each in site]
    problem(api(entities=[site[0].entity]).post("runs/cancel"), 403)
    caller = api("Operator")
    cancelled = caller.post("runs/cancel", Idempotency_Key="k")
    assert cancelled.status_code == 200 and cancelled.json() == {"cancelled": [run.pk for run in runs]}
    assert set(Run.objects.values_list("status", flat=True)) == {"cancelled"}
    assert caller.post("runs/cancel", Idempotency_Key="k").json() == cancelled.json()
    assert caller.post("runs/cancel").json() == {"cancelled": []}


def test_a_restart_is_no_way_around_a_permission(api, site):
    started = start_batch_now(site[0], started_by="test", now=clock.now())
    work_off_run(started.run, time=clock.now)
    caller = api("Viewer")
    caller.token.person.user_permissions.add(Permission.objects.get(codename="restart_run"))
    refused = problem(caller.post(f"runs/{started.run.pk}/restart"), 403)
    assert "scheduling.process_batch" in refused["detail"] and Run.objects.count() == 1


def test_plans_are_checked_and_run_once(api, site):
    caller = api("Operator")
    assert caller.post("plans/Outer%2F2/check").json()["waves"] == [["own"], ["other"]]
    started = caller.post("plans/Outer%2F2/run")
    assert started.status_code == 202 and {each["task"] for each in started.json()["tasks"]} == {"own", "other"}
    problem(caller.post("plans/Outer%2F2/run"), 409)
    assert caller.get("plans/Outer%2F2").json()["state"]["is_running"] is True
    assert caller.get("plans/Own").json()["plan"]["steps"] == [{"entity": "own"}]
    assert SchedulerLog.objects.filter(message__contains="operator (token loader)").exists()
    problem(caller.post("plans/outer/run"), 404)


def test_a_token_for_one_entity_sees_and_runs_what_is_of_it_alone(api, site):
    own = start_batch_now(site[0], started_by="test", now=clock.now()).run
    other = start_batch_now(site[1], started_by="test", now=clock.now()).run
    caller = api(entities=[site[0].entity])
    assert [each["run"] for each in caller.get("runs").json()["results"]] == [own.pk]
    on_steps = ("/retry", "/skip", "/complete", "/hold", "/resume", "/run-only", "/run-from")
    for action in ("", "/cancel", "/restart", *on_steps):
        body = {"task": "other"} if action in on_steps else None
        problem(caller("POST" if action else "GET", f"runs/{other.pk}{action}", body), 403)
    assert {each["entity"] for each in caller.get("log").json()["results"]} == {"own"}
    for address in ("log", "runs", "batches"):
        problem(caller.get(f"{address}?entity=other"), 403)
        assert caller.get(f"{address}?entity=own").status_code == 200
    assert [each["name"] for each in caller.get("plans").json()["results"]] == ["Inner", "Own"]
    for name in ("Both", "Outer%2F2", "Nothing"):
        problem(caller.get(f"plans/{name}"), 403)
        problem(caller.post(f"plans/{name}/run"), 403)
    assert caller.post(f"runs/{own.pk}/cancel").status_code == 200
    started = caller.post("plans/Inner/run")
    assert started.status_code == 202 and caller.get(f"runs/{started.json()['run']}").status_code == 200
    for address in ("jobs", "queues", "calendars"):
        assert caller.get(address).json()["results"] == []
    assert {each["what"] for each in caller.get("forecast").json()["fires"]} <= {"own"}


def test_a_step_of_a_live_run_is_held_let_go_skipped_marked_and_retried(api):
    FAILING.add("a")
    run = start(item("a"), item("b", "a"), item("c", "b"), item("d"), item("e"))
    work(most=1)
    caller = api("Operator")

    def done(verb: str, task: str) -> dict[str, str]:
        answer = caller.post(f"runs/{run.pk}/{verb}", {"task": task})
        assert answer.status_code == 200, answer.content
        return {each["task"]: each["status"] for each in answer.json()["tasks"]}

    assert done("hold", "d")["d"] == "waiting"
    (held,) = (each for each in caller.get(f"runs/{run.pk}").json()["tasks"] if each["task"] == "d")
    assert held["held_by"] == "operator (token loader)" and held["held_at"]
    assert "held already" in problem(caller.post(f"runs/{run.pk}/hold", {"task": "d"}), 409)["detail"]
    assert done("resume", "d")["d"] == "queued"
    assert done("retry", "a")["a"] == "queued"
    assert done("skip", "a") == {"a": "skipped", "b": "queued", "c": "waiting", "d": "queued", "e": "queued"}
    assert done("complete", "b")["b"] == "completed"
    assert "b is completed" in problem(caller.post(f"runs/{run.pk}/skip", {"task": "b"}), 409)["detail"]
    assert "no step 'x'" in problem(caller.post(f"runs/{run.pk}/skip", {"task": "x"}), 400)["detail"]
    problem(caller.post(f"runs/{run.pk}/skip"), 400)
    problem(api("Viewer").post(f"runs/{run.pk}/skip", {"task": "c"}), 403)
    assert done("run-only", "a")["a"] == "queued"
    assert done("skip", "a")["c"] == "queued"
    assert "c is queued already" in problem(caller.post(f"runs/{run.pk}/run-only", {"task": "c"}), 409)["detail"]
    assert done("run-from", "b") == {"a": "skipped", "b": "queued", "c": "waiting", "d": "queued", "e": "queued"}
    part = problem(caller.post(f"runs/{run.pk}/restart", {"from": "b"}), 409)["detail"]
    assert "has not ended: run step b in it" in part
    assert work() == ["d", "e", "b", "c"] or Run.objects.get(pk=run.pk).status == "completed"


def test_a_part_of_a_run_is_started_again(api):
    FAILING.add("b")
    run = start(item("a"), item("b", "a"), item("c", "b"))
    work()
    caller, address = api("Operator"), f"runs/{run.pk}/restart"
    assert "There is no step 'x'" in problem(caller.post(address, {"only": "x"}), 400)["detail"]
    problem(caller.post(address, {"only": "b", "failed": True}), 400)
    problem(caller.post(address, {"without": "b"}), 400)
    started = caller.post(address, {"from": "a", "without": ["b"]})
    assert started.status_code == 202 and [each["task"] for each in started.json()["tasks"]] == ["a", "c"]


def test_runs_that_completed_with_warnings_are_a_filter_of_their_own(api):
    ends = {"status": "completed", "created_at": clock.now(), "finished_at": clock.now()}
    warned = Run.objects.create(kind="job", fire_key="warned", warnings=2, **ends)
    quiet = Run.objects.create(kind="job", fire_key="quiet", **ends)
    caller = api("Viewer")
    assert [each["run"] for each in caller.get("runs?status=warned").json()["results"]] == [warned.pk]
    assert [each["run"] for each in caller.get("runs?status=completed").json()["results"]] == [quiet.pk, warned.pk]


def test_a_plan_is_given_its_parameters_and_each_wrong_one_is_told_at_its_path(api, site):
    plan = Plan.objects.get(name="Outer/2")
    plan.parameters = {"day": "text", "n": {"type": "integer", "default": 3}}
    save_plan(PlanDraft(plan), now=clock.now())
    caller = api("Operator")
    refused = problem(caller.post("plans/Outer%2F2/run", {"parameters": {"n": "3", "colour": 1}}), 400)
    assert {error["path"] for error in refused["errors"]} == {"parameters.day", "parameters.n", "parameters.colour"}
    problem(caller.post("plans/Outer%2F2/run", {"parameters": [5]}), 400)
    started = caller.post("plans/Outer%2F2/run", {"parameters": {"day": "2026-03-01"}})
    assert started.status_code == 202 and started.json()["parameters"] == {"day": "2026-03-01", "n": 3}
    assert caller.get(f"runs/{started.json()['run']}").json()["parameters"] == {"day": "2026-03-01", "n": 3}
    assert caller.get("plans/Outer%2F2").json()["plan"]["parameters"] == plan.parameters


def test_a_job_is_given_arguments_and_each_wrong_one_is_told_at_its_path(api, make_job):
    def body(context, member: int, share: float = 0.5, day: date | None = None):
        """Take some arguments."""

    make_job("Letter", body=body)
    caller = api("Operator")
    refused = problem(caller.post("jobs/Letter/run", {"arguments": {"member": "five", "colour": 1}}), 400)
    assert [error["path"] for error in refused["errors"]] == ["arguments.member", "arguments.colour"]
    problem(caller.post("jobs/Letter/run"), 400)
    problem(caller.post("jobs/Letter/run", {"arguments": [5]}), 400)
    assert not Run.objects.exists()
    given = {"member": 5, "share": 0.25, "day": "2026-03-01"}
    assert caller.post("jobs/Letter/run", {"arguments": given}).status_code == 202
    assert Task.objects.get().arguments == given


def test_the_results_of_a_job_are_found_by_its_name(api, site, make_job):
    for name in ("Count", "Count all"):
        make_job(name, body=lambda context: {"rows": 3})
        run = start_job_now(Job.objects.get(name=name), started_by="test", now=clock.now())
        work_off_run(run, time=clock.now)
    caller = api("Operator")
    (found,) = caller.get("runs?kind=job&title=Count").json()["results"]
    assert caller.get(f"runs/{found['run']}").json()["tasks"][0]["result"] == {"rows": 3}
    assert caller.get("runs?title=count").json()["results"] == []
    start_batch_now(site[0], started_by="test", now=clock.now())  # which has no title
    assert caller.get("runs?title=").json()["results"] == []


def test_a_job_is_enqueued_as_code_does_it(api, make_job):
    def body(context, key: str = "any"):
        """Take an argument that is called as an option is."""

    make_job("Letter", body=body)
    caller = api("Operator")
    assert caller.post("jobs/Letter/run").status_code == 202
    problem(caller.post("jobs/Letter/run"), 409)
    how = {"key": "EU", "after_seconds": 3600, "priority": None}
    first, second = (caller.post("jobs/Letter/run", {"arguments": {}, "enqueue": how}) for _ in range(2))
    assert first.status_code == second.status_code == 202 and first.json()["run"] == second.json()["run"]
    assert caller.post("jobs/Letter/run", {"enqueue": {}}).json()["run"] != first.json()["run"]
    wrong = {"arguments": {"key": 5}, "enqueue": {"keyy": 1, "after_seconds": "soon"}}
    refused = problem(caller.post("jobs/Letter/run", wrong), 400)
    assert {error["path"] for error in refused["errors"]} == {"enqueue.keyy", "enqueue.after_seconds"}
    refused = problem(caller.post("jobs/Letter/run", {"enqueue": {"key": "", "queue": "nowhere"}}), 400)
    assert [error["path"] for error in refused["errors"]] == ["enqueue.key"]
    refused = problem(caller.post("jobs/Letter/run", {"arguments": {"key": 5}, "enqueue": {"key": "EU"}}), 400)
    assert [error["path"] for error in refused["errors"]] == ["arguments.key"]
    problem(caller.post("jobs/Letter/run", {"enqueue": []}), 400)
    assert Run.objects.count() == 3


def test_jobs(api):
    sync_jobs(clock.now())
    caller = api("Operator")
    listed = caller.get("jobs").json()["results"]
    assert "Retention" in [each["name"] for each in listed] and listed[0]["schedules"][0]["schedule"]
    assert caller.get("jobs/Retention").json()["is_declared"] is True
    started = caller.post("jobs/Retention/run")
    assert started.status_code == 202 and Run.objects.get().started_by == "operator (token loader)"
    problem(caller.post("jobs/Retention/run"), 409)
    problem(caller.post("jobs/Nothing/run"), 404)


def test_a_queue_is_paused_and_goes_on(api):
    Queue.objects.get_or_create(name="default")
    caller = api("Operator")
    paused = caller.post("queues/default/pause", {"reason": "Maintenance."})
    assert paused.json()["paused"] is True and paused.json()["paused_by"] == "operator (token loader)"
    assert Queue.objects.get(name="default").pause_reason == "Maintenance."
    problem(caller.post("queues/default/pause", {"reason": "Again."}), 409)
    assert caller.get("queues").json()["results"][0]["reason"] == "Maintenance."
    assert caller.post("queues/default/resume").json()["paused"] is False
    problem(caller.post("queues/default/resume"), 409)
    for body in ({}, {"reason": " "}, {"reason": "x" * 201}, {"reason": 7}):
        problem(caller.post("queues/default/pause", body), 400)
    assert [each["event"] for each in caller.get("log").json()["results"]] == ["resumed", "paused"]


def test_the_log_is_filtered_and_paged(api, site):
    for _ in range(3):
        run = start_batch_now(site[0], started_by="test", now=clock.now()).run
        work_off_run(run, time=clock.now)
    caller = api("Viewer")
    first = caller.get("log?entity=own&limit=2").json()
    assert len(first["results"]) == 2 and first["next"]
    rest = caller.client.get(first["next"], headers={"Authorization": f"Bearer {caller.secret}"}).json()
    ids = [each["id"] for each in (*first["results"], *rest["results"])]
    assert ids == sorted(ids, reverse=True) and len(set(ids)) == len(ids) >= 4
    assert {each["run"] for each in caller.get(f"log?run={run.pk}").json()["results"]} == {run.pk}
    at = first["results"][0]["at"]
    assert caller.get("log", **{}).json()["results"][0]["at"] == at
    assert all(each["at"] < at for each in caller.get(f"log?until={at.replace('+', '%2B')}").json()["results"])
