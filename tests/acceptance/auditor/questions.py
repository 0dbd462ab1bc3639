"""The auditor of a soak: triggers that watch every move as it is committed, and questions asked when all is over.

It reads tables only and shares no code with the engine.
"""

from contextlib import closing

from tests.acceptance.installation import Installation

_WATCH = """
CREATE TABLE soak_effect (id bigserial PRIMARY KEY, label text NOT NULL);
CREATE TABLE soak_start (id bigserial PRIMARY KEY, task_id bigint NOT NULL, number int NOT NULL);
CREATE TABLE soak_move (id bigserial PRIMARY KEY, task_id bigint NOT NULL, was text, became text);
CREATE TABLE soak_violation (id bigserial PRIMARY KEY, what text NOT NULL);

CREATE FUNCTION soak_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE running int; most int;
BEGIN
    INSERT INTO soak_move (task_id, was, became) VALUES (NEW.id, OLD.status, NEW.status);
    IF NEW.status <> 'running' THEN RETURN NULL; END IF;
    SELECT count(*) INTO running FROM scheduling_task WHERE queue_id = NEW.queue_id AND status = 'running';
    SELECT max_running INTO most FROM scheduling_queue WHERE id = NEW.queue_id;
    IF running > most THEN
        INSERT INTO soak_violation (what) VALUES (format('queue %s runs %s of %s', NEW.queue_id, running, most));
    END IF;
    INSERT INTO soak_violation (what)
    SELECT format('task %s started while %s, which it depends on, was %s', NEW.id, prior.id, prior.status)
    FROM scheduling_taskdependency d JOIN scheduling_task prior ON prior.id = d.depends_on_id
    WHERE d.task_id = NEW.id AND NOT prior.continue_on_failure AND prior.status <> 'completed';
    RETURN NULL;
END $$;
CREATE TRIGGER soak_task AFTER UPDATE ON scheduling_task FOR EACH ROW
WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION soak_task();

CREATE FUNCTION soak_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO soak_violation (what)
    VALUES (format('%s %s was final and changed again: %s', TG_TABLE_NAME, NEW.id, to_jsonb(NEW)->>TG_ARGV[0]));
    RETURN NULL;
END $$;
CREATE TRIGGER soak_attempt AFTER UPDATE ON scheduling_attempt FOR EACH ROW
WHEN (OLD.outcome <> 'running') EXECUTE FUNCTION soak_final('outcome');
CREATE TRIGGER soak_run AFTER UPDATE ON scheduling_run FOR EACH ROW
WHEN (OLD.status IN ('completed', 'failed', 'cancelled') AND OLD.status <> NEW.status)
EXECUTE FUNCTION soak_final('status');
"""

STUCK = {
    "a row is pending": "SELECT count(*) FROM stg_branch WHERE import_status = 0",
    "a task has not ended": "SELECT count(*) FROM scheduling_task WHERE finished_at IS NULL",
    "an attempt has not ended": "SELECT count(*) FROM scheduling_attempt WHERE finished_at IS NULL",
    "a run has not ended": "SELECT count(*) FROM scheduling_run WHERE finished_at IS NULL",
    "a guard is held": "SELECT count(*) FROM scheduling_schedulerconfiguration WHERE is_running",
}

