"""Triggers that watch every move as it is committed, and the ledgers they fill; the same ones on both databases."""

from contextlib import closing

from tests.acceptance.installation import Installation

# One entity that cannot be merged: its neighbours must not feel it.
POISON = """
version: 1
entities:
  - code: poison
    name: Poison
    schedule: {processing_mode: triggered, trigger_row_threshold: 1}
"""

_TABLES = (
    "mdm_audit_effect (id {ID}, label text NOT NULL)",
    "audit_start (id {ID}, task_id bigint NOT NULL, number int NOT NULL)",
    "audit_look (id {ID}, task_id bigint NOT NULL, number int NOT NULL)",
    "audit_move (id {ID}, task_id bigint NOT NULL, was text, became text)",
    "audit_violation (id {ID}, what text NOT NULL)",
    "audit_tick (id {ID}, at timestamptz NOT NULL, noted timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP)",
    "audit_minute (id {ID}, since timestamptz NOT NULL, until timestamptz NOT NULL)",
    "audit_late_chunk (id {ID}, task_id bigint NOT NULL, number int NOT NULL)",
    "audit_allowed (id {ID}, task_id bigint NOT NULL, attempts int NOT NULL)",
    # What only those know who drive a soak: see promises.py.
    "audit_alive (id {ID}, worker text NOT NULL, since timestamptz NOT NULL)",
    "audit_stop (id {ID}, worker text NOT NULL, at timestamptz NOT NULL)",
    "audit_off (id {ID}, worker text NOT NULL)",
    "audit_cancel (id {ID}, run_id bigint NOT NULL)",
    "audit_switched_off (id {ID}, job text NOT NULL, at timestamptz NOT NULL)",
    "audit_stubborn (id {ID}, code text NOT NULL)",
)

_MOVE = """
INSERT INTO audit_move (task_id, was, became) VALUES (NEW.id, OLD.status, NEW.status);
INSERT INTO audit_violation (what)
SELECT 'queue ' || q.id || ' runs more than ' || q.max_running FROM scheduling_queue q
WHERE NEW.status = 'running' AND q.id = NEW.queue_id AND q.max_running <
    (SELECT count(*) FROM scheduling_task t WHERE t.queue_id = NEW.queue_id AND t.status = 'running');
INSERT INTO audit_violation (what)
SELECT 'task ' || NEW.id || ' started while ' || prior.id || ', which it depends on, was ' || prior.status
FROM scheduling_taskdependency d JOIN scheduling_task prior ON prior.id = d.depends_on_id
WHERE NEW.status = 'running' AND d.task_id = NEW.id AND NOT EXISTS (SELECT 1 FROM scheduling_schedulerlog l
    WHERE l.run_id = NEW.run_id AND l.event_type = 'changed' AND l.message LIKE '% run now by %')
    AND NOT prior.continue_on_failure AND prior.status NOT IN ('completed', 'skipped');
INSERT INTO audit_violation (what)
SELECT 'task ' || NEW.id || ' started while ' || t.id || ', another batch of its entity, ran' FROM scheduling_task t
WHERE NEW.status = 'running' AND NEW.workload = 'batch' AND t.workload = 'batch'
    AND t.entity_id = NEW.entity_id AND t.id <> NEW.id AND t.status = 'running';
INSERT INTO audit_violation (what)
SELECT 'task ' || NEW.id || ' started while ' || t.id || ', another run of its job, was at work' FROM scheduling_task t
WHERE NEW.status = 'running' AND NEW.workload = 'job' AND t.workload = 'job'
    AND t.target_id = NEW.target_id AND t.id <> NEW.id AND t.status = 'running' AND NOT NEW.side_by_side
    AND NOT EXISTS (SELECT 1 FROM scheduling_run r WHERE r.id = NEW.run_id AND r.trigger_source = 'Enqueued');
"""
_ALLOWED = "INSERT INTO audit_allowed (task_id, attempts) VALUES (NEW.id, NEW.attempts_allowed);"
# Editing never fires: a slot that a schedule has disowned is neither fired, but for a person's backfill, nor told as
# missed.
_OLD_SLOT = """
INSERT INTO audit_violation (what)
SELECT 'an old slot of {what} ' || NEW.id || ' was fired, ' || r.scheduled_for || ', edited ' || NEW.armed_from
FROM scheduling_run r WHERE {held} AND r.scheduled_for < NEW.armed_from;
"""
_OF_TASK = "r.id = (SELECT t.run_id FROM scheduling_task t WHERE t.id = NEW.running_task_id)"
_OF_RUN = "r.id = NEW.running_run_id AND r.started_by = 'scheduler'"  # an entity has no backfills
_FIRES = "NEW.fire_count <> OLD.fire_count AND NEW.is_running"
_OLD_MISS = """
INSERT INTO audit_violation (what)
SELECT 'event ' || NEW.id || ' tells slots of entity ' || NEW.entity_id || ' as missed that an edit had disowned'
FROM scheduling_schedulerconfiguration c WHERE c.entity_id = NEW.entity_id AND c.armed_from <= NEW.event_time
    AND {first} < c.armed_from;
"""
# How each database reads an instant that was written into a document.
_FIRST = {"sqlite": "datetime(NEW.details->>'first')", "postgresql": "(NEW.details->>'first')::timestamptz"}
_TOLD = "INSERT INTO audit_violation (what) VALUES ('{what} ' || NEW.id || ' was final and changed again');"
_TICK = "INSERT INTO audit_tick (at) VALUES (NEW.seen_at);"
_COUNTED = " + ".join(
    f"{{row}}.{name}" for name in ("inserted", "updated", "unchanged", "deactivated", "deleted", "rejected")
)
_CHUNK = """
INSERT INTO audit_late_chunk (task_id, number)
SELECT t.id, t.attempts_made FROM scheduling_task t WHERE t.id = NEW.task_id AND t.cancel_requested;
"""

