"""Decides in one statement what will become of every pending row; nothing but the work table is written.

The rows are read (delivered.py), judged beside what is stored, and given an outcome with its sentences. The levels are
kept apart by barriers, so no expression is computed twice. The texts themselves are not handed on: few rows are
rejected, and their sentences look them up again.
"""

from staging.batches.context import BatchContext, Field
from staging.batches.judging import checks, delivered, intent
from staging.batches.judging.checks import Findings
from staging.batches.judging.delivered import pending, trimmed
from staging.batches.worktable import in_tiles
from staging.sql.compose import Sql, column, fetch, join, name, run, sql, statement, tree


def classify(context: BatchContext, expected: int) -> int:
    """Fill the work table with the rows that wait, about as many as `expected`; return how many there are."""
    context.sql.expect(expected)
    return run(classification(context, expected))


def classification(context: BatchContext, expected: int) -> Sql:
    """Return the statement that fills the work table with about so many rows."""
    findings = checks.findings(context)
    columns = [
        *_kept(context),
        "action",
        "new_code",
        "target_id",
        "outcome",
        "waits",
        "error",
        "message",
        *_values(context),
    ]
    return statement(
        "classify",
        work=context.work,
        calendar=context.sql.calendar,
        columns=join(", ", map(name, columns)),
        outcome=join(",\n    ", _outcome(context, findings)),
        judged=_judged(context, findings),
        order=in_tiles(context, expected),
    )


def extent(context: BatchContext) -> tuple[int, int, int]:
    """Return the first and the last id of the rows that are pending, and how many there are; all 0 when none is."""
    first, last, rows = fetch(statement("extent", staging=context.staging, pending=pending(context)))[0]
    return first, last, rows


def settled(context: BatchContext) -> int:
    """Return how many rows of the work table an earlier attempt has settled."""
    if not context.delivery:
        return 0
    return int(fetch(statement("settled", work=context.work))[0][0])


def _kept(context: BatchContext) -> list[str]:
    # The version tells when the row is merged whether anybody changed it since it was judged.
    return ["row_id", *(["row_version"] if context.sql.has_row_versions else []), "code"]


def _values(context: BatchContext) -> list[str]:
    # Beside the values the codes of late references: which row brings them shows when all rows are seen.
    return [*(f"v_{f.name}" for f in context.fields), *(f"l_{f.name}" for f in context.self_references)]


def _judged(context: BatchContext, findings: Findings) -> Sql:
    pieces = {
        **{kept: column("t", kept) for kept in (*_kept(context), "status", "action")},
        "new_code": sql("CASE WHEN {renames} THEN t.new_code END", renames=intent.renames()),
        "target_id": Sql("p.id"),
        # A removal looks at nothing but the code, so its outcome is known before any value is judged.
        "removal": intent.outcome_of_removal(),
        "changes": _changes(context),
        "begun": sql("CASE WHEN {begun} THEN 1 ELSE 0 END", begun=delivered.begun(context)),
        **findings.together(*_checks(context, findings), count=sql("NOT {removes}", removes=intent.removes("t"))),
        **{f"v_{f.name}": _final(context, f) for f in context.fields},
    }
    for field in context.self_references:
        pieces[f"l_{field.name}"] = intent.late_code(context, field)
        pieces[f"w_{field.name}"] = intent.waits(context, field)
    return statement(
        "judged",
        pieces=join(",\n    ", (sql("{it} AS {to}", it=piece, to=name(label)) for label, piece in pieces.items())),
        inner=delivered.read_rows(context),
        production=context.production,
        joins=join("", intent.member_joins(context)),
        barrier=context.sql.barrier,
    )


def _final(context: BatchContext, field: Field) -> Sql:
    """Return the value production will have, if the row is good."""
    if field.is_reference:
        return intent.final(context, field)
    return delivered.merged(context, field, checks.is_right(context, field), delivered.value(field))


def _checks(context: BatchContext, findings: Findings) -> tuple[dict[str, Sql], dict[str, Sql]]:
    """Return what is looked at in each column, as the bits of its problems: what the row asks for, and its values."""
    asked = {
        "code": checks.code_checks(context, findings.bits("code")),
        "new_code": checks.new_code_checks(context, findings.bits("new_code")),
        "import_action": checks.action_checks(findings.bits("import_action")),
    }
    values = {}
    for field in context.fields:
        bits = findings.bits(field.name)
        if field.is_reference:
            found, member = intent.is_found(context, field), intent.member(context, field)
            values[field.name] = checks.reference_checks(context, field, found, member, bits)
        else:
            values[field.name] = checks.value_checks(context, field, bits)
    return asked, values


def _changes(context: BatchContext) -> Sql:
    """Return 1 when production would look different afterwards; a member that is only updated may stay inactive."""
    return statement(
        "changes",
        renames=intent.renames(),
        same=tree("AND", (_is_same(context, f) for f in context.fields), "TRUE"),
    )


def _is_same(context: BatchContext, field: Field) -> Sql:
    stored = delivered.stored(context, field)
    same = context.sql.same(_final(context, field), stored)
    if field.is_reference:
        return same
    # What is given decides most rows; nothing given and nothing stored is no change either, whatever the reason.
    return sql("({given} OR {same})", given=context.sql.same(delivered.value(field), stored), same=same)


def _outcome(context: BatchContext, findings: Findings) -> list[Sql]:
    waits = tree("|", (column("j", f"w_{f.name}") for f in context.self_references), "0")
    outcome = statement(
        "outcome",
        awaits=context.awaits.value,
        any=findings.any(),
        waits=waits,
    )
    return [
        *(column("j", kept) for kept in (*_kept(context), "action", "new_code", "target_id")),
        outcome,
        waits,
        sql("CASE WHEN {any} THEN {error} ELSE 0 END", any=findings.any(), error=findings.error()),
        sql("CASE WHEN {any} THEN {message} END", any=findings.noticed(), message=_message(context, findings)),
        *(column("j", value) for value in _values(context)),
    ]


def _message(context: BatchContext, findings: Findings) -> Sql:
    """Return the sentences of a judged row; its texts are those that this same statement judged."""
    sentences = (
        sql(
            "\n        CASE WHEN {word} & {bit} <> 0 THEN {sentence} || ' ' ELSE '' END",
            word=Sql(f"j.x_{f.word}"),
            bit=Sql(str(f.bit)),
            sentence=checks.sentence(
                context,
                f.problem,
                f.shown,
                context.sql.shown(intent.action(context) if f.shown == "import_action" else trimmed(context, f.shown)),
                f.limit,
                warns=f.warns,
            ),
        )
        for f in findings
    )
    return sql(
        "(SELECT rtrim({text}) FROM {staging} s WHERE s.id = j.row_id)",
        text=tree("||", sentences, "''"),
        staging=context.staging,
    )
