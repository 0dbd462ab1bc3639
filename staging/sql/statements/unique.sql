-- name: find_new_values
-- purpose: Notes the rows that bring a unique value their member does not have yet.
-- aliases: p w
-- locks: nothing that others wait for
INSERT INTO {new} (row_id, taken)
SELECT w.row_id, {wanted}
FROM {work} w
LEFT JOIN {production} p ON p.id = w.target_id
WHERE {wanted} IS NOT NULL AND {which} AND NOT {same}

-- name: meant_by_rejected
-- purpose: Part of say: the member that a rejected row refers to; itself, by its new code, where no other row brings it.
--   None where a row that is rejected would bring the code to a member that is not there, and no good row gives it.
-- aliases: o p w x
-- locks: nothing that others wait for
CASE WHEN w.target_id IS NOT NULL AND w.new_code = {late}{taken}
    AND (w.action = {ImportAction.UPSERT} OR w.action = {ImportAction.UPDATE_ONLY} AND p.is_active)
    THEN CASE WHEN EXISTS (
        SELECT 1 FROM {work} o
        WHERE o.code = {late} AND {brings}
            AND o.outcome IN ({RowOutcome.INSERT}, {RowOutcome.UPDATE}, {RowOutcome.UNCHANGED})
    ) THEN NULLIF({value}, w.target_id) ELSE w.target_id END
    WHEN EXISTS (SELECT 1 FROM {work} o WHERE o.code = {late} AND o.target_id IS NULL AND {brings})
        AND NOT EXISTS (SELECT 1 FROM {work} x WHERE x.new_code = {late} AND x.outcome = {RowOutcome.UPDATE})
    THEN NULL
    ELSE {value} END

-- name: find_newcomers
-- purpose: Notes the good rows that refer, by a unique reference, to members without an id yet, by their codes.
-- aliases: w
-- locks: nothing that others wait for
INSERT INTO {new} (row_id, taken)
SELECT w.row_id, {late}
FROM {work} w
WHERE {good} AND (w.waits & {bit}) <> 0

-- name: find_equals
-- purpose: Notes that rows which bring the same value cannot have it.
-- aliases: n rival w
-- locks: nothing that others wait for
INSERT INTO {edges} (row_id, target, field, gives, firm)
SELECT w.row_id, NULL, {number}, {number}, {firm}
FROM {new} n
JOIN {work} w ON w.row_id = n.row_id
WHERE n.taken IN (SELECT rival.taken FROM {new} rival GROUP BY rival.taken HAVING count(*) > 1)

-- name: find_value_holders
-- purpose: Notes which good row, if any, gives up the value that another row brings.
-- aliases: n o p w
-- locks: nothing that others wait for
INSERT INTO {edges} (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, {number}, {number}, {firm}
FROM {new} n
JOIN {work} w ON w.row_id = n.row_id
JOIN {production} p ON p.{value} = n.taken
LEFT JOIN {work} o ON o.target_id = p.id AND o.outcome IN ({RowOutcome.UPDATE}, {RowOutcome.UNCHANGED}) AND NOT {same}
WHERE TRUE{stays}

-- name: taken_afterwards
-- purpose: Part of say: the value that a row brings is somebody else's after the batch.
-- aliases: n o p w
-- locks: nothing that others wait for
w.row_id IN (
    SELECT n.row_id
    FROM {new} n
    WHERE n.taken IN (
        SELECT p.{value}
        FROM {production} p
        LEFT JOIN {work} o ON o.target_id = p.id AND o.outcome = {RowOutcome.UPDATE}
        WHERE p.{value} IS NOT NULL{stays} AND (o.row_id IS NULL OR {same})
    ) OR n.taken IN (
        SELECT o.{brought}
        FROM {work} o
        WHERE o.outcome IN ({RowOutcome.INSERT}, {RowOutcome.UPDATE}) AND o.{brought} IS NOT NULL
    )
)

-- name: find_sharers
-- purpose: Notes the rejected rows that refer to a member without an id yet, to whom a good row refers, too.
-- aliases: o w
-- locks: nothing that others wait for
INSERT INTO {new} (row_id)
SELECT w.row_id
FROM {work} w
WHERE w.outcome = {RowOutcome.REJECTED} AND w.error & {told} = 0
    AND (w.{value} IS NULL OR w.{value} = w.target_id AND w.new_code = {late}) AND {late} IN (
        SELECT {theirs}
        FROM {work} o
        WHERE o.outcome IN ({RowOutcome.INSERT}, {RowOutcome.UPDATE}) AND (o.waits & {bit}) <> 0
    )
