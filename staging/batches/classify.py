"""Decides in one statement what will become of every pending row; nothing but the work table is written.

The rows are read (staged.py), judged beside what is stored, and given an outcome with its sentences. The levels are
fenced off, so no expression is computed twice. The texts themselves are not handed on: few rows are rejected, and
their sentences look them up again.
"""

from staging.batches import actions, checks, messages, modes, references, staged
from staging.batches.findings import Findings
from staging.batches.order import in_tiles
from staging.batches.plan import Field, Plan
from staging.batches.staged import pending, trimmed
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, tree
from staging.sql.statement import statement


def classify(plan: Plan, expected: int) -> int:
    """Fill the work table with the rows that wait, about as many as `expected`; return how many there are."""
    plan.sql.expect(expected)
    return run(classification(plan, expected))


def classification(plan: Plan, expected: int) -> Sql:
    """Return the statement that fills the work table with about so many rows."""
    findings = checks.findings(plan)
    columns = [*_kept(plan), "action", "new_code", "target_id", "outcome", "waits", "error", "message", *_values(plan)]
    return statement(
        "classify",
        work=plan.work,
        calendar=plan.sql.calendar,
        columns=join(", ", map(name, columns)),
        outcome=join(",\n    ", _outcome(plan, findings)),
        judged=_judged(plan, findings),
        order=in_tiles(plan, expected),
    )


def extent(plan: Plan) -> tuple[int, int, int]:
    """Return the first and the last id of the rows that are pending, and how many there are; all 0 when none is."""
    first, last, rows = fetch(statement("extent", staging=plan.staging, pending=pending(plan)))[0]
    return first, last, rows


def settled(plan: Plan) -> int:
    """Return how many rows of the work table an earlier attempt has settled."""
    if not plan.delivery:
        return 0
    return int(fetch(statement("settled", work=plan.work))[0][0])


def _kept(plan: Plan) -> list[str]:
    return ["row_id", *(["row_version"] if plan.sql.has_row_versions else []), "code"]


def _values(plan: Plan) -> list[str]:
    return [*(f"v_{f.name}" for f in plan.fields), *(f"l_{f.name}" for f in plan.self_references)]


def _judged(plan: Plan, findings: Findings) -> Sql:
    pieces = {
        **{kept: column("t", kept) for kept in (*_kept(plan), "status", "action")},
        "new_code": sql("CASE WHEN {renames} THEN t.new_code END", renames=actions.renames()),
        "target_id": Sql("p.id"),
        "removal": actions.outcome_of_removal(),
        "changes": _changes(plan),
        "begun": sql("CASE WHEN {begun} THEN 1 ELSE 0 END", begun=modes.begun(plan)),
        **findings.together(*_checks(plan, findings), count=sql("NOT {removes}", removes=actions.removes("t"))),
        **{f"v_{f.name}": _final(plan, f) for f in plan.fields},
    }
    for field in plan.self_references:
        pieces[f"l_{field.name}"] = references.late_code(plan, field)
        pieces[f"w_{field.name}"] = references.waits(plan, field)
    return statement(
        "judged",
        pieces=join(",\n    ", (sql("{it} AS {to}", it=piece, to=name(label)) for label, piece in pieces.items())),
        inner=staged.read(plan),
        production=plan.production,
        joins=join("", references.joins(plan)),
        fence=plan.sql.fence,
    )


def _final(plan: Plan, field: Field) -> Sql:
    """Return the value production will have, if the row is good."""
    if field.is_reference:
        return references.final(plan, field)
    return modes.merged(plan, field, checks.is_right(plan, field), staged.value(field))


def _checks(plan: Plan, findings: Findings) -> tuple[dict[str, Sql], dict[str, Sql]]:
    """Return what is looked at in each column, as the bits of its problems: what the row asks for, and its values."""
    asked = {
        "code": checks.code_checks(plan, findings.bits("code")),
        "new_code": checks.new_code_checks(plan, findings.bits("new_code")),
        "import_action": checks.action_checks(findings.bits("import_action")),
    }
    values = {}
    for field in plan.fields:
        bits = findings.bits(field.name)
        if field.is_reference:
            found, member = references.is_found(plan, field), references.member(plan, field)
            values[field.name] = checks.reference_checks(plan, field, found, member, bits)
        else:
            values[field.name] = checks.value_checks(plan, field, bits)
    return asked, values


def _changes(plan: Plan) -> Sql:
    """Return 1 when production would look different afterwards; a member that is only updated may stay inactive."""
    return statement(
        "changes",
        renames=actions.renames(),
        same=tree("AND", (_is_same(plan, f) for f in plan.fields), "TRUE"),
    )


def _is_same(plan: Plan, field: Field) -> Sql:
    stored = modes.stored(plan, field)
    same = plan.sql.same(_final(plan, field), stored)
    if field.is_reference:
        return same
    # What is given decides most rows; nothing given and nothing stored is no change either, whatever the reason.
    return sql("({given} OR {same})", given=plan.sql.same(staged.value(field), stored), same=same)


def _outcome(plan: Plan, findings: Findings) -> list[Sql]:
    waits = tree("|", (column("j", f"w_{f.name}") for f in plan.self_references), "0")
    outcome = statement(
        "outcome",
        awaits=plan.awaits.value,
        any=findings.any(),
        waits=waits,
    )
    return [
        *(column("j", kept) for kept in (*_kept(plan), "action", "new_code", "target_id")),
        outcome,
        waits,
        sql("CASE WHEN {any} THEN {error} ELSE 0 END", any=findings.any(), error=findings.error()),
        sql("CASE WHEN {any} THEN {message} END", any=findings.noticed(), message=_message(plan, findings)),
        *(column("j", value) for value in _values(plan)),
    ]


def _message(plan: Plan, findings: Findings) -> Sql:
    """Return the sentences of a judged row; its texts are those that this same statement judged."""
    sentences = (
        sql(
            "\n        CASE WHEN {word} & {bit} <> 0 THEN {warning}{sentence} || ' ' ELSE '' END",
            word=Sql(f"j.x_{f.word}"),
            bit=Sql(str(f.bit)),
            warning=sql("{warning} || ", warning=messages.WARNING) if f.warns else Sql(""),
            sentence=messages.sentence(
                f.problem,
                f.shown,
                plan.sql.shown(actions.action(plan) if f.shown == "import_action" else trimmed(plan, f.shown)),
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
