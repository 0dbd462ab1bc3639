"""Decides in one statement what will become of every pending row; nothing but the work table is written.

The statement has four levels: trimmed text, typed values, problems and final values beside what is stored, and the
outcome with its sentences. Each is fenced off, so no expression is computed twice.
"""

from collections.abc import Iterator

from django.db import connection

from staging.batches import checks, messages, worktable
from staging.batches.plan import Field, Plan
from staging.batches.worktable import OUTCOMES
from staging.identifiers import production_table
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, tree
from staging.states import DataType, ImportStatus


def classify(plan: Plan) -> int:
    """Fill the work table with the rows that are pending now; return how many there are."""
    plan.batch.refresh_from_db()
    worktable.create(plan)
    plan.sql.expect(_at_least(plan))
    columns = [*_kept(), "target_id", "outcome", "waits", "error", "message", *_values(plan)]
    rows = run(
        sql(
            "INSERT INTO {work} ({columns}) {calendar}SELECT {numbered}{outcome} FROM ({judged}) j",
            work=plan.work,
            calendar=plan.sql.calendar,
            columns=join(", ", map(name, [*(["seq"] if connection.vendor == "postgresql" else []), *columns])),
            numbered=Sql("row_number() OVER (), " if connection.vendor == "postgresql" else ""),
            outcome=join(", ", _outcome(plan)),
            judged=_judged(plan),
        )
    )
    worktable.index_numbers(plan)
    worktable.analyze(plan)
    return rows - _settled(plan)


def _at_least(plan: Plan) -> int:
    """Return how many rows are pending, counted far enough to know whether they are many."""
    query = "SELECT count(*) FROM (SELECT 1 FROM {staging} s WHERE {pending} LIMIT 50000) few"
    return int(fetch(sql(query, staging=plan.staging, pending=pending(plan)))[0][0])


def _settled(plan: Plan) -> int:
    """Return how many rows of the work table an earlier attempt has settled."""
    if not plan.batch.rows_done:
        return 0
    query = "SELECT count(*) FROM {work} w WHERE w.outcome IN ({DONE}, {DONE_REJECTED})"
    return int(fetch(sql(query, work=plan.work, **OUTCOMES))[0][0])


def pending(plan: Plan) -> Sql:
    """Return the condition on a staged row `s` to belong to the batch: pending, or settled by it before a crash."""
    tag = sql(" AND s.batch_tag = {tag}", tag=plan.batch.tag) if plan.batch.tag else Sql("")
    settled = sql(" OR s.batch_id = {batch}", batch=plan.batch.pk) if plan.batch.rows_done else Sql("")
    return sql(
        "(s.import_status = {status}{settled}){tag}", status=ImportStatus.PENDING.value, settled=settled, tag=tag
    )


def trimmed(plan: Plan, staged: str) -> Sql:
    """Return a text column of a staged row `s` without surrounding blanks."""
    return plan.sql.trim(column("s", staged))


def _kept() -> list[str]:
    return ["row_id", *(["row_version"] if connection.vendor == "postgresql" else []), "code"]


def _values(plan: Plan) -> list[str]:
    return [*(f"v_{f.name}" for f in plan.fields), *(f"l_{f.name}" for f in plan.self_references)]


def _trimmed(plan: Plan) -> Sql:
    version = [Sql("s.ctid AS row_version")] if connection.vendor == "postgresql" else []
    pieces = [
        Sql("s.id AS row_id"),
        Sql("s.import_status AS status"),
        *version,
        sql("{v} AS code", v=trimmed(plan, "code")),
        sql("{v} AS new_code", v=trimmed(plan, "new_code")),
        sql("COALESCE(s.import_action, {default}) AS action", default=plan.entity.default_import_action),
        *(sql("{v} AS {to}", v=trimmed(plan, f.name), to=name(f"s_{f.name}")) for f in plan.fields),
    ]
    return sql(
        "SELECT {pieces} FROM {staging} s WHERE {pending} {fence}",
        pieces=join(", ", pieces),
        staging=plan.staging,
        pending=pending(plan),
        fence=plan.sql.fence,
    )


