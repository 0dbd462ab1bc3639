"""The keys of a model file that staging does not know, and what this release refuses of them."""

from scheduling.schedules.readers import Shape
from scheduling.schedules.settings import TABLE
from scheduling.states import ProcessingMode
from staging.model_files.owners import OWNER_KINDS
from staging.model_files.shape import LIST, MAPPING, SCALAR, TEXT, TEXT_OR_LIST, TEXT_OR_SCALARS, WHOLE, YES_NO

VERSION = 1
FILE_KINDS = {
    "version": WHOLE,
    "release": TEXT,
    "calendars": LIST,
    "entities": LIST,
    "queues": LIST,
    "scripts": LIST,
    "plans": LIST,
}
CALENDAR_KINDS = {"name": TEXT, "description": TEXT, "timezone": TEXT, "policy": TEXT, "periods": LIST}
PERIOD_KINDS = {
    "kind": TEXT,
    "first_day": TEXT,
    "last_day": TEXT,
    "run_days": TEXT_OR_SCALARS,
    "window_start": TEXT,
    "window_end": TEXT,
    "note": TEXT,
}
ENTITY_KINDS = {"schedule": MAPPING, "depends_on": LIST}
QUEUE_KINDS = {"name": TEXT, "max_running": WHOLE, "celery_queue": TEXT, "is_cancelled": YES_NO}
SCRIPT_KINDS = {
    "name": TEXT,
    "description": TEXT,
    "sql": TEXT,
    "parameters": MAPPING,
    "timeout_seconds": WHOLE,
    "is_cancelled": YES_NO,
}
# Of plans and of steps.
DEADLINE_KINDS = {"expected_minutes": WHOLE, "due_by": TEXT, "due_after_minutes": WHOLE}
PLAN_KINDS = {
    "name": TEXT,
    "description": TEXT,
    "categories": TEXT_OR_SCALARS,
    "order": TEXT,
    "parameters": MAPPING,
    "overlap": TEXT,
    "is_cancelled": YES_NO,
    **OWNER_KINDS,
    "run_timeout_seconds": WHOLE,
    "run_attempts": WHOLE,
    "run_retry_interval_seconds": WHOLE,
    "run_retry_backoff": YES_NO,
    **DEADLINE_KINDS,
    "default_queue": TEXT,
    "default_attempts": WHOLE,
    "default_retry_interval_seconds": WHOLE,
    "default_timeout_seconds": WHOLE,
    "schedule": MAPPING,
    "after_plans": LIST,
    "after_entities": LIST,
    "steps": LIST,
}
STEP_TARGETS = ("entity", "job", "script", "plan")
STEP_KINDS = {
    **dict.fromkeys(STEP_TARGETS, TEXT),
    "step_index": WHOLE,
    "depends_on": LIST,
    "queue": TEXT,
    "priority": WHOLE,
    "run_if": TEXT,
    "only_when": LIST,
    "continue_on_failure": YES_NO,
    "attempts": WHOLE,
    "retry_interval_seconds": WHOLE,
    "retry_backoff": YES_NO,
    "retry_on": TEXT_OR_SCALARS,
    "timeout_seconds": WHOLE,
    **DEADLINE_KINDS,
    "arguments": MAPPING,
    "is_cancelled": YES_NO,
    "for_each": TEXT_OR_LIST,
    "for_each_result": TEXT,
    "for_each_query": TEXT,
    "side_by_side": WHOLE,
    "wait_until": TEXT,
    "wait_days": WHOLE,
    "wait_minutes": WHOLE,
    "wait_rows": WHOLE,
    "wait_query": YES_NO,
    "wait_name": TEXT,
}

# A comma text is accepted in place of a list, too.
_KINDS = {
    Shape.TEXT: TEXT,
    Shape.SCALAR: SCALAR,
    Shape.WHOLE: WHOLE,
    Shape.YES_NO: YES_NO,
    Shape.LIST: TEXT_OR_SCALARS,
}
SCHEDULE_KINDS = {setting.column: _KINDS[setting.read.shape] for setting in TABLE.values()}
PLAN_SCHEDULE_KINDS = {
    column: kind
    for column, kind in SCHEDULE_KINDS.items()
    if column != "processing_mode" and TABLE[column].uses != (ProcessingMode.TRIGGERED,)
}