_CONFIGURATION = "scheduling_schedulerconfiguration"

# Name, table, event, condition, body.
_TRIGGERS = (
    ("audit_task", "scheduling_task", "UPDATE", "OLD.status <> NEW.status", _MOVE),
    ("audit_attempt", "scheduling_attempt", "UPDATE", "OLD.outcome <> 'running'", _TOLD.format(what="attempt")),
    # Of a look of a wait that is not over nothing is kept, and its number is given to the next one.
    (
        "audit_looked",
        "scheduling_attempt",
        "DELETE",
        "OLD.outcome = 'running'",
        "INSERT INTO audit_look (task_id, number) VALUES (OLD.task_id, OLD.number);",
    ),
    (
        "audit_run",
        "scheduling_run",
        "UPDATE",
        "OLD.status IN ('completed', 'failed', 'cancelled') AND OLD.status <> NEW.status",
        _TOLD.format(what="run"),
    ),
    ("audit_first_tick", "scheduling_heartbeat", "INSERT", "NEW.kind = 'dispatcher'", _TICK),
    ("audit_next_tick", "scheduling_heartbeat", "UPDATE", "NEW.kind = 'dispatcher'", _TICK),
    (
        "audit_chunk",
        "staging_batch",
        "UPDATE",
        f"{_COUNTED.format(row='NEW')} <> {_COUNTED.format(row='OLD')}",
        _CHUNK,
    ),
    ("audit_new_task", "scheduling_task", "INSERT", "NEW.id > 0", _ALLOWED),
    ("audit_fire", _CONFIGURATION, "UPDATE", _FIRES, _OLD_SLOT.format(what="configuration", held=_OF_TASK)),
    ("audit_fire_plan", "scheduling_plan", "UPDATE", _FIRES, _OLD_SLOT.format(what="plan", held=_OF_RUN)),
    ("audit_fire_job", "scheduling_jobschedule", "UPDATE", _FIRES, _OLD_SLOT.format(what="schedule", held=_OF_RUN)),
    ("audit_missed", "scheduling_schedulerlog", "INSERT", "NEW.event_type = 'missed'", _OLD_MISS),
)

_POISONED = {
    "sqlite": "CREATE TRIGGER audit_poison BEFORE INSERT ON mdm_poison BEGIN SELECT RAISE(ABORT, 'poison'); END",
    "postgresql": """
        CREATE FUNCTION audit_poison() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'poison' USING ERRCODE = '23514'; END $$;
        CREATE TRIGGER audit_poison BEFORE INSERT ON mdm_poison FOR EACH ROW EXECUTE FUNCTION audit_poison()""",
}


def prepare(installation: Installation) -> None:
    """Create the ledgers and triggers of the auditor, and the poisoned entity."""
    model = installation.folder / "poison.yaml"
    model.write_text(POISON)
    installation.manage("load_model", str(model))
    identity = "bigserial PRIMARY KEY" if installation.vendor == "postgresql" else "INTEGER PRIMARY KEY"
    with closing(installation.connect()) as connection:
        for table in _TABLES:
            connection.execute(f"CREATE TABLE {table.format(ID=identity)}")
        for trigger in _TRIGGERS:
            for statement in _statements(installation.vendor, *trigger):
                connection.execute(statement.replace("{first}", _FIRST[installation.vendor]))
        connection.execute(_POISONED[installation.vendor])
        connection.commit()


def _statements(vendor: str, name: str, table: str, event: str, condition: str, body: str) -> list[str]:
    """Return what creates one trigger; only the frame around its body differs."""
    head = f"CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW WHEN ({condition})"
    if vendor == "sqlite":
        return [f"{head} BEGIN {body} END"]
    function = f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NULL; END $$"
    return [function, f"{head} EXECUTE FUNCTION {name}()"]
