"""Tells every statement that a batch sends, in order, with its purpose and the database's plan; nothing is changed.

They are those of the batch itself: it runs its own way in a transaction that is rolled back, and what stands between it
and the database writes them down. Either it is run in earnest, over the rows that wait; or no statement is run that
reads or writes rows, and each is answered as if there were rows of every kind.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import Any, TypeVar

from django.db import transaction

from staging.batches import record
from staging.batches.context import BatchContext, NoFence, make_context, takes_several
from staging.batches.judging.judge import judge
from staging.batches.late import look
from staging.batches.merging.merge import merge
from staging.batches.pipeline import Verdict, hold_batch, verdict
from staging.batches.worktable import Turn
from staging.errors import TableMismatch
from staging.models import Entity
from staging.sql.compose import Database, Sql, Statement, Template, instead
from staging.sql.dialect import Dialect
from staging.states import ReviewPolicy, RowOutcome
from staging.tables.columns import table_problems

Rows = list[tuple[Any, ...]]
T = TypeVar("T")

# What has a plan; the others are definitions and settings, and are run in any case.
_HAS_A_PLAN = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")
# What queries and statements answer when there are rows of every kind. Queries without a name (of the catalogue) are
# run; other statements touch one row.
_FOUND: dict[str, Rows] = {
    "extent": [(1, 1, 1)],
    "special": [(1, 1, 1)],
    "lose_a_reference": [],
    "refer_to_who_goes": [],
    "refer_to_superseded": [(1,)],
    "find_difference": [],
    "some_wait": [(1,)],
    "totals": [],
    "members_touched": [(1, 0, 0)],
    "last_turn": [(Turn.TOGETHER.value, 1, len(Turn))],
    "turns": [(turn.value, number, number) for number, turn in enumerate(Turn, 1)],
    "count_outcomes": [(RowOutcome.INSERT.value, 1, 0)],
    "count_existing": [(2,)],
    "last_id": [(0,)],
    "glance": [(1,)],
    "many_wait": [(1,)],
}
_TOUCHED = {"find_fallen": 0}
# The planner would believe that there are no rows, and plan for none.
_NOT_RUN = {"analyze_table"}


@dataclass
class Explained:
    """One statement of a batch, with its parameters written out; what it took, where it was run."""

    template: Template
    text: str
    plan: list[str]
    times: int = 1
    rows: int | None = None
    milliseconds: float | None = None


@dataclass(frozen=True)
class ExplainedBatch:
    """The statements of a batch; `waiting` rows were judged, when it was run over them."""

    statements: list[Explained]
    waiting: int | None


def explain_batch(entity: Entity, *, analyze: bool, now: datetime) -> ExplainedBatch:
    """Return what a batch of the entity sends; with `analyze` it is run over the rows that wait, and rolled back.

    Raises TableMismatch when the tables are not as defined.
    """
    if problems := table_problems(entity):
        raise TableMismatch(" ".join(problems))
    with transaction.atomic():
        batch = record.open_batch(entity, now=now)
        record.start_batch(batch.pk, now)
        batch.refresh_from_db()
        plan = make_context(batch, now)
        plan.sql.start()
        seen: _Analyzed | _Imagined = _Analyzed(plan.sql) if analyze else _Imagined(plan.sql)
        with instead(seen):
            rows = _run(plan, imagined=not analyze)
        transaction.set_rollback(True)
    return ExplainedBatch(list(seen.found.values()), rows if analyze else None)


def _run(plan: BatchContext, *, imagined: bool) -> int:
    """Do what a batch does, in the order in which it does it; return how many rows were judged."""
    rows, fence = judge(plan), NoFence()
    held = verdict(plan)
    if imagined and plan.entity.review == ReviewPolicy.HOLD:
        hold_batch(plan, fence, Verdict("", {}))
    if held:
        hold_batch(plan, fence, held)
    else:
        merge(plan, fence, in_chunks=takes_several(plan, rows))
        look(plan.batch, lambda home: None)
    return rows


class _Watched(Database):
    """Writes down what passes; a statement that comes again, with other parameters, is counted."""

    def __init__(self, dialect: Dialect):
        self.dialect = dialect
        self.found: dict[str, Explained] = {}

    def note(self, statement: Sql) -> Explained:
        """Return the record of a statement, a new one when it was not met before."""
        if known := self.found.get(statement.text):
            known.times += 1
            return known
        assert isinstance(statement, Statement), f"A statement of a batch has no name: {statement.text}"
        new = Explained(statement.template, statement.filled(self.dialect.literal), [])
        return self.found.setdefault(statement.text, new)


class _Imagined(_Watched):
    """Has the database plan each statement, and answers itself."""

    def run(self, statement: Sql) -> int:
        """BatchContext a statement that changes rows; run one that only defines."""
        if not _HAS_A_PLAN.match(statement.text):
            self.note(statement)
            return 0 if _name(statement) in _NOT_RUN else super().run(statement)
        self.note(statement).plan, _ = self.dialect.explained(statement, analyze=False)
        return _TOUCHED.get(_name(statement), 1)

    def fetch(self, statement: Sql) -> Rows:
        """BatchContext a query and answer it; one that asks for tables is run."""
        if not _name(statement):
            return super().fetch(statement)
        self.note(statement).plan, _ = self.dialect.explained(statement, analyze=False)
        return _FOUND[_name(statement)]


class _Analyzed(_Watched):
    """Has the database run each statement and say how."""

    def run(self, statement: Sql) -> int:
        """Run a statement, by explaining it where that runs it."""
        if not _HAS_A_PLAN.match(statement.text):
            return self._timed(self.note(statement), super().run, statement)
        found = self.note(statement)
        started = perf_counter()
        plan, touched = self.dialect.explained(statement, analyze=True)
        took = perf_counter() - started
        found.plan = found.plan or plan
        if touched is None:
            touched = self._timed(found, super().run, statement)
        else:
            found.milliseconds = (found.milliseconds or 0) + took * 1000
        found.rows = (found.rows or 0) + touched
        return touched

    def fetch(self, statement: Sql) -> Rows:
        """Run a query and explain it; one that asks for tables is not told."""
        if not _name(statement):
            return super().fetch(statement)
        found = self.note(statement)
        if not found.plan:
            found.plan, _ = self.dialect.explained(statement, analyze=True)
        rows = self._timed(found, super().fetch, statement)
        found.rows = (found.rows or 0) + len(rows)
        return rows

    def _timed(self, found: Explained, send: Callable[[Sql], T], statement: Sql) -> T:
        started = perf_counter()
        answer = send(statement)
        found.milliseconds = (found.milliseconds or 0) + (perf_counter() - started) * 1000
        return answer


def _name(statement: Sql) -> str:
    return statement.template.name if isinstance(statement, Statement) else ""
