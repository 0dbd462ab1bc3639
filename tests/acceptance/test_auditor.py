"""The auditor sees: every kind of damage, planted by hand, is told; so is what a worker without the fence does."""

from contextlib import closing

import pytest

from tests.acceptance.auditor import questions
from tests.acceptance.crash.site import Site
from tests.acceptance.soak.health import Health

KEY_A = "(SELECT id FROM scheduling_task WHERE key = 'a')"
OF = "WHERE task_id IN (SELECT t.id FROM scheduling_task t JOIN staging_entity e ON e.id = t.entity_id WHERE e.code = "
AGAIN = "UPDATE scheduling_task SET status = 'running', finished_at = NULL WHERE "
LATE = f"UPDATE staging_batch SET inserted = inserted + 1 {OF}'branch')"
GUARD = "SET is_running = true, run_started_at = '2026-03-02 06:00:00+00'"

# What is told, and the statements that should make the auditor tell it.
DAMAGE = {
    "runs more than 1": ["UPDATE scheduling_queue SET max_running = 1", AGAIN + "key IN ('a', 'b')"],
    "which it depends on, was failed": [
        "UPDATE scheduling_task SET status = 'failed' WHERE key = 'a'",
        AGAIN + "key = 'b'",
    ],
    "another batch of its entity, ran": [
        "UPDATE scheduling_task SET entity_id = (SELECT min(id) FROM staging_entity) WHERE workload = 'batch'",
        AGAIN + "workload = 'batch'",
    ],
    "attempt": [f"UPDATE scheduling_attempt SET message = 'late' WHERE task_id = {KEY_A}"],
    "was final and changed again": ["UPDATE scheduling_run SET status = 'failed' WHERE kind = 'plan'"],
    "a row is neither processed nor rejected": ["UPDATE stg_branch SET import_status = 3 WHERE code = 'b1'"],
    "processed rows and members differ": ["DELETE FROM mdm_branch WHERE code = 'b1'"],
    "effect is there other than once": ["INSERT INTO mdm_audit_effect (label) VALUES ('a')"],
    "an attempt started twice": ["INSERT INTO audit_start (task_id, number) VALUES (1, 1)"] * 2,
    "more attempts than allowed": ["UPDATE scheduling_task SET attempts_made = 9 WHERE key = 'a'"],
    "starts and attempts differ": ["DELETE FROM audit_move WHERE became = 'running'"],
    "without its one completed attempt": [f"UPDATE scheduling_attempt SET outcome = 'lost' WHERE task_id = {KEY_A}"],
    "a move that no task may make": ["UPDATE scheduling_task SET status = 'cancelled' WHERE key = 'a'"],
    "a blocked task behind none that failed": ["UPDATE scheduling_task SET status = 'blocked' WHERE key = 'join'"],
    "a run that did not end as its tasks": ["UPDATE scheduling_task SET status = 'failed' WHERE key = 'a'"],
    "a run fired other than once": ["DELETE FROM scheduling_schedulerlog WHERE event_type = 'fired'"],
    "completions and their events differ": ["DELETE FROM scheduling_schedulerlog WHERE event_type = 'completed'"],
    "no cycle while a dispatcher was healthy": [
        "INSERT INTO audit_minute (since, until) VALUES ('2026-03-02 05:00:00+00', '2026-03-02 05:01:00+00')"
    ],
    "a failure that no event tells": ["DELETE FROM scheduling_schedulerlog WHERE event_type = 'error'"],
    "a neighbour felt the poison": [f"UPDATE scheduling_attempt SET message = 'poison' WHERE task_id = {KEY_A}"],
    "a poisoned row was merged": ["UPDATE stg_poison SET import_status = 1"],
    "took more than a tenth": [f"UPDATE scheduling_attempt SET claimed_at = '2026-03-01 06:00:00' {OF}'poison')"],
    "more than one chunk after the cancel": [
        "UPDATE scheduling_task SET cancel_requested = true WHERE workload = 'batch'",
        LATE,
        LATE,
    ],
    "a row is pending": ["UPDATE stg_branch SET import_status = 0 WHERE code = 'b1'"],
    "a task has not ended": [AGAIN + "key = 'a'"],
    "an attempt has not ended": [
        f"UPDATE scheduling_attempt SET outcome = 'running', finished_at = NULL WHERE task_id = {KEY_A}"
    ],
    "a run has not ended": ["UPDATE scheduling_run SET status = 'running', finished_at = NULL WHERE kind = 'plan'"],
    "a batch has not ended": [f"UPDATE staging_batch SET status = 'running', finished_at = NULL {OF}'branch')"],
    "a guard is held": [f"UPDATE scheduling_schedulerconfiguration {GUARD}"],
    "a plan's guard is held": [f"UPDATE scheduling_plan {GUARD}"],
    "a job's guard is held": [f"UPDATE scheduling_jobschedule {GUARD}"],
}


@pytest.fixture
def lived(site: Site) -> Site:
    """A site that has seen batches, one of them poisoned, a plan and a job, and has nothing to hide."""
    site.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    site.minute(0, "jobs")
    site.installation.deposit_branches(20, first=1)
    site.sql("INSERT INTO stg_poison (code, name) VALUES ('x', 'X')")
    site.minute(10, "start")
    assert site.audit() == [], site.log()
    return site


def test_every_planted_damage_is_told(lived: Site) -> None:
    everything = questions.STUCK | questions.VIOLATIONS
    everything |= {"poisoned work took more than a tenth of the time": questions.SHARE[lived.installation.vendor]}
    untold: dict[str, list[str]] = {}
    for what, statements in DAMAGE.items():
        with closing(lived.installation.connect()) as connection:
            for statement in statements:
                assert connection.execute(statement).rowcount > 0, statement
            told = questions.asked(connection, everything)
            connection.rollback()
        if what not in "".join(told):
            untold[what] = told
    assert untold == {}


def test_every_question_has_its_damage() -> None:
    asked = [*questions.STUCK, *questions.VIOLATIONS]
    seen = "seen as it happened"
    assert [what for what in asked if what != seen and not any(part in what for part in DAMAGE)] == []


def test_a_worker_that_froze_and_has_no_fence_is_convicted(site: Site) -> None:
    site.strike("scheduling.runs.execute.Pulse", "freeze", 1, "start with retries", unfenced=True)
    site.pass_time(1)
    told = "".join(site.audit())
    assert "effect is there other than once" in told or "was final and changed again" in told, told


def test_healthy_times_leave_out_what_ails_a_whole_part(monkeypatch: pytest.MonkeyPatch) -> None:
    health = Health(dispatchers=((0, 1), (2, 3)))
    now = 1_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    health.ill(0, 100)  # the other beat is well
    health.ill(2, 10)
    health.ill(3, 5)
    found = [(since.timestamp() - now, until.timestamp() - now) for since, until in health.windows(now, now + 30, 10)]
    assert found == [(5, 15), (15, 25)]