VIOLATIONS = {
    "seen as it happened": "SELECT what FROM soak_violation",
    "a row is neither processed nor rejected": "SELECT id FROM stg_branch WHERE import_status NOT IN (1, 2)",
    "processed rows and members differ": """
        SELECT staged, members, counted FROM
        (SELECT count(*) AS staged FROM stg_branch WHERE import_status = 1) s,
        (SELECT count(*) AS members FROM mdm_branch) m,
        (SELECT coalesce(sum(b.inserted), 0) AS counted FROM staging_batch b
         JOIN staging_entity e ON e.id = b.entity_id WHERE e.code = 'branch') c
        WHERE staged <> members OR staged <> counted""",
    "a script's effect is there other than once for each task that completed": """
        SELECT label, effects, completed FROM
        (SELECT label, count(*) AS effects FROM soak_effect GROUP BY label) e
        FULL JOIN (SELECT arguments->>'label' AS label, count(*) AS completed FROM scheduling_task
                   WHERE workload = 'script' AND status = 'completed' GROUP BY 1) t USING (label)
        WHERE effects IS DISTINCT FROM completed""",
    "an attempt started twice": "SELECT task_id, number FROM soak_start GROUP BY 1, 2 HAVING count(*) > 1",
    "more attempts than allowed": """
        SELECT t.id, t.attempts_made, t.attempts_allowed, count(a.id) FROM scheduling_task t
        LEFT JOIN scheduling_attempt a ON a.task_id = t.id GROUP BY t.id
        HAVING count(a.id) <> t.attempts_made OR t.attempts_made > t.attempts_allowed""",
    "starts and attempts differ": """
        SELECT t.id, t.attempts_made FROM scheduling_task t LEFT JOIN soak_move m
        ON m.task_id = t.id AND m.became = 'running' GROUP BY t.id HAVING count(m.id) <> t.attempts_made""",
    "a move that no task may make": """
        SELECT task_id, was, became FROM soak_move WHERE (was, became) NOT IN (
        ('waiting', 'queued'), ('waiting', 'blocked'), ('waiting', 'cancelled'), ('queued', 'running'),
        ('queued', 'cancelled'), ('running', 'queued'), ('running', 'completed'), ('running', 'failed'),
        ('running', 'cancelled'), ('failed', 'queued'), ('blocked', 'waiting'))""",
    "a completed task without its one completed attempt": """
        SELECT t.id FROM scheduling_task t JOIN scheduling_attempt a ON a.task_id = t.id WHERE t.status = 'completed'
        GROUP BY t.id HAVING count(*) FILTER (WHERE a.outcome = 'completed') <> 1""",
    "a blocked task behind none that failed": """
        SELECT t.id FROM scheduling_task t LEFT JOIN scheduling_task f ON f.id = t.blocked_by_id
        WHERE t.status = 'blocked' AND f.status IS DISTINCT FROM 'failed'""",
    "a run that did not end as its tasks": """
        SELECT r.id, r.status FROM scheduling_run r JOIN scheduling_task t ON t.run_id = r.id GROUP BY r.id
        HAVING r.status <> CASE WHEN bool_or(t.status = 'cancelled') THEN 'cancelled'
            WHEN bool_or(t.status IN ('failed', 'blocked')) THEN 'failed' ELSE 'completed' END""",
    "a run fired other than once": """
        SELECT r.id, count(l.id) FROM scheduling_run r LEFT JOIN scheduling_schedulerlog l
        ON l.run_id = r.id AND l.event_type = 'fired' GROUP BY r.id HAVING count(l.id) <> 1""",
    "completions and their events differ": """
        SELECT r.id, r.status FROM scheduling_run r WHERE kind IN ('plan', 'ordered') AND
        (SELECT count(*) FROM scheduling_schedulerlog l WHERE l.run_id = r.id AND l.event_type = 'completed') <>
        (SELECT count(*) FROM scheduling_task t WHERE t.run_id = r.id AND t.status = 'completed')
        + CASE WHEN r.status = 'completed' THEN 1 ELSE 0 END""",
}


def prepare(installation: Installation) -> None:
    """Create the tables and triggers of the auditor."""
    with closing(installation.connect()) as connection:
        connection.execute(_WATCH)
        connection.commit()


def stuck(installation: Installation) -> list[str]:
    """Return what has not come to its end."""
    return [f"{what}: {number}" for what, sql in STUCK.items() if (number := installation.number(sql))]


def violations(installation: Installation) -> list[str]:
    """Return every promise that does not hold, with at most five examples each."""
    found = {what: installation.sql(sql) for what, sql in VIOLATIONS.items()}
    return [f"{what} ({len(rows)}): {rows[:5]}" for what, rows in found.items() if rows]
