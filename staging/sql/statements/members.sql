-- name: in_order_of_members
-- purpose: Part of others: the rows of a chunk as their members lie on the pages. Rows are delivered in any order;
--   each page of members and of their indexes is then visited once.
-- aliases: w
-- locks: nothing that others wait for
SELECT w.seq, w.target_id
FROM {work} w
WHERE {rows} AND w.outcome IN ({outcomes}) AND w.target_id IS NOT NULL
ORDER BY w.target_id {barrier}

-- name: resolve
-- purpose: Fills the references whose members had no id yet when the rows were classified.
-- aliases: p w
-- locks: nothing that others wait for
UPDATE {work} AS w
SET {value} = p.id
FROM {production} p
WHERE {rows} AND (w.waits & {bit}) <> 0 AND w.outcome IN ({RowOutcome.INSERT}, {RowOutcome.UPDATE})
    AND p.code = w.{late}

-- name: free
-- purpose: Has members give up the unique values that change, so that those who get them meet none that is still
--   there.
-- aliases: p w
-- locks: the members it writes, and those they refer to against being deleted, until the transaction ends
UPDATE {production} AS p
SET {field} = NULL
FROM {work} w
WHERE {rows} AND w.outcome = {RowOutcome.UPDATE} AND p.id = w.target_id AND {stored} IS NOT NULL AND NOT {same}

-- name: update_members
-- purpose: Writes the members that exist and would look different afterwards.
-- aliases: m p w
-- locks: the members it writes, and those they refer to against being deleted, until the transaction ends
UPDATE {production} AS p
SET {changes}
FROM ({members}) m
JOIN {work} w ON w.seq = m.seq
WHERE p.id = m.target_id AND {where}

-- name: count_existing
-- purpose: Counts the rows of a chunk whose member exists; when more were written, none is left in which an indexed
--   value changes.
-- aliases: w
-- locks: nothing that others wait for
SELECT count(w.target_id)
FROM {work} w
WHERE {rows} AND w.outcome IN ({RowOutcome.INSERT}, {RowOutcome.UPDATE})

-- name: insert_members
-- purpose: Writes the members that are new, in the order of their codes, as the index has them.
-- aliases: w
-- locks: the members it writes, and those they refer to against being deleted, until the transaction ends
INSERT INTO {production} ({columns})
SELECT w.code, {values}, {active}, {now}, {now}, {batch}, {batch}
FROM {work} w
WHERE {rows} AND w.outcome = {RowOutcome.INSERT} AND w.target_id IS NULL
ORDER BY w.code

-- name: note_ids
-- purpose: Notes the ids of the members that were inserted bare, for rows that wait for them.
-- aliases: p w
-- locks: nothing that others wait for
UPDATE {work} AS w
SET target_id = p.id
FROM {production} p
WHERE {rows} AND w.outcome = {RowOutcome.INSERT} AND w.target_id IS NULL AND p.code = w.code
