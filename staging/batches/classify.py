"""Decides in one statement what will become of every pending row; nothing but the work table is written.

The rows are read (staged.py), judged beside what is stored, and given an outcome with its sentences. The levels are
fenced off, so no expression is computed twice; on SQLite judging and deciding are one level, because handing its many
columns on costs more than asking twice whether anything was found.
"""

from collections.abc import Iterator, Mapping

from django.db import connection

from staging.batches import checks, messages, staged, worktable
from staging.batches.plan import Field, Plan
from staging.batches.staged import pending, trimmed
from staging.batches.worktable import OUTCOMES
from staging.identifiers import production_table
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, tree
from staging.states import DataType, ImportStatus

# The expressions that judge a row, by the name each would have as a column.
Judged = Mapping[str, Sql]


def classify(plan: Plan) -> int:
    """Fill the work table with the rows that are pending now; return how many there are."""
    plan.batch.refresh_from_db()
    worktable.create(plan)
    plan.sql.expect(_at_least(plan))
    columns = [*_kept(), "target_id", "outcome", "waits", "error", "message", *_values(plan)]
    rows = run(
        sql(
            "INSERT INTO {work} ({columns}) {calendar}SELECT {numbered}{decided}",
            work=plan.work,
            calendar=plan.sql.calendar,
            columns=join(", ", map(name, [*(["seq"] if connection.vendor == "postgresql" else []), *columns])),
            numbered=Sql("row_number() OVER (), " if connection.vendor == "postgresql" else ""),
            decided=_decided(plan),
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


def _kept() -> list[str]:
    return ["row_id", *(["row_version"] if connection.vendor == "postgresql" else []), "code"]


def _values(plan: Plan) -> list[str]:
    return [*(f"v_{f.name}" for f in plan.fields), *(f"l_{f.name}" for f in plan.self_references)]


def _decided(plan: Plan) -> Sql:
    """Return the rest of the query: what is kept of each row, and where it comes from."""
    judged = _judged(plan)
    rows = sql(
        "({inner}) t LEFT JOIN {production} p ON p.code = t.code{joins}",
        inner=staged.read(plan),
        production=plan.production,
        joins=join("", _joins(plan)),
    )
    if plan.sql.marks:
        return sql(
            "{outcome} FROM {rows}", outcome=join(", ", _outcome(plan, judged, _looked_up(plan, judged))), rows=rows
        )
    judged |= {f"s_{f.name}": column("t", f"s_{f.name}") for f in plan.fields}
    judged |= {kept: column("t", kept) for kept in ("new_code", "action")}
    found = {label: column("j", label) for label in judged}
    return sql(
        "{outcome} FROM (SELECT {pieces} FROM {rows} {fence}) j",
        outcome=join(", ", _outcome(plan, found, _message(plan))),
        pieces=_named(judged),
        rows=rows,
        fence=plan.sql.fence,
    )


def _named(pieces: Judged) -> Sql:
    return join(", ", (sql("{piece} AS {to}", piece=piece, to=name(label)) for label, piece in pieces.items()))


def _judged(plan: Plan) -> dict[str, Sql]:
    pieces = {
        **{kept: column("t", kept) for kept in (*_kept(), "status")},
        "target_id": Sql("p.id"),
        "x_code": checks.code_checks(plan),
        "x_new_code": checks.new_code_checks(),
        "x_import_action": checks.action_checks(),
        "changes": _changes(plan),
        "begun": _begun(plan),
    }
    for field in plan.fields:
        pieces[f"v_{field.name}"] = _final(plan, field)
        pieces[f"x_{field.name}"] = _problems(plan, field)
    for field in plan.self_references:
        late, missing = _is_late(plan, field), _of("r", field, "id")
        code = column("t", f"s_{field.name}")
        pieces[f"l_{field.name}"] = sql("CASE WHEN {late} THEN {code} END", late=late, code=code)
        pieces[f"w_{field.name}"] = sql("CASE WHEN {late} AND {id} IS NULL THEN 1 ELSE 0 END", late=late, id=missing)
    return pieces


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
        cleared=staged.clears(plan, field),
        in_batch=_of("b", field, "code"),
        active=_of("r", field, "is_active"),
    )


def _of(alias: str, field: Field, wanted: str) -> Sql:
    """Return a column of the table joined for a field: `r` the member, `b` the codes of the batch, `k` the day."""
    return column(name(f"{alias}_{field.name}").text, wanted)


def _member(plan: Plan, field: Field) -> Sql:
    """Return the id of the member a row refers to, null when it refers to none that is there."""
    late = sql(" OR {late}", late=_is_late(plan, field)) if field in plan.self_references else Sql("")
    return sql(
        "CASE WHEN {cleared} IS NOT TRUE AND ({active}{late}) THEN {id} END",
        cleared=staged.clears(plan, field),
        active=_of("r", field, "is_active"),
        late=late,
        id=_of("r", field, "id"),
    )


def _final(plan: Plan, field: Field) -> Sql:
    """Return the value production will have: a sentinel clears, a blank keeps what is stored."""
    given = _member(plan, field) if field.is_reference else staged.value(field)
    return sql(
        "CASE WHEN {is_given} THEN {given} WHEN {cleared} THEN NULL ELSE {stored} END",
        is_given=sql("{given} IS NOT NULL", given=given) if field.is_reference else staged.has_value(plan, field),
        given=given,
        cleared=staged.clears(plan, field),
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


def _outcome(plan: Plan, judged: Judged, message: Sql) -> list[Sql]:
    any_problem = tree("|", (judged[f"x_{shown}"] for shown in _looked_at(plan)), "0")
    waits = tree("|", (judged[f"w_{f.name}"] for f in plan.self_references), "0")
    outcome = sql(
        "CASE WHEN {status} = {processed} THEN {DONE} WHEN {status} <> 0 THEN {DONE_REJECTED}"
        " WHEN {any} <> 0 THEN {REJECTED} WHEN {target} IS NULL OR {begun} = 1 THEN {INSERT}"
        " WHEN {changes} = 1 OR {waits} <> 0 THEN {UPDATE} ELSE {UNCHANGED} END",
        status=judged["status"],
        processed=ImportStatus.PROCESSED.value,
        any=any_problem,
        target=judged["target_id"],
        begun=judged["begun"],
        changes=judged["changes"],
        waits=waits,
        **OUTCOMES,
    )
    return [
        *(judged[kept] for kept in (*_kept(), "target_id")),
        outcome,
        waits,
        sql(f"({{any}}) & {messages.BITS}", any=any_problem),
        sql("CASE WHEN {any} <> 0 THEN {message} END", any=any_problem, message=message),
        *(judged[value] for value in _values(plan)),
    ]


def _looked_at(plan: Plan) -> list[str]:
    return ["code", "new_code", "import_action", *(f.name for f in plan.fields)]


def _looked_up(plan: Plan, judged: Judged) -> Sql:
    """Return the message of a row `t`, its texts read again: few rows have one."""
    problems = {label: judged[label] for label in (f"x_{shown}" for shown in _looked_at(plan))}
    texts = {f"s_{f.name}": trimmed(plan, f.name) for f in plan.fields}
    system = {kept: column("t", kept) for kept in ("code", "new_code", "action")}
    return sql(
        "(SELECT {message} FROM (SELECT {pieces} FROM {staging} s WHERE s.id = t.row_id {fence}) j)",
        message=_message(plan),
        pieces=_named(problems | texts | system),
        staging=plan.staging,
        fence=plan.sql.fence,
    )


def _message(plan: Plan) -> Sql:
    return sql("rtrim({text})", text=tree("||", _sentences(plan), "''"))


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
