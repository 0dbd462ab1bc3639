"""The manifest of a run as plain values: what whoever orders work hands to the engine that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from scheduling.dag.conditions import Condition


@dataclass(frozen=True)
class Due:
    """By when work must be done: the first such time of day ("06:00") in a zone after the slot, or so long after it."""

    by: str
    after: timedelta | None
    zone: str


@dataclass(frozen=True)
class ManifestTask:
    """One piece of work of a run, with everything the engine needs to know of it.

    `key` is unique in the manifest and what people see: "branch", "job Nightly maintenance", "script Refresh views".
    `target_id` is the id of the entity, job or script, as `workload` says. `depends_on` names keys of the same
    manifest and is complete: order by index, explicit dependencies and the hierarchy are compiled in; `step_index` is
    for reading. `attempts` is the total number of tries; an empty `retry_on` retries every class of error.
    """

    key: str
    workload: str  # "batch", "job", "script", "call", "wait" or "map"
    target_id: int | None
    queue: str = "default"
    priority: int = 0
    step_index: int = 0
    depends_on: frozenset[str] = frozenset()
    run_if: str = "all_succeeded"  # or "any_failed", "always"
    only_when: tuple[Condition, ...] = ()  # what steps before it must have given; else it is skipped
    continue_on_failure: bool = False
    attempts: int = 1
    retry_interval_seconds: int = 60
    retry_backoff: bool = False  # each wait twice the one before, with a stable jitter
    retry_on: tuple[str, ...] = ()
    timeout_seconds: int | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)  # as JSON has it
    not_before: datetime | None = None  # until then it holds no worker
    side_by_side: bool = False  # other runs of its job may work meanwhile
    unique_key: str | None = None  # of its job one task of this key lives at a time, and a second one waits behind it
    key_place: int = 0  # 0: it is the one, 1: it waits behind the one
    expected: timedelta | None = None  # it is late when it takes longer
    due: Due | None = field(default=None, compare=False)  # by when it must be done; a restart has no deadline
    deadline_at: datetime | None = field(default=None, compare=False)
    items: tuple[Any, ...] | None = None  # of a step for each item, that goes on with the list that was decided before

    def but(self, **changes: Any) -> ManifestTask:
        """Return the same with other values of some fields: `replace` sets each anew, and a plan has a thousand."""
        made = object.__new__(ManifestTask)
        vars(made).update(vars(self), **changes)
        return made


Manifest = tuple[ManifestTask, ...]
