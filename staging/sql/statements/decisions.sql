-- name: log_decisions
-- purpose: Makes the work table one that outlives a crash; when it was created logged, this costs nothing.
-- aliases: none
-- locks: the work table
ALTER TABLE {work} SET LOGGED

-- name: create_done
-- purpose: Creates the table of the numbers that are carried out.
-- aliases: none
-- locks: nothing that others wait for
CREATE TABLE {done} (first bigint, last bigint)

-- name: last_number
-- purpose: Reads the last number of the work table.
-- aliases: none
-- locks: nothing that others wait for
SELECT COALESCE(max(seq), 0)
FROM {work}

-- name: copy_decisions
-- purpose: Copies a stretch of the work table into one that stays, with each staged row as it was when it was judged.
-- aliases: s w
-- locks: the database, for less than a second a step
INSERT INTO {kept} ({columns}, raw)
SELECT {theirs}, {raw}
FROM {work} w
LEFT JOIN {staging} s ON s.id = w.row_id
WHERE w.seq BETWEEN {first} AND {end}

-- name: settle_chunk
-- purpose: Notes, in the transaction that did it, that the decisions with these numbers are carried out.
-- aliases: none
-- locks: nothing that others wait for
INSERT INTO {done} (first, last)
VALUES ({first}, {last})

-- name: claims_of_others
-- purpose: Asks whether decisions that another batch left are about rows that this batch would claim.
-- aliases: s
-- locks: nothing that others wait for
SELECT 1
FROM {staging} s
WHERE {pending} AND s.id IN ({open})
LIMIT 1

-- name: find_changed
-- purpose: Finds a row that is left and was changed or taken away since it was judged.
-- aliases: s w
-- locks: nothing that others wait for
SELECT 1
FROM {work} w
LEFT JOIN {staging} s ON s.id = w.row_id AND s.import_status = {awaits}
WHERE {left} AND (s.id IS NULL OR {changed})
LIMIT 1

-- name: count_open
-- purpose: Counts the rows about which decisions are left.
-- aliases: left_open
-- locks: nothing that others wait for
SELECT count(*)
FROM ({open}) left_open

-- name: open_rows
-- purpose: Part of others: the staged rows about which kept decisions are not carried out yet.
-- aliases: k
-- locks: nothing that others wait for
SELECT k.row_id
FROM {kept} k
WHERE {left}

-- name: stretches_done
-- purpose: Reads which numbers of the decisions are carried out.
-- aliases: none
-- locks: nothing that others wait for
SELECT first, last
FROM {done}
WHERE last >= {first} AND first <= {last}
ORDER BY first
