"""What the auditor asks when all is over: the invariants, each as a question whose answer should be empty."""

from contextlib import closing
from typing import Any

from tests.acceptance.installation import Installation

STUCK = {
    "a row is pending": "SELECT id FROM stg_branch WHERE import_status = 0",
    "a task has not ended": "SELECT id FROM scheduling_task WHERE finished_at IS NULL",
    "an attempt has not ended": "SELECT id FROM scheduling_attempt WHERE finished_at IS NULL",
    "a run has not ended": "SELECT id FROM scheduling_run WHERE finished_at IS NULL",
    "a batch has not ended": "SELECT id FROM staging_batch WHERE status IN ('pending', 'running')",
    "a guard is held": "SELECT id FROM scheduling_schedulerconfiguration WHERE is_running",
    "a plan's guard is held": "SELECT id FROM scheduling_plan WHERE is_running",
    "a job's guard is held": "SELECT id FROM scheduling_jobschedule WHERE is_running",
}

VIOLATIONS = {
    "seen as it happened": "SELECT what FROM audit_violation",
    # No row lost (I1), none counted twice (I2).
    "a row is neither processed nor rejected": "SELECT id FROM stg_branch WHERE import_status NOT IN (1, 2)",
    "processed rows and members differ": """
        SELECT staged, members, counted FROM
        (SELECT count(*) AS staged FROM stg_branch WHERE import_status = 1) s,
        (SELECT count(*) AS members FROM mdm_branch) m,
        (SELECT coalesce(sum(b.inserted), 0) AS counted FROM staging_batch b
         JOIN staging_entity e ON e.id = b.entity_id WHERE e.code = 'branch') c
        WHERE staged <> members OR staged <> counted""",
    "a script's effect is there other than once for each attempt that completed": """
        SELECT label, sum(effects), sum(completed) FROM
        (SELECT label, 1 AS effects, 0 AS completed FROM mdm_audit_effect UNION ALL
         SELECT t.arguments->>'label', 0, 1 FROM scheduling_task t JOIN scheduling_attempt a ON a.task_id = t.id
         WHERE t.workload = 'script' AND a.outcome = 'completed') counted
        GROUP BY label HAVING sum(effects) <> sum(completed)""",
    # Every attempt counted, none late (I3 to I5); together with the triggers.
    # Of a wait that is not over no look is kept: the next one has its number.
    "an attempt started twice": """
        SELECT task_id, number FROM audit_start s GROUP BY 1, 2 HAVING count(*) > 1 +
        (SELECT count(*) FROM audit_look l WHERE l.task_id = s.task_id AND l.number = s.number)""",
    "an attempt is gone that was no look of a wait": """
        SELECT l.task_id, l.number FROM audit_look l JOIN scheduling_task t ON t.id = l.task_id
        WHERE t.workload <> 'wait'""",
    "more attempts than allowed": """
        SELECT t.id, t.attempts_made, t.attempts_allowed, count(a.id) FROM scheduling_task t
        LEFT JOIN scheduling_attempt a ON a.task_id = t.id GROUP BY t.id
        HAVING count(a.id) <> t.attempts_made OR t.attempts_made > t.attempts_allowed""",
    "starts and attempts differ": """
        SELECT t.id, t.attempts_made FROM scheduling_task t LEFT JOIN audit_move m
        ON m.task_id = t.id AND m.became = 'running' GROUP BY t.id
        HAVING count(m.id) <> t.attempts_made + (SELECT count(*) FROM audit_look l WHERE l.task_id = t.id)""",
    # One for each time that it came to that end: a person may have let it run anew.
    "a completed task without its one completed attempt": """
        SELECT t.id FROM scheduling_task t JOIN scheduling_attempt a ON a.task_id = t.id
        WHERE t.status = 'completed' AND t.started_at IS NOT NULL
        GROUP BY t.id HAVING count(CASE WHEN a.outcome = 'completed' THEN 1 END) <>
        (SELECT count(*) FROM audit_move m WHERE m.task_id = t.id AND m.was = 'running' AND m.became = 'completed')""",
    # Every move is one that may be made, and is told (I7); order and ends (I9).
    "a move that no task may make": """
        SELECT task_id, was, became FROM audit_move WHERE (was, became) NOT IN (VALUES
        ('waiting', 'queued'), ('waiting', 'blocked'), ('waiting', 'cancelled'), ('waiting', 'skipped'),
        ('waiting', 'completed'), ('queued', 'running'), ('queued', 'waiting'), ('queued', 'cancelled'),
        ('queued', 'skipped'), ('queued', 'completed'), ('running', 'queued'), ('running', 'completed'),
        ('running', 'failed'), ('running', 'cancelled'), ('failed', 'queued'), ('failed', 'skipped'),
        ('failed', 'completed'), ('blocked', 'waiting')) AND NOT (was IN ('completed', 'skipped', 'failed', 'blocked')
        AND became IN ('queued', 'waiting') AND EXISTS (SELECT 1 FROM scheduling_task t JOIN scheduling_schedulerlog l
        ON l.run_id = t.run_id WHERE t.id = audit_move.task_id AND l.event_type = 'changed'
        AND l.message LIKE '% run now by %'))""",
    "a task that a person ended, and no event tells it": """
        SELECT t.id, m.was, t.status, t.message FROM scheduling_task t JOIN audit_move m ON m.task_id = t.id
        WHERE m.became = t.status AND (t.status = 'completed' AND m.was <> 'running' OR t.status = 'skipped'
        AND m.was IN ('queued', 'failed')) AND NOT EXISTS (SELECT 1 FROM scheduling_schedulerlog l
        WHERE l.run_id = t.run_id AND l.event_type = 'changed')""",
    "a task is held that nobody holds, or does not wait": """
        SELECT id, status, held_by FROM scheduling_task WHERE held_at IS NOT NULL
        AND (held_by = '' OR status NOT IN ('waiting', 'blocked'))""",
    "a blocked task behind none that failed": """
        SELECT t.id FROM scheduling_task t LEFT JOIN scheduling_task f ON f.id = t.blocked_by_id
        WHERE t.status = 'blocked' AND coalesce(f.status, '') <> 'failed'""",
    "a run that did not end as its tasks": """
        SELECT r.id, r.status FROM scheduling_run r JOIN scheduling_task t ON t.run_id = r.id GROUP BY r.id
        HAVING r.status <> CASE
            WHEN r.timed_out_at IS NOT NULL THEN 'failed'
            WHEN count(CASE WHEN t.status = 'cancelled' OR t.cancel_requested THEN 1 END) > 0 THEN 'cancelled'
            WHEN count(CASE WHEN t.status IN ('failed', 'blocked') THEN 1 END) > 0 THEN 'failed'
            ELSE 'completed' END""",
    "a run fired other than once": """
        SELECT r.id, count(l.id) FROM scheduling_run r LEFT JOIN scheduling_schedulerlog l
        ON l.run_id = r.id AND l.event_type = 'fired' GROUP BY r.id HAVING count(l.id) <> 1""",
    "completions and their events differ": """
        SELECT r.id, r.status FROM scheduling_run r WHERE kind IN ('plan', 'ordered') AND
        (SELECT count(*) FROM scheduling_schedulerlog l WHERE l.run_id = r.id AND l.event_type = 'completed') <>
        (SELECT count(*) FROM scheduling_task t JOIN scheduling_attempt a ON a.task_id = t.id
         WHERE t.run_id = r.id AND a.outcome = 'completed')
        + CASE WHEN r.status = 'completed' THEN 1 ELSE 0 END""",
    # Time goes on while a dispatcher is healthy (I10): who drives the faults knows when one was.
    "no cycle while a dispatcher was healthy": """
        SELECT since, until FROM audit_minute m WHERE NOT EXISTS
        (SELECT 1 FROM audit_tick t WHERE t.at >= m.since AND t.at < m.until)""",
    # What is poisoned fails alone and is told (I11).
    "a failure that no event tells": """
        SELECT t.id FROM scheduling_task t WHERE t.status = 'failed' AND NOT EXISTS (SELECT 1 FROM
        scheduling_schedulerlog l WHERE l.run_id = t.run_id AND l.event_type IN ('error', 'zombie'))""",
    "a neighbour felt the poison": """
        SELECT a.id, a.message FROM scheduling_attempt a JOIN scheduling_task t ON t.id = a.task_id
        LEFT JOIN staging_entity e ON e.id = t.entity_id
        WHERE replace(a.message, 'poison', '') <> a.message AND coalesce(e.code, '') <> 'poison'""",
    "a poisoned row was merged": "SELECT id FROM stg_poison WHERE import_status <> 0",
    # Nothing more than the chunk at work is committed after a cancel (I12).
    "more than one chunk after the cancel": """
        SELECT task_id, number, count(*) FROM audit_late_chunk GROUP BY 1, 2 HAVING count(*) > 1""",
}

