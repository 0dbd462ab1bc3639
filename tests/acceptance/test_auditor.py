"""The auditor sees: every kind of damage, planted by hand, is told; so is what a worker without the fence does."""

from contextlib import closing

import pytest

from tests.acceptance.auditor import deliveries, questions
from tests.acceptance.auditor.promises import promises
from tests.acceptance.crash.site import Site
from tests.acceptance.soak.health import Health

KEY_A = "(SELECT id FROM scheduling_task WHERE key = 'a')"
OF = "WHERE task_id IN (SELECT t.id FROM scheduling_task t JOIN staging_entity e ON e.id = t.entity_id WHERE e.code = "
AGAIN = "UPDATE scheduling_task SET status = 'running', finished_at = NULL WHERE "
LATE = f"UPDATE staging_batch SET inserted = inserted + 1 {OF}'branch')"
GUARD = "SET is_running = true, run_started_at = '2026-03-02 06:00:00+00:00'"

JOB_RUN = "(SELECT min(run_id) FROM scheduling_task WHERE workload = 'job')"
SLOT = "UPDATE scheduling_run SET scheduled_for = '2026-03-02 05:00:00+00:00'"
EDITED = "SET fire_count = fire_count + 1, armed_from = '2026-03-02 05:30:00+00:00', is_running = true"
STOPPED = (
    f"INSERT INTO audit_stop (worker, at) SELECT worker, claimed_at FROM scheduling_attempt WHERE task_id = {KEY_A}"
)
LATER = "'2026-03-02 05:00:00+00:00', '2026-03-02 07:00:00+00:00'"

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
    "another run of its job, was at work": [
        "UPDATE scheduling_task SET workload = 'job', target_id = 1",
        AGAIN + "key IN ('a', 'b')",
    ],
    "an old slot of configuration": [
        SLOT,
        f"UPDATE scheduling_schedulerconfiguration {EDITED}, run_started_at = armed_from, running_task_id = {KEY_A}",
    ],
    "an old slot of plan": [
        SLOT,
        f"UPDATE scheduling_plan {EDITED}, run_started_at = armed_from, running_run_id = {JOB_RUN}",
    ],
    "an old slot of schedule": [
        SLOT,
        f"UPDATE scheduling_jobschedule {EDITED}, run_started_at = armed_from, running_run_id = {JOB_RUN}",
    ],
    "as missed that an edit had disowned": [
        "UPDATE scheduling_schedulerconfiguration SET armed_from = '2026-03-02 05:30:00+00:00'",
        "INSERT INTO scheduling_schedulerlog (event_time, event_type, entity_id, trigger_source, message, details)"
        " SELECT '2026-03-02 06:00:00+00:00', 'missed', min(id), '', '', '{\"first\": \"2026-03-02T05:00:00+00:00\"}'"
        " FROM staging_entity",
    ],
    "attempt": [f"UPDATE scheduling_attempt SET message = 'late' WHERE task_id = {KEY_A}"],
    "was final and changed again": ["UPDATE scheduling_run SET status = 'failed' WHERE kind = 'plan'"],
    "a row is neither processed nor rejected": ["UPDATE stg_branch SET import_status = 3 WHERE code = 'b1'"],
    "processed rows and members differ": ["DELETE FROM mdm_branch WHERE code = 'b1'"],
    "effect is there other than once": ["INSERT INTO mdm_audit_effect (label) VALUES ('a')"],
    "an attempt started twice": ["INSERT INTO audit_start (task_id, number) VALUES (1, 1)"] * 2,
    "an attempt is gone that was no look of a wait": [
        f"UPDATE scheduling_attempt SET outcome = 'running', finished_at = NULL WHERE task_id = {KEY_A}",
        f"DELETE FROM scheduling_attempt WHERE task_id = {KEY_A}",
    ],
    "more attempts than allowed": ["UPDATE scheduling_task SET attempts_made = 9 WHERE key = 'a'"],
    "starts and attempts differ": ["DELETE FROM audit_move WHERE became = 'running'"],
    "without its one completed attempt": [f"UPDATE scheduling_attempt SET outcome = 'lost' WHERE task_id = {KEY_A}"],
    "a move that no task may make": ["UPDATE scheduling_task SET status = 'cancelled' WHERE key = 'a'"],
    "a task that a person ended, and no event tells it": [
        "UPDATE scheduling_task SET status = 'queued', finished_at = NULL WHERE key = 'a'",
        "UPDATE scheduling_task SET status = 'skipped', finished_at = '2026-03-02 06:00:00+00:00' WHERE key = 'a'",
    ],
    "a task is held that nobody holds": [
        "UPDATE scheduling_task SET held_at = '2026-03-02 06:00:00+00:00', held_by = 'ann' WHERE key = 'a'"
    ],
    "a blocked task behind none that failed": ["UPDATE scheduling_task SET status = 'blocked' WHERE key = 'join'"],
    "a run that did not end as its tasks": ["UPDATE scheduling_task SET status = 'failed' WHERE key = 'a'"],
    "a run fired other than once": ["DELETE FROM scheduling_schedulerlog WHERE event_type = 'fired'"],
    "completions and their events differ": ["DELETE FROM scheduling_schedulerlog WHERE event_type = 'completed'"],
    "no cycle while a dispatcher was healthy": [
        "INSERT INTO audit_minute (since, until) VALUES ('2026-03-02 05:00:00+00:00', '2026-03-02 05:01:00+00:00')"
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
RESTARTS = (
    "UPDATE scheduling_run SET restart_of_id = (SELECT min(id) FROM scheduling_run), status = 'completed', "
    "created_at = {} WHERE id IN (SELECT id FROM scheduling_run WHERE status = 'completed' ORDER BY id {} LIMIT 1)"
)
# The same for what is asked of a soak besides.
WITNESSED = {
    "what a stopped worker did was lost": [
        STOPPED.replace("claimed_at FROM", "'2027-01-01 00:00:00+00:00' FROM"),
        "UPDATE scheduling_attempt SET outcome = 'lost', finished_at = '2028-01-01 00:00:00+00:00', "
        f"message = 'The process of test has ended; released.' WHERE task_id = {KEY_A}",
    ],
    "a stop was blamed on the work": [
        STOPPED,
        "UPDATE scheduling_attempt SET outcome = 'failed', message = 'The job tried to end its worker' "
        f"WHERE task_id = {KEY_A}",
    ],
    "a task failed with attempts left": [
        f"UPDATE scheduling_attempt SET outcome = 'interrupted' WHERE task_id = {KEY_A}",
        "UPDATE scheduling_task SET status = 'failed' WHERE key = 'a'",
    ],
    "an interruption that no event tells": [
        f"UPDATE scheduling_attempt SET outcome = 'interrupted' WHERE task_id = {KEY_A}"
    ],
    "a run that people cancelled ended otherwise": [
        "INSERT INTO audit_cancel (run_id) SELECT id FROM scheduling_run WHERE kind = 'plan'"
    ],
    "a run that was made good ran again": [
        RESTARTS.format("'2026-03-02 05:00:00+00:00'", ""),
        RESTARTS.format("'2027-03-02 05:00:00+00:00'", "DESC"),
    ],
    "the order through a cancelled plan was lost": [
        "UPDATE scheduling_task SET key = 'script after (label=x)' WHERE key = 'a'",
        "UPDATE scheduling_task SET key = 'script before (label=x)' WHERE key = 'b'",
    ],
    "a schedule that people switched off is on": [
        "INSERT INTO audit_switched_off (job, at) SELECT name, '2027-01-01 00:00:00+00:00' FROM scheduling_job"
    ],
    "a job whose schedule is switched off ran": [
        "INSERT INTO audit_switched_off (job, at) SELECT name, '2026-01-01 00:00:00+00:00' FROM scheduling_job"
    ],
    "a look for late references failed": ["INSERT INTO audit_stubborn (code) VALUES ('branch')"],
    "more late runs than a catch-up may make": [
        f"INSERT INTO audit_minute (since, until) VALUES ({LATER})",
        "UPDATE scheduling_jobschedule SET catch_up = 'all', catch_up_limit = 1",
        "UPDATE scheduling_run SET created_at = '2026-03-02 06:30:00+00:00', "
        "scheduled_for = '2026-03-02 06:00:00+00:00', "
        "fire_key = 'job:' || (SELECT min(id) FROM scheduling_jobschedule) || ':slot:' || id",
    ],
    "a living worker gave no sign of life": [
        "INSERT INTO audit_alive (worker, since) VALUES ('1', '2026-03-02 06:00:00+00:00')"
    ],
    "a host whose clock is off took work": [
        f"INSERT INTO audit_off (worker) SELECT worker FROM scheduling_attempt WHERE task_id = {KEY_A}"
    ],
    "a host whose clock is off ran a cycle": [
        "INSERT INTO audit_tick (at, noted) VALUES ('2026-03-02 07:00:00+00:00', '2026-03-02 06:00:00+00:00')"
    ],
    "a host whose clock is off does not say so": [
        "INSERT INTO audit_off (worker) VALUES ('1')",
        "INSERT INTO scheduling_heartbeat (name, kind, started_at, seen_at, trouble) "
        "VALUES ('celery@nowhere:1', 'worker', '2026-03-02 06:00:00+00:00', '2026-03-02 06:00:00+00:00', '')",
    ],
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
    assert untold(lived, DAMAGE, everything) == {}


def test_what_only_the_driver_of_a_soak_witnesses_is_told(lived: Site) -> None:
    lived.sql("DELETE FROM audit_tick")  # of minutes in another year
    asked = promises(lived.installation.vendor)
    with closing(lived.installation.connect()) as connection:
        assert questions.asked(connection, asked) == []
    assert untold(lived, WITNESSED, asked) == {}


def untold(lived: Site, damage: dict[str, list[str]], asked: dict[str, str]) -> dict[str, list[str]]:
    """Return the damage that these questions do not tell, each with what they told instead."""
    found: dict[str, list[str]] = {}
    for what, statements in damage.items():
        with closing(lived.installation.connect()) as connection:
            for statement in statements:
                assert connection.execute(statement).rowcount > 0, statement
            told = questions.asked(connection, asked)
            connection.rollback()
        if what not in "".join(told):
            found[what] = told
    return found


def test_every_question_has_its_damage() -> None:
    asked = [*questions.STUCK, *questions.VIOLATIONS, *promises("sqlite")]
    seen = "seen as it happened"
    damage = [*DAMAGE, *WITNESSED]
    assert [what for what in asked if what != seen and not any(part in what for part in damage)] == []


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


def rows(*delivered: tuple[str, str, str]) -> list[deliveries.Row]:
    """Return rows as they land, each by its code and its two attributes; a code of "--" ends a delivery."""
    found, tag = [], 1
    for number, (code, first, second) in enumerate(delivered):
        if code == "--":
            tag += 1
        else:
            found.append(deliveries.Row(number, code, str(tag), first, second, ""))
    return found


NEXT = ("--", "", "")
PASSES, FALLS, GIVES_WAY = deliveries.PROCESSED, deliveries.REJECTED, deliveries.SUPERSEDED
MEMBERS = [("a", "1", ""), ("b", "2", ""), ("c", "3", ""), NEXT]


@pytest.mark.parametrize(
    ("ends", "delivered", "expected"),
    [
        (deliveries.copies("reject_all"), [("a", "1", ""), ("b", "1", ""), ("a", "2", "")], [FALLS, PASSES, FALLS]),
        (deliveries.copies("reject_all"), [("a", "1", ""), ("a", "1", "")], [PASSES, GIVES_WAY]),
        (deliveries.copies("first_wins"), [("a", "1", ""), ("a", "2", "")], [PASSES, GIVES_WAY]),
        (deliveries.copies("last_wins"), [("a", "1", ""), ("a", "2", "")], [GIVES_WAY, PASSES]),
        (deliveries.unique, [*MEMBERS, ("a", "2", ""), ("b", "3", ""), ("c", "4", "")], [PASSES] * 3),
        (deliveries.unique, [*MEMBERS, ("a", "2", ""), ("b", "1", "")], [PASSES] * 2),
        (deliveries.unique, [*MEMBERS, ("a", "9", ""), ("b", "9", "")], [FALLS] * 2),
        (deliveries.unique, [*MEMBERS, ("a", "2", ""), ("b", "3", ""), ("c", "4", "999")], [FALLS] * 3),
        (deliveries.unique, [*MEMBERS, ("a", "~NULL~", ""), ("x", "1", "")], [PASSES] * 2),
        (deliveries.unique, [*MEMBERS, ("x", "7", "999"), ("y", "7", "")], [FALLS, PASSES]),
        (deliveries.tree, [("a", "b", ""), ("b", "a", ""), ("c", "d", "")], [PASSES, PASSES, FALLS]),
        (deliveries.tree, [("a", "b", ""), ("b", "c", ""), ("c", "", "999"), ("d", "", "")], [FALLS] * 3 + [PASSES]),
    ],
)
def test_the_model_of_deliveries_tells_their_end(ends, delivered, expected) -> None:
    found = ends(rows(*delivered))
    assert [found[row] for row in sorted(found)][-len(expected) :] == expected


def test_a_delivery_that_ended_otherwise_is_told(lived: Site) -> None:
    """The tables of a soak in miniature: a copy merged that must be rejected, a member with another value."""
    for entity in ("copyall", "copyfirst", "copylast", "mark", "tree", "child", "grandchild", "parent"):
        lived.sql(f"CREATE TABLE mdm_{entity} (id int, code text, value text, parent int, is_active boolean)")
        lived.sql(
            f"CREATE TABLE stg_{entity} (id int, code text, batch_tag text, value text, parent text, size text, "
            "import_status int, import_outcome text)"
        )
    assert deliveries.findings(lived.installation) == []
    lived.sql("INSERT INTO stg_copyall VALUES (1, 'a', '1', 'x', '', '', 2, 'rejected')")
    lived.sql("INSERT INTO stg_copyall VALUES (2, 'a', '1', 'y', '', '', 1, 'inserted')")
    lived.sql("INSERT INTO stg_copyfirst VALUES (3, 'b', '1', 'x', '', '', 1, 'inserted')")
    lived.sql("INSERT INTO mdm_copyfirst VALUES (1, 'b', 'y', NULL, true)")
    lived.sql("INSERT INTO stg_child VALUES (4, 'c', '1', '', 'p', '', 2, 'rejected')")
    lived.sql("INSERT INTO mdm_parent VALUES (1, 'p', '', NULL, true)")
    assert "copyall row 2 (a, 1) is processed, not rejected" in "".join(
        deliveries.findings(lived.installation, at_end=False)
    )
    told = "".join(deliveries.findings(lived.installation))
    assert "copyfirst b is 'y', not 'x'" in told and "never came home: ('child', 4" in told
