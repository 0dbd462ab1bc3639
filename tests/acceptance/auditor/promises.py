"""What is asked of a soak besides: promises about people, clocks, stops and outages, which only its driver can witness.

The driver notes in the ledgers (watch.py) whom it stopped, whose clock it put wrong, whom it left alive, what people
cancelled and switched off. Like all questions these answer with what is wrong, and can be asked at any time.
"""

# Slots older than this run late (MISSED_AFTER_SECONDS of a soak, and a second of grace).
LATE_SECONDS = 6
# More than the tolerance by which clocks may differ, less than by how much one of a soak does.
_OFF_SECONDS = 1800
# Workers are known by their process; their names hold it, a pool's child that of its worker as well.
_OF_WORKER = "(':' || {name} || ':') LIKE '%:' || {w} || ':%'"


def promises(vendor: str) -> dict[str, str]:
    """Return the questions, each with the statement that should find nothing."""
    return {**_STOPS, **_PEOPLE, **_clocks(vendor)}


def _seconds(vendor: str, since: str, until: str) -> str:
    """Return how many seconds lie between two instants."""
    if vendor == "postgresql":
        return f"extract(epoch FROM {until} - {since})"
    return f"(julianday({until}) - julianday({since})) * 86400"


_STOPS = {
    # A worker that is told to stop hands its work back: no attempt is used, and nobody is blamed.
    "what a stopped worker did was lost": f"""
        SELECT a.task_id, a.number, a.worker, s.at FROM scheduling_attempt a JOIN audit_stop s
        ON {_OF_WORKER.format(name="a.worker", w="s.worker")} WHERE a.outcome = 'lost' AND a.claimed_at < s.at
        AND a.finished_at >= s.at AND a.message LIKE '%has ended%'""",
    "a stop was blamed on the work": f"""
        SELECT a.task_id, a.number, a.message FROM scheduling_attempt a JOIN audit_stop s
        ON {_OF_WORKER.format(name="a.worker", w="s.worker")} JOIN scheduling_task t ON t.id = a.task_id
        WHERE a.outcome = 'failed' AND a.finished_at >= s.at AND t.workload <> 'batch'
        AND a.message NOT LIKE '%now and then%' AND a.message NOT LIKE '%connection%'""",
    "a task failed with attempts left": """
        SELECT t.id, t.workload, t.message FROM scheduling_task t JOIN audit_allowed w ON w.task_id = t.id
        WHERE t.status = 'failed' AND w.attempts >
        (SELECT count(*) FROM scheduling_attempt a WHERE a.task_id = t.id AND a.outcome <> 'interrupted')""",
    "an interruption that no event tells": """
        SELECT a.task_id, a.number FROM scheduling_attempt a JOIN scheduling_task t ON t.id = a.task_id
        WHERE a.outcome = 'interrupted' AND NOT EXISTS (SELECT 1 FROM scheduling_schedulerlog l
        WHERE l.run_id = t.run_id AND l.event_type IN ('interrupted', 'cancelled'))""",
}

_PEOPLE = {
    "a run that people cancelled ended otherwise": """
        SELECT r.id, r.status FROM scheduling_run r JOIN audit_cancel c ON c.run_id = r.id
        WHERE r.status IN ('completed', 'failed')""",
    "a run that was made good ran again": """
        SELECT good.restart_of_id, good.id, later.id FROM scheduling_run good
        JOIN scheduling_run later ON later.restart_of_id = good.restart_of_id AND later.id > good.id
        WHERE good.status = 'completed' AND later.created_at > good.finished_at""",
    # Of the plan with a cancelled plan in its middle the first step has ended before the last one starts.
    "the order through a cancelled plan was lost": """
        SELECT after.run_id FROM scheduling_task after JOIN scheduling_task before ON before.run_id = after.run_id
        WHERE after.key LIKE 'script after%' AND before.key LIKE 'script before%' AND EXISTS (
            SELECT 1 FROM audit_move m WHERE m.task_id = after.id AND m.became = 'running' AND NOT EXISTS (
                SELECT 1 FROM audit_move b WHERE b.task_id = before.id AND b.became = 'completed' AND b.id < m.id))""",
    "a schedule that people switched off is on": """
        SELECT j.name, s.name FROM scheduling_jobschedule s JOIN scheduling_job j ON j.id = s.job_id
        JOIN audit_switched_off o ON o.job = j.name
        WHERE s.removed_at IS NULL AND s.is_enabled AND s.paused_at IS NULL""",
    "a job whose schedule is switched off ran": """
        SELECT j.name, t.run_id FROM scheduling_task t JOIN scheduling_run r ON r.id = t.run_id
        JOIN scheduling_job j ON t.workload = 'job' AND j.id = t.target_id
        JOIN audit_switched_off o ON o.job = j.name WHERE r.created_at > o.at""",
    "a look for late references failed and no event tells it": """
        SELECT s.code FROM audit_stubborn s WHERE NOT EXISTS (
            SELECT 1 FROM scheduling_schedulerlog l JOIN staging_entity e ON e.id = l.entity_id
            WHERE e.code = s.code AND l.event_type = 'error' AND l.trigger_source = 'Late reference')""",
}


def _clocks(vendor: str) -> dict[str, str]:
    """Return the questions that compare instants."""
    late = f"{_seconds(vendor, 'r.scheduled_for', 'r.created_at')} > {LATE_SECONDS}"
    return {
        # While cycles go on a catch-up comes to its end. Twice, for a slow machine may be late anew by itself.
        "more late runs than a catch-up may make": f"""
            SELECT m.since, s.id, count(*) FROM audit_minute m JOIN scheduling_run r
            ON r.created_at >= m.since AND r.created_at < m.until AND {late}
            JOIN scheduling_jobschedule s ON r.fire_key LIKE 'job:' || s.id || ':slot:%'
            WHERE s.catch_up = 'all' GROUP BY m.id, m.since, s.id, s.catch_up_limit
            HAVING count(*) > 2 * s.catch_up_limit""",
        "a living worker gave no sign of life": f"""
            SELECT a.worker, a.since FROM audit_alive a WHERE NOT EXISTS (SELECT 1 FROM scheduling_heartbeat h
            WHERE {_OF_WORKER.format(name="h.name", w="a.worker")} AND h.seen_at >= a.since)""",
        "a host whose clock is off took work": f"""
            SELECT a.task_id, a.worker FROM scheduling_attempt a JOIN audit_off o
            ON {_OF_WORKER.format(name="a.worker", w="o.worker")}""",
        "a host whose clock is off ran a cycle": f"""
            SELECT at, noted FROM audit_tick WHERE abs({_seconds(vendor, "at", "noted")}) > {_OFF_SECONDS}""",
        "a host whose clock is off does not say so": f"""
            SELECT h.name FROM scheduling_heartbeat h JOIN audit_off o
            ON {_OF_WORKER.format(name="h.name", w="o.worker")} WHERE h.trouble = ''""",
    }
