"""Writes what was decided, chunk by chunk: one transaction each, the fence first, then the rows and their marks.

A new member that refers to another new member has to wait until that one has an id. Such rows come last: they are
first inserted bare and inactive (nobody sees half a member), then completed and marked. When they fit one chunk both
happens in one transaction; else a crash between leaves inactive members of this batch whose staged rows are pending,
and the next attempt finds and completes them (`begun` in classify.py).
"""

from collections.abc import Iterator

from staging.batches import record
from staging.batches.errors import RowsChanged
from staging.batches.fence import Fence
from staging.batches.guarded import guarded
from staging.batches.plan import Plan
from staging.batches.worktable import COUNTERS, OUTCOMES
from staging.sql.compose import Sql, column, fetch, join, name, run, sql
from staging.states import ImportStatus

Chunk = tuple[int, int]


def merge(plan: Plan, fence: Fence) -> None:
    """Merge every row of the work table; raises RowsChanged when a staged row is not what was classified."""
    last_plain, last = _ends(plan)
    for chunk in _chunks(0, last_plain, plan.chunk_rows):
        with guarded(plan, fence):
            _merge_chunk(plan, chunk)
    waiting = list(_chunks(last_plain, last, plan.chunk_rows))
    if len(waiting) == 1:
        with guarded(plan, fence):
            _insert_bare(plan, waiting[0])
            _merge_chunk(plan, waiting[0])
        return
    for write in (_insert_bare, _merge_chunk):
        for chunk in waiting:
            with guarded(plan, fence):
                write(plan, chunk)


def _ends(plan: Plan) -> Chunk:
    """Return the last number of the rows that wait for nobody, and the last number of all."""
    query = (
        "SELECT COALESCE(max(CASE WHEN waits = 0 OR outcome NOT IN ({INSERT}, {UPDATE}) THEN seq END), 0),"
        " COALESCE(max(seq), 0) FROM {work}"
    )
    row = fetch(sql(query, work=plan.work, **OUTCOMES))[0]
    return row[0], row[1]


def _chunks(after: int, last: int, size: int) -> Iterator[Chunk]:
    for start in range(after, last, size):
        yield start + 1, min(start + size, last)


def _merge_chunk(plan: Plan, chunk: Chunk) -> None:
    counts = _counts(plan, chunk)
    _mark(plan, chunk, sum(counts.values()))
    for field in plan.self_references:
        _resolve(plan, chunk, field.name)
    _update(plan, chunk)
    _insert(plan, chunk)
    record.add_counts(plan.batch.pk, counts)


def _within(chunk: Chunk) -> Sql:
    return sql("w.seq BETWEEN {first} AND {last}", first=chunk[0], last=chunk[1])


def _counts(plan: Plan, chunk: Chunk) -> dict[str, int]:
    rows = fetch(
        sql(
            "SELECT w.outcome, count(*) FROM {work} w WHERE {within} AND w.outcome < {DONE} GROUP BY w.outcome",
            work=plan.work,
            **OUTCOMES,
            within=_within(chunk),
        )
    )
    return {COUNTERS[outcome]: count for outcome, count in rows}


def _mark(plan: Plan, chunk: Chunk, expected: int) -> None:
    """Mark the staged rows; only pending ones that are as they were when classified count."""
    marked = run(
        sql(
            "UPDATE {staging} AS s SET import_status = CASE WHEN w.outcome = {REJECTED} THEN {bad} ELSE {good} END,"
            " batch_id = {batch}, error_code = w.error, error_message = w.message FROM {work} w"
            " WHERE {within} AND w.outcome < {DONE} AND s.id = w.row_id AND s.import_status = {pending}{as_it_was}",
            staging=plan.staging,
            work=plan.work,
            **OUTCOMES,
            bad=ImportStatus.REJECTED.value,
            good=ImportStatus.PROCESSED.value,
            batch=plan.batch.pk,
            within=_within(chunk),
            pending=ImportStatus.PENDING.value,
            as_it_was=Sql(" AND s.ctid = w.row_version") if plan.sql.has_row_versions else Sql(""),
        )
    )
    if marked != expected:
        raise RowsChanged(f"{expected - marked} staged rows were changed or removed by others while they were merged.")


def _resolve(plan: Plan, chunk: Chunk, reference: str) -> None:
    """Fill a reference whose member had no id yet when the rows were classified."""
    run(
        sql(
            "UPDATE {work} AS w SET {value} = p.id FROM {production} p WHERE {within} AND w.waits = 1"
            " AND w.outcome IN ({INSERT}, {UPDATE}) AND p.code = w.{late}",
            work=plan.work,
            **OUTCOMES,
            value=name(f"v_{reference}"),
            production=plan.production,
            within=_within(chunk),
            late=name(f"l_{reference}"),
        )
    )


def _update(plan: Plan, chunk: Chunk) -> None:
    """Write the members that exist and would look different afterwards.

    A database that rewrites the index of every column it is given gets indexed ones only where they change.
    """
    apart = [f for f in plan.fields if plan.sql.rewrites_indexes and (f.is_reference or f in plan.unique_fields)]
    values = [sql("{to} = w.{v}", to=name(f.name), v=name(f"v_{f.name}")) for f in plan.fields if f not in apart]
    system = sql(
        "is_active = {yes}, updated_at = {now}, updated_batch_id = {batch}",
        yes=True,
        now=plan.instant,
        batch=plan.batch.pk,
    )
    _set(plan, chunk, join(", ", [*values, system]), Sql(""))
    for field in apart:
        new, old = column("w", f"v_{field.name}"), column("p", field.name)
        change = sql("{to} = {new}", to=name(field.name), new=new)
        _set(plan, chunk, change, sql(" AND NOT {same}", same=plan.sql.same(new, old)))


def _set(plan: Plan, chunk: Chunk, changes: Sql, where: Sql) -> None:
    run(
        sql(
            "UPDATE {production} AS p SET {changes} FROM {work} w"
            " WHERE {within} AND w.outcome IN ({INSERT}, {UPDATE}) AND p.id = w.target_id{where}",
            production=plan.production,
            work=plan.work,
            changes=changes,
            within=_within(chunk),
            where=where,
            **OUTCOMES,
        )
    )


def _insert(plan: Plan, chunk: Chunk, *, active: bool = True) -> None:
    """Write the members that are new."""
    columns = ["code", *(f.name for f in plan.fields)]
    system = ["is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id"]
    run(
        sql(
            "INSERT INTO {production} ({columns}) SELECT w.code, {values}, {active}, {now}, {now}, {batch}, {batch}"
            " FROM {work} w WHERE {within} AND w.outcome = {INSERT} AND w.target_id IS NULL",
            production=plan.production,
            columns=join(", ", map(name, [*columns, *system])),
            values=join(", ", (column("w", f"v_{f.name}") for f in plan.fields)),
            active=active,
            now=plan.instant,
            batch=plan.batch.pk,
            work=plan.work,
            **OUTCOMES,
            within=_within(chunk),
        )
    )


def _insert_bare(plan: Plan, chunk: Chunk) -> None:
    """Give new members that wait for one another their ids; they stay inactive until they are complete."""
    _insert(plan, chunk, active=False)
    run(
        sql(
            "UPDATE {work} AS w SET target_id = p.id FROM {production} p WHERE {within} AND w.outcome = {INSERT}"
            " AND w.target_id IS NULL AND p.code = w.code",
            work=plan.work,
            **OUTCOMES,
            production=plan.production,
            within=_within(chunk),
        )
    )
