-- name: forget_values
-- purpose: Takes from rows that take members away what they bring beside the code.
-- aliases: w
-- locks: nothing that others wait for
UPDATE {work} AS w
SET {changes}
WHERE {removes}

-- name: keep_values
-- purpose: Gives these rows the values that are stored.
-- aliases: p w
-- locks: nothing that others wait for
UPDATE {work} AS w
SET {stored}
FROM {production} p
WHERE {removes} AND p.id = w.target_id

-- name: find_candidates
-- purpose: Notes each member that a good row would take away; `active` says that it is there for others until then.
-- aliases: p w
-- locks: nothing that others wait for
INSERT INTO {removed} (id, code, action, active)
SELECT p.id, p.code, w.action, CASE WHEN p.is_active THEN 1 ELSE 0 END
FROM {work} w
JOIN {production} p ON p.id = w.target_id
WHERE {removes} AND w.outcome IN ({RowOutcome.UNCHANGED}, {RowOutcome.DEACTIVATE}, {RowOutcome.DELETE})
    AND (w.action <> {ImportAction.DEACTIVATE} OR w.outcome <> {RowOutcome.UNCHANGED})

-- name: find_ties
-- purpose: Notes what ties each candidate: another candidate that has to go with it, or somebody who stays (null).
-- aliases: c p
-- locks: nothing that others wait for
INSERT INTO {ties} (id, needs)
SELECT DISTINCT c.id, {goes_too}
FROM {removed} c
JOIN {production} p ON {column} = c.id{with_them}
WHERE {ties_it}

-- name: find_needed
-- purpose: Finds the candidates that somebody who stays refers to, and those that these refer to; circles that go
--   together are fine.
-- aliases: kept tie
-- locks: nothing that others wait for
INSERT INTO {kept} (id)
WITH RECURSIVE kept (id) AS (
    SELECT tie.id
    FROM {ties} tie
    WHERE tie.needs IS NULL
    UNION
    SELECT tie.id
    FROM kept
    JOIN {ties} tie ON tie.needs = kept.id
)
SELECT id
FROM kept

-- name: keep_needed
-- purpose: Takes these out of the candidates.
-- aliases: needed
-- locks: nothing that others wait for
DELETE FROM {removed}
WHERE id IN (SELECT needed.id FROM {kept} needed)

-- name: count_cleared
-- purpose: Counts a row as deactivated when its member was inactive already, but references to it are cleared.
-- aliases: w
-- locks: nothing that others wait for
UPDATE {work} AS w
SET outcome = {RowOutcome.DEACTIVATE}
WHERE w.action = {ImportAction.DEACTIVATE_CLEAR} AND w.outcome = {RowOutcome.UNCHANGED} AND ({refers})

-- name: still_needs
-- purpose: Part of say: a row would take a member away to which somebody refers who stays.
-- aliases: needed p w
-- locks: nothing that others wait for
w.target_id IN (SELECT needed.id FROM {kept} needed)
    AND EXISTS (SELECT 1 FROM {production} p WHERE {column} = w.target_id AND {ties}{stays})