# The rest of I11, where there is enough work to compare: what is poisoned leaves nine tenths of the time to the others.
# What a fault of its worker cost an attempt is not the poison's doing.
_SECONDS = {
    "postgresql": "extract(epoch FROM a.finished_at - a.claimed_at)",
    "sqlite": "(julianday(a.finished_at) - julianday(a.claimed_at)) * 86400",
}
_OF_THE_TIME = """
    SELECT poisoned, whole FROM (
        SELECT sum(CASE WHEN e.code = 'poison' THEN {seconds} ELSE 0 END) AS poisoned, sum({seconds}) AS whole
        FROM scheduling_attempt a JOIN scheduling_task t ON t.id = a.task_id
        LEFT JOIN staging_entity e ON e.id = t.entity_id WHERE a.outcome IN ('completed', 'failed')) spent
    WHERE poisoned > 0.1 * whole"""
SHARE = {vendor: _OF_THE_TIME.format(seconds=seconds) for vendor, seconds in _SECONDS.items()}


def stuck(installation: Installation) -> list[str]:
    """Return what has not come to its end."""
    with closing(installation.connect()) as connection:
        return asked(connection, STUCK)


def violations(installation: Installation, *, much_work: bool = False) -> list[str]:
    """Return every promise that does not hold, with at most five examples each.

    `much_work`: enough happened to compare the time that poisoned and other work took.
    """
    share = {"poisoned work took more than a tenth of the time": SHARE[installation.vendor]} if much_work else {}
    with closing(installation.connect()) as connection:
        return asked(connection, VIOLATIONS | share)


def asked(connection: Any, questions: dict[str, str]) -> list[str]:
    """Return what the questions found over this connection, with at most five examples each."""
    found = {what: list(connection.execute(sql).fetchall()) for what, sql in questions.items()}
    return [f"{what} ({len(rows)}): {rows[:5]}" for what, rows in found.items() if rows]