def _typed(plan: Plan) -> Sql:
    pieces = [Sql("r.*"), sql("{v} AS t_code", v=plan.sql.typed(DataType.TEXT, Sql("r.code"), Sql("NULL")))]
    days = [plan.sql.look_up_day(f.data_type, column("r", f"s_{f.name}"), name(f"k_{f.name}")) for f in plan.fields]
    for field in plan.fields:
        staged, clears = column("r", f"s_{field.name}"), checks.sentinel(plan, field)
        if not field.is_reference:
            typed = plan.sql.typed(field.data_type, staged, _of("k", field, "day"))
            pieces.append(
                sql(
                    "CASE WHEN {s} <> {clears} THEN {typed} END AS {to}",
                    s=staged,
                    clears=clears,
                    typed=typed,
                    to=name(f"t_{field.name}"),
                )
            )
    return sql(
        "SELECT {pieces} FROM ({inner}) r{days} {fence}",
        pieces=join(", ", pieces),
        inner=_trimmed(plan),
        days=join("", days),
        fence=plan.sql.fence,
    )


def _judged(plan: Plan) -> Sql:
    pieces = [
        *(column("t", kept) for kept in _kept()),
        Sql("p.id AS target_id"),
        Sql("t.status"),
        Sql("t.new_code"),
        Sql("t.action"),
        sql("{x} AS x_code", x=checks.code_checks(plan)),
        sql("{x} AS x_new_code", x=checks.new_code_checks()),
        sql("{x} AS x_import_action", x=checks.action_checks()),
        sql("{changes} AS changes", changes=_changes(plan)),
        sql("{begun} AS begun", begun=_begun(plan)),
    ]
    for field in plan.fields:
        pieces.append(column("t", f"s_{field.name}"))
        pieces.append(sql("{v} AS {to}", v=_final(plan, field), to=name(f"v_{field.name}")))
        pieces.append(sql("{x} AS {to}", x=_problems(plan, field), to=name(f"x_{field.name}")))
    for field in plan.self_references:
        late = sql("CASE WHEN {late} THEN {s} END", late=_is_late(plan, field), s=column("t", f"s_{field.name}"))
        pieces.append(sql("{late} AS {to}", late=late, to=name(f"l_{field.name}")))
        waits = sql("CASE WHEN {late} AND {found} IS NULL THEN 1 ELSE 0 END", late=_is_late(plan, field),
                    found=_of("r", field, "id"))  # fmt: skip
        pieces.append(sql("{waits} AS {to}", waits=waits, to=name(f"w_{field.name}")))
    return sql(
        "SELECT {pieces} FROM ({inner}) t LEFT JOIN {production} p ON p.code = t.code{joins} {fence}",
        pieces=join(", ", pieces),
        inner=_typed(plan),
        production=plan.production,
        joins=join("", _joins(plan)),
        fence=plan.sql.fence,
    )


def _joins(plan: Plan) -> Iterator[Sql]:
    """Yield the joins that look up the members referred to, and the codes that come with this batch."""
    for field in plan.references:
        reference = field.attribute.reference if field.attribute else None
        if reference is None:
            continue
        yield sql(
            " LEFT JOIN {target} {alias} ON {code} = {staged}",
            target=name(production_table(reference.code)),
            alias=name(f"r_{field.name}"),
            code=_of("r", field, "code"),
            staged=column("t", f"s_{field.name}"),
        )
    for field in plan.self_references:
        yield sql(
            " LEFT JOIN (SELECT DISTINCT {code} AS code FROM {staging} s WHERE {pending}) {alias}"
            " ON {theirs} = {staged}",
            code=trimmed(plan, "code"),
            staging=plan.staging,
            pending=pending(plan),
            alias=name(f"b_{field.name}"),
            theirs=_of("b", field, "code"),
            staged=column("t", f"s_{field.name}"),
        )


def _is_late(plan: Plan, field: Field) -> Sql:
    """Return whether a reference to the entity itself can only be filled by another row of this batch."""
    return sql(
        "({cleared} IS NOT TRUE AND {in_batch} IS NOT NULL AND {active} IS NOT TRUE)",
        cleared=checks.cleared(plan, field),
        in_batch=_of("b", field, "code"),
        active=_of("r", field, "is_active"),
    )


def _of(alias: str, field: Field, wanted: str) -> Sql:
    """Return a column of the table joined for a field: `r` the member, `b` the codes of the batch, `k` the day."""
    return column(name(f"{alias}_{field.name}").text, wanted)


