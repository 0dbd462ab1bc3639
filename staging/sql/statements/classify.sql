-- name: extent
-- purpose: Finds the first and the last id of the rows that wait, and how many they are.
-- aliases: s
-- locks: nothing that others wait for
SELECT COALESCE(min(s.id), 0), COALESCE(max(s.id), 0), count(*)
FROM {staging} s
WHERE {pending}

-- name: classify
-- purpose: Gives every row that waits its outcome, its typed values and its sentences, in one statement. Its levels
--   are kept apart by a barrier, so that no expression is computed twice.
-- aliases: j
-- locks: nothing that others wait for
INSERT INTO {work} ({columns}) {calendar}
SELECT {outcome}
FROM ({judged}) j{order}

-- name: judged
-- purpose: Part of classify: each row beside its member and what it refers to, with the bits of its problems and the
--   values that production would have.
-- aliases: p t
-- locks: nothing that others wait for
SELECT {pieces}
FROM ({inner}) t
LEFT JOIN {production} p ON p.code = t.code{joins} {barrier}

-- name: settled
-- purpose: Counts the rows that an earlier attempt has settled; they only decide about the others.
-- aliases: w
-- locks: nothing that others wait for
SELECT count(*)
FROM {work} w
WHERE w.outcome IN ({RowOutcome.DONE}, {RowOutcome.DONE_REJECTED})

-- name: staged_rows
-- purpose: Part of classify: the staged rows of the batch, texts trimmed.
-- aliases: s
-- locks: nothing that others wait for
SELECT {pieces}
FROM {staging} s
WHERE {pending}{ids} {barrier}

-- name: typed_rows
-- purpose: Part of classify, where a column holds no marks: beside each trimmed text its typed value.
-- aliases: raw
-- locks: nothing that others wait for
SELECT {pieces}
FROM ({inner}) raw{days} {barrier}

-- name: codes_that_come
-- purpose: Part of classify: the codes that rows of this batch make active members, for references to the entity
--   itself; `comes` is 0 where all of them give a new code to a member that does not exist, and will be rejected. Rows
--   that only insert give none.
-- aliases: p s
-- locks: nothing that others wait for
SELECT {code} AS code, max(CASE WHEN s.new_code IS NULL OR ({new} <> '' AND {new} <> {code}) IS NOT TRUE
    OR {action} = {ImportAction.INSERT_ONLY} OR EXISTS (SELECT 1 FROM {production} p WHERE p.code = {code}) THEN 1 ELSE 0 END) AS comes
FROM {staging} s
WHERE {pending} AND {brings}{counts}
GROUP BY 1

-- name: new_codes_that_come
-- purpose: Part of classify: the new codes that rows of this batch give to members; nobody gets one that several want.
-- aliases: p s
-- locks: nothing that others wait for
SELECT {new} AS code, CASE WHEN count(*) = 1 THEN max(p.id) END AS id
FROM {staging} s
JOIN {production} p ON p.code = {code}
WHERE {pending} AND {brings} AND {new} <> {code}{counts}
GROUP BY 1

-- name: outcome
-- purpose: Part of classify: what becomes of a judged row.
-- aliases: j
-- locks: nothing that others wait for
CASE WHEN j.status = {ImportStatus.PROCESSED} THEN {RowOutcome.DONE}
    WHEN j.status <> {awaits} THEN {RowOutcome.DONE_REJECTED}
    WHEN {any} THEN {RowOutcome.REJECTED}
    WHEN j.removal <> 0 THEN j.removal
    WHEN j.target_id IS NULL OR j.begun = 1 THEN {RowOutcome.INSERT}
    WHEN j.changes = 1 OR {waits} <> 0 THEN {RowOutcome.UPDATE}
    ELSE {RowOutcome.UNCHANGED} END

-- name: changes
-- purpose: Part of judged: whether production would look different afterwards; a member that is only updated may stay
--   inactive.
-- aliases: p t
-- locks: nothing that others wait for
CASE WHEN (p.is_active OR t.action = {ImportAction.UPDATE_ONLY})
    AND (t.new_code IS NULL OR {renames} IS NOT TRUE) AND {same}
    THEN 0 ELSE 1 END

-- name: removal
-- purpose: Part of judged: what becomes of a row that takes its member away; 0 for other rows.
-- aliases: p t
-- locks: nothing that others wait for
CASE WHEN {removes} THEN CASE WHEN t.action IN ({deleting}) THEN {RowOutcome.DELETE}
        WHEN p.is_active THEN {RowOutcome.DEACTIVATE}
        ELSE {RowOutcome.UNCHANGED} END
    ELSE 0 END

-- name: code_problems
-- purpose: Part of judged: the problems of `code`; whether it should exist, or should not, is asked of a good one
--   only.
-- aliases: t
-- locks: nothing that others wait for
CASE WHEN t.code IS NULL THEN {missing}
    WHEN t.t_code IS NULL THEN {wrong}
    WHEN {length} > {most} THEN {long}
    WHEN t.action = {ImportAction.UPSERT} AND t.new_code IS NULL THEN 0
    WHEN {new} THEN CASE WHEN t.action = {ImportAction.UPDATE_ONLY} OR {removes} OR {renames} THEN {unknown} ELSE 0 END
    WHEN t.action = {ImportAction.INSERT_ONLY} THEN {exists}
    ELSE 0 END

-- name: new_code_problems
-- purpose: Part of judged: the problems of `new_code` by itself; whether it is free shows when all rows are seen.
-- aliases: t
-- locks: nothing that others wait for
CASE WHEN t.new_code IS NULL THEN 0
    WHEN {renames} THEN CASE WHEN {typed} IS NULL THEN {wrong} WHEN {length} > {most} THEN {long} ELSE 0 END
    ELSE 0 END

-- name: value_problems
-- purpose: Part of judged: the problems of a typed value.
-- aliases: none
-- locks: nothing that others wait for
CASE WHEN {given} THEN {broken}
    WHEN {nothing} THEN {blank}
    WHEN {c} THEN {cleared}
    ELSE {wrong} END

-- name: reference_problems
-- purpose: Part of judged: the problems of a reference.
-- aliases: none
-- locks: nothing that others wait for
CASE WHEN {nothing} THEN {blank}
    WHEN {c} THEN {cleared}
    WHEN {found} THEN {given}
    ELSE {lost} END

-- name: of_delivery
-- purpose: Part of staged_rows, when a delivery is judged again: its rows that are left, and those settled before,
--   which decide about the others.
-- aliases: k s
-- locks: nothing that others wait for
((s.import_status = {awaits} AND s.id IN ({open}))
    OR (s.import_status IN ({ImportStatus.PROCESSED}, {ImportStatus.REJECTED})
        AND s.id IN (SELECT k.row_id FROM {kept} k) AND s.id NOT IN ({open})))
