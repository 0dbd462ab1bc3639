"""Decides in one statement what will become of every pending row; nothing but the work table is written.

The rows are read (staged.py), judged beside what is stored, and given an outcome with its sentences. The levels are
fenced off, so no expression is computed twice. The texts themselves are not handed on: few rows are rejected, and
their sentences look them up again.
"""

from collections.abc import Iterator

from django.db import connection

from staging.batches import checks, messages, staged, worktable
from staging.batches.findings import Findings
from staging.batches.plan import Field, Plan
from staging.batches.staged import pending, trimmed
from staging.batches.worktable import OUTCOMES
from staging.identifiers import production_table
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, tree
from staging.states import ImportStatus


def classify(plan: Plan) -> int:
    """Fill the work table with the rows that are pending now; return how many there are."""
    plan.batch.refresh_from_db()
    worktable.create(plan)
    plan.sql.expect(_at_least(plan))
    findings = checks.findings(plan)
    columns = [*_kept(), "target_id", "outcome", "waits", "error", "message", *_values(plan)]
    rows = run(
        sql(
            "INSERT INTO {work} ({columns}) {calendar}SELECT {numbered}{outcome} FROM ({judged}) j",
            work=plan.work,
            calendar=plan.sql.calendar,
            columns=join(", ", map(name, [*(["seq"] if connection.vendor == "postgresql" else []), *columns])),
            numbered=Sql("row_number() OVER (), " if connection.vendor == "postgresql" else ""),
            outcome=join(", ", _outcome(plan, findings)),
            judged=_judged(plan, findings),
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


def _judged(plan: Plan, findings: Findings) -> Sql:
    pieces = {
        **{kept: column("t", kept) for kept in (*_kept(), "status")},
        "target_id": Sql("p.id"),
        "changes": _changes(plan),
        "begun": _begun(plan),
        **findings.together(_checks(plan, findings)),
        **{f"v_{f.name}": _final(plan, f) for f in plan.fields},
    }
    for field in plan.self_references:
        late, missing = _is_late(plan, field), _of("r", field, "id")
        code = column("t", f"s_{field.name}")
        pieces[f"l_{field.name}"] = sql("CASE WHEN {late} THEN {code} END", late=late, code=code)
        pieces[f"w_{field.name}"] = sql("CASE WHEN {late} AND {id} IS NULL THEN 1 ELSE 0 END", late=late, id=missing)
    return sql(
        "SELECT {pieces} FROM ({inner}) t LEFT JOIN {production} p ON p.code = t.code{joins} {fence}",
        pieces=join(", ", (sql("{piece} AS {to}", piece=piece, to=name(label)) for label, piece in pieces.items())),
        inner=staged.read(plan),
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
        cleared=staged.clears(plan, field),
        in_batch=_of("b", field, "code"),
        active=_of("r", field, "is_active"),
    )


def _of(alias: str, field: Field, wanted: str) -> Sql:
    """Return a column of the table joined for a field: `r` the member, `b` the codes of the batch, `k` the day."""
    return column(name(f"{alias}_{field.name}").text, wanted)


def _is_found(plan: Plan, field: Field) -> Sql:
    """Return whether the member a row refers to exists now or comes with this batch."""
    late = sql(" OR {late}", late=_is_late(plan, field)) if field in plan.self_references else Sql("")
    return sql("({active}{late})", active=_of("r", field, "is_active"), late=late)


def _final(plan: Plan, field: Field) -> Sql:
    """Return the value production will have: a sentinel clears, a blank keeps what is stored."""
    cleared, stored = staged.clears(plan, field), column("p", field.name)
    if field.is_reference:
        return sql(
            "CASE WHEN {cleared} THEN NULL WHEN {found} THEN COALESCE({id}, {stored}) ELSE {stored} END",
            cleared=cleared,
            found=_is_found(plan, field),
            id=_of("r", field, "id"),
            stored=stored,
        )
    return sql(
        "CASE WHEN {given} THEN {value} WHEN {cleared} THEN NULL ELSE {stored} END",
        given=staged.has_value(plan, field),
        value=staged.value(field),
        cleared=cleared,
        stored=stored,
    )


def _checks(plan: Plan, findings: Findings) -> dict[str, Sql]:
    """Return what is looked at in each column, as the bits of its problems."""
    found = {
        "code": checks.code_checks(plan, findings.bits("code")),
        "new_code": checks.new_code_checks(findings.bits("new_code")),
        "import_action": checks.action_checks(findings.bits("import_action")),
    }
    for field in plan.fields:
        stored, bits = column("p", field.name), findings.bits(field.name)
        found[field.name] = (
            checks.reference_checks(plan, field, _is_found(plan, field), stored, bits)
            if field.is_reference
            else checks.value_checks(plan, field, stored, bits)
        )
    return found


def _changes(plan: Plan) -> Sql:
    """Return 1 when production would look different afterwards."""
    same = tree("AND", (_is_same(plan, f) for f in plan.fields), "TRUE")
    return sql("CASE WHEN p.is_active AND {same} THEN 0 ELSE 1 END", same=same)


def _is_same(plan: Plan, field: Field) -> Sql:
    stored = column("p", field.name)
    same = plan.sql.same(_final(plan, field), stored)
    if field.is_reference:
        return same
    # What is given decides most rows; nothing given and nothing stored is no change either, whatever the reason.
    return sql("({given} OR {same})", given=plan.sql.same(staged.value(field), stored), same=same)


def _begun(plan: Plan) -> Sql:
    """Return 1 for a member this same batch inserted before a crash and could not finish (merge.py says why)."""
    return sql("CASE WHEN p.created_batch_id = {batch} AND NOT p.is_active THEN 1 ELSE 0 END", batch=plan.batch.pk)


def _outcome(plan: Plan, findings: Findings) -> list[Sql]:
    waits = tree("|", (column("j", f"w_{f.name}") for f in plan.self_references), "0")
    outcome = sql(
        "CASE WHEN j.status = {processed} THEN {DONE} WHEN j.status <> 0 THEN {DONE_REJECTED}"
        " WHEN {any} THEN {REJECTED} WHEN j.target_id IS NULL OR j.begun = 1 THEN {INSERT}"
        " WHEN j.changes = 1 OR {waits} <> 0 THEN {UPDATE} ELSE {UNCHANGED} END",
        processed=ImportStatus.PROCESSED.value,
        any=findings.any(),
        waits=waits,
        **OUTCOMES,
    )
    return [
        *(column("j", kept) for kept in (*_kept(), "target_id")),
        outcome,
        waits,
        sql("CASE WHEN {any} THEN {error} ELSE 0 END", any=findings.any(), error=findings.error()),
        sql("CASE WHEN {any} THEN {message} END", any=findings.any(), message=_message(plan, findings)),
        *(column("j", value) for value in _values(plan)),
    ]


def _message(plan: Plan, findings: Findings) -> Sql:
    """Return the sentences of a judged row; its texts are those that this same statement judged."""
    action = sql("COALESCE(s.import_action, {default})", default=plan.entity.default_import_action)
    sentences = (
        sql(
            "CASE WHEN {word} & {bit} <> 0 THEN {sentence} || ' ' ELSE '' END",
            word=Sql(f"j.x_{f.word}"),
            bit=Sql(str(f.bit)),
            sentence=messages.sentence(
                f.problem,
                f.shown,
                plan.sql.shown(action if f.shown == "import_action" else trimmed(plan, f.shown)),
                f.limit,
            ),
        )
        for f in findings
    )
    return sql(
        "(SELECT rtrim({text}) FROM {staging} s WHERE s.id = j.row_id)",
        text=tree("||", sentences, "''"),
        staging=plan.staging,
    )