def _now_typed(plan: Plan, field: Field) -> Sql:
    """Return the typed value a row brings, null when it brings none."""
    if not field.is_reference:
        return column("t", f"t_{field.name}")
    late = sql(" OR {late}", late=_is_late(plan, field)) if field in plan.self_references else Sql("")
    return sql(
        "CASE WHEN {cleared} IS NOT TRUE AND ({active}{late}) THEN {id} END",
        cleared=checks.cleared(plan, field),
        active=_of("r", field, "is_active"),
        late=late,
        id=_of("r", field, "id"),
    )


def _final(plan: Plan, field: Field) -> Sql:
    """Return the value production will have: a sentinel clears, a blank keeps what is stored."""
    return sql(
        "CASE WHEN {typed} IS NOT NULL THEN {typed} WHEN {cleared} THEN NULL ELSE {stored} END",
        cleared=checks.cleared(plan, field),
        typed=_now_typed(plan, field),
        stored=column("p", field.name),
    )


def _problems(plan: Plan, field: Field) -> Sql:
    stored = column("p", field.name)
    if not field.is_reference:
        return checks.value_checks(plan, field, stored)
    active = _of("r", field, "is_active")
    late = sql(" OR {late}", late=_is_late(plan, field)) if field in plan.self_references else Sql("")
    return checks.reference_checks(plan, field, sql("{active}{late}", active=active, late=late), stored)


def _changes(plan: Plan) -> Sql:
    """Return 1 when production would look different afterwards."""
    same = [plan.sql.same(_final(plan, f), column("p", f.name)) for f in plan.fields]
    return sql("CASE WHEN p.is_active AND {same} THEN 0 ELSE 1 END", same=tree("AND", same, "TRUE"))


def _begun(plan: Plan) -> Sql:
    """Return 1 for a member this same batch inserted before a crash and could not finish (merge.py says why)."""
    return sql("CASE WHEN p.created_batch_id = {batch} AND NOT p.is_active THEN 1 ELSE 0 END", batch=plan.batch.pk)


def _outcome(plan: Plan) -> list[Sql]:
    found = [column("j", f"x_{f}") for f in ("code", "new_code", "import_action", *(f.name for f in plan.fields))]
    any_problem = tree("|", found, "0")
    waits = tree("|", (column("j", f"w_{f.name}") for f in plan.self_references), "0")
    outcome = sql(
        "CASE WHEN j.status = {processed} THEN {DONE} WHEN j.status <> 0 THEN {DONE_REJECTED}"
        " WHEN {any} <> 0 THEN {REJECTED} WHEN j.target_id IS NULL OR j.begun = 1 THEN {INSERT}"
        " WHEN j.changes = 1 OR {waits} <> 0 THEN {UPDATE} ELSE {UNCHANGED} END",
        processed=ImportStatus.PROCESSED.value,
        any=any_problem,
        waits=waits,
        **OUTCOMES,
    )
    return [
        *(column("j", kept) for kept in _kept()),
        Sql("j.target_id"),
        outcome,
        waits,
        sql(f"({{any}}) & {messages.BITS}", any=any_problem),
        sql("CASE WHEN {any} <> 0 THEN rtrim({text}) END", any=any_problem, text=tree("||", _sentences(plan), "''")),
        *(column("j", value) for value in _values(plan)),
    ]


def _sentences(plan: Plan) -> Iterator[Sql]:
    """Yield for each problem of each column its sentence, or empty text."""
    text = DataType.TEXT
    row = [
        ("code", "code", [messages.CODE_MISSING, messages.wrong_type(text), messages.TOO_LONG]),
        ("new_code", "new_code", [messages.RENAME]),
        ("action", "import_action", [messages.ACTION_UNKNOWN, messages.ACTION_LATER]),
    ]
    for short, shown, problems in row:
        for problem in problems:
            yield _sentence(plan, column("j", f"x_{shown}"), problem, shown, column("j", short), "500")
    for field in plan.fields:
        for problem, limit in checks.problems(plan, field):
            found, staged = column("j", f"x_{field.name}"), column("j", f"s_{field.name}")
            yield _sentence(plan, found, problem, field.name, staged, limit)


def _sentence(plan: Plan, found: Sql, problem: messages.Problem, shown: str, staged: Sql, limit: str) -> Sql:
    return sql(
        "CASE WHEN {found} & {detail} <> 0 THEN {sentence} || ' ' ELSE '' END",
        found=found,
        detail=Sql(str(problem.mask & ~messages.BITS)),
        sentence=messages.sentence(problem, shown, plan.sql.shown(staged), limit),
    )
