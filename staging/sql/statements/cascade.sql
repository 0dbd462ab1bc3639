-- name: find_references
-- purpose: Notes which row fills each late reference; a row that refers to itself needs no other.
-- aliases: o w
-- locks: nothing that others wait for
INSERT INTO {edges} (row_id, target, field, gives, firm)
SELECT w.row_id, {target}, {number}, {gives}, {firm}
FROM {work} w
LEFT JOIN {work} o ON o.code = {late} AND NOT {update_or_removal}
    AND o.outcome IN ({RowOutcome.INSERT}, {RowOutcome.UPDATE}, {RowOutcome.UNCHANGED})
{renamed}
WHERE {late} IS NOT NULL AND ({late} = w.code) IS NOT TRUE
    AND ({late} = w.new_code AND {comes_itself}) IS NOT TRUE

-- name: find_holders
-- purpose: Notes which row renames the member away that has the new code; none does when it keeps its code.
-- aliases: o p w
-- locks: nothing that others wait for
INSERT INTO {edges} (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, {number}, {none}, 1
FROM {work} w
JOIN {production} p ON p.code = w.new_code
LEFT JOIN {work} o ON o.target_id = p.id AND o.new_code IS NOT NULL AND o.outcome = {RowOutcome.UPDATE}
WHERE w.new_code IS NOT NULL
    AND w.outcome NOT IN ({RowOutcome.SUPERSEDED}, {RowOutcome.DONE}, {RowOutcome.DONE_REJECTED})

-- name: find_lost
-- purpose: Notes what rows will not have: nobody brings it or gives it up, or a row that falls, or keeps what it has.
-- aliases: before e l
-- locks: nothing that others wait for
INSERT INTO {lost} (row_id, field, firm, round)
WITH RECURSIVE lost (row_id, field, gives, firm) AS (
    SELECT e.row_id, e.field, e.gives, e.firm
    FROM {edges} e
    WHERE e.target IS NULL
    UNION
    SELECT e.row_id, e.field, e.gives, e.firm
    FROM lost l
    JOIN {edges} e ON e.target = l.row_id
    WHERE l.firm = 1 OR e.field = l.gives
)
SELECT DISTINCT l.row_id, l.field, l.firm, {number}
FROM lost l
WHERE NOT EXISTS (SELECT 1 FROM {lost} before WHERE before.row_id = l.row_id AND before.field = l.field)

-- name: find_fallen
-- purpose: Notes the rows that a rule rejects because they skipped a value in this round.
-- aliases: w
-- locks: nothing that others wait for
INSERT INTO {edges} (row_id, target, field, gives, firm)
SELECT w.row_id, CAST(NULL AS bigint), {row}, {none}, 1
FROM {work} w
WHERE {skipped} AND w.outcome = {RowOutcome.REJECTED}

-- name: by_rename
-- purpose: Part of find_references: the rows that rename a member to the code that a row waits for.
-- aliases: n p x
-- locks: nothing that others wait for
LEFT JOIN (
    SELECT x.row_id, x.new_code
    FROM {work} x
    JOIN {production} p ON p.id = x.target_id
    WHERE x.new_code IS NOT NULL AND x.outcome = {RowOutcome.UPDATE}
        AND (p.is_active OR x.action = {ImportAction.UPSERT})
) n ON n.new_code = {late}
