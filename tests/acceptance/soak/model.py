"""What a soak works on: entities for every kind of delivery, scripts, jobs in plans, tables that take their time."""

from tests.acceptance.installation import Installation

# One chunk each so many rows: a delivery takes several, and each takes so long.
CHUNK_ROWS, CHUNK_SECONDS = 40, 0.15

MODEL = """
version: 1
queues:
  - {name: default, max_running: 4}
  - {name: narrow, max_running: 1}
scripts:
  - name: effect
    sql: "INSERT INTO mdm_audit_effect (label) SELECT %(label)s FROM pg_sleep(0.4)"
    parameters: {label: text}
  - name: before
    sql: "INSERT INTO mdm_audit_effect (label) SELECT %(label)s FROM pg_sleep(0.3)"
    parameters: {label: text}
  - name: after
    sql: "INSERT INTO mdm_audit_effect (label) VALUES (%(label)s)"
    parameters: {label: text}
entities:
  - {code: copyall, name: Copies that fall, duplicates: reject_all, ATTRIBUTES: [{name: value, type: text}], TRIGGERED}
  - {code: copyfirst, name: First copies, duplicates: first_wins, ATTRIBUTES: [{name: value, type: text}], TRIGGERED}
  - {code: copylast, name: Last copies, duplicates: last_wins, ATTRIBUTES: [{name: value, type: text}], TRIGGERED}
  - code: mark
    name: Unique values
    ATTRIBUTES: [{name: value, type: text, unique: true}, {name: size, type: integer, max: 100}]
    TRIGGERED
  - code: tree
    name: Rows that refer to each other
    ATTRIBUTES: [{name: parent, type: reference, reference: tree}, {name: size, type: integer, max: 100}]
    TRIGGERED
  - {code: parent, name: Late parents, TRIGGERED}
  - code: skipper
    name: References that may be left out
    ATTRIBUTES: [{name: parent, type: reference, reference: parent, on_error: skip_field}]
    TRIGGERED
  - code: stubborn
    name: Rows that cannot be taken back
    ATTRIBUTES: [{name: parent, type: reference, reference: parent}]
    TRIGGERED
  - code: child
    name: Children that come first
    ATTRIBUTES: [{name: parent, type: reference, reference: parent}]
    TRIGGERED
  - code: grandchild
    name: Their children
    ATTRIBUTES: [{name: parent, type: reference, reference: child}]
    TRIGGERED
  - code: clocked
    name: Batches by the clock
    ATTRIBUTES: [{name: value, type: text}]
    schedule: {processing_mode: scheduled, schedule_type: interval, interval_minutes: 3}
plans:
  - {name: Gone, is_cancelled: true, steps: [{script: effect, arguments: {label: gone}}]}
  - name: Through
    steps:
      - {script: before, arguments: {label: before}}
      - {plan: Gone}
      - {script: after, arguments: {label: after}}
  - {name: One, steps: [{job: shared}]}
  - {name: Two, steps: [{job: shared, queue: narrow}]}
""".replace("ATTRIBUTES", "attributes").replace(
    "TRIGGERED", "schedule: {processing_mode: triggered, trigger_row_threshold: 1}"
)
_SLOW = ("copyall", "copyfirst", "copylast", "mark", "tree", "clocked")

# Whoever looks for late references of this entity fails, each time, and no other.
_STUBBORN = """
CREATE FUNCTION soak_stubborn() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'stubborn' USING ERRCODE = '23514'; END $$;
CREATE TRIGGER soak_stubborn BEFORE UPDATE ON stg_stubborn FOR EACH ROW
WHEN (OLD.import_status = 2 AND NEW.import_status = 0) EXECUTE FUNCTION soak_stubborn()
"""


def prepare(installation: Installation) -> None:
    """Load the model, and make its tables slow and stubborn."""
    installation.manage("sync_jobs")  # plans name them
    model = installation.folder / "soak.yaml"
    model.write_text(MODEL)
    installation.manage("load_model", str(model))
    installation.sql(
        "CREATE FUNCTION soak_slow() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN PERFORM pg_sleep({CHUNK_SECONDS}); RETURN NULL; END $$"
    )
    for entity in _SLOW:
        installation.sql(
            f"CREATE TRIGGER soak_slow AFTER UPDATE ON stg_{entity} FOR EACH STATEMENT EXECUTE FUNCTION soak_slow()"
        )
    installation.sql(_STUBBORN)
