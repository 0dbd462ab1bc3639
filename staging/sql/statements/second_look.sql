-- name: remember
-- purpose: Notes which members go, or which rows are superseded, for the second judgement.
-- aliases: none
-- locks: nothing that others wait for
INSERT INTO {table} {rows}

-- name: find_difference
-- purpose: Finds whether the second judgement would take away or supersede something else than the first.
-- aliases: differs
-- locks: nothing that others wait for
SELECT 1
FROM ({one} EXCEPT {other}) differs
LIMIT 1

-- name: members_that_go
-- purpose: Part of remember: the members that go, and whether references to them are cleared.
-- aliases: g
-- locks: nothing that others wait for
SELECT g.id, CASE WHEN g.action IN ({clearing}) THEN 1 ELSE 0 END
FROM {removed} g

-- name: superseded_rows
-- purpose: Part of remember: the rows that are superseded.
-- aliases: w
-- locks: nothing that others wait for
SELECT w.row_id
FROM {work} w
WHERE w.outcome = {RowOutcome.SUPERSEDED}

-- name: lose_a_reference
-- purpose: Finds rows, beside removals, whose member loses a reference.
-- aliases: p w
-- locks: nothing that others wait for
SELECT w.row_id
FROM {work} w
JOIN {production} p ON p.id = w.target_id
WHERE NOT {removes} AND ({lost})
LIMIT 1

-- name: cleared_members
-- purpose: Part of lose_a_reference: the members that go and whose references are cleared.
-- aliases: g
-- locks: nothing that others wait for
SELECT g.id
FROM {removed} g
WHERE g.action IN ({clearing})

-- name: refer_to_who_goes
-- purpose: Finds rows, beside removals, that refer to a member that goes; an inactive one is not found anyway.
-- aliases: g s
-- locks: nothing that others wait for
SELECT s.id
FROM {staging} s
JOIN {removed} g ON g.code = {text}
WHERE {pending} AND NOT {removes} AND g.active = 1 AND {text} <> {clears}
LIMIT 1

-- name: refer_to_superseded
-- purpose: Finds rows that refer to a code or new code of a superseded row, and of no row that counts and has it.
-- aliases: o w
-- locks: nothing that others wait for
SELECT w.row_id
FROM {work} w
WHERE w.outcome <> {RowOutcome.SUPERSEDED} AND {late} IN (
    SELECT o.code
    FROM {work} o
    WHERE o.outcome = {RowOutcome.SUPERSEDED}
    UNION
    SELECT o.new_code
    FROM {work} o
    WHERE o.outcome = {RowOutcome.SUPERSEDED}
) AND {late} NOT IN (
    SELECT o.code
    FROM {work} o
    WHERE o.code IS NOT NULL AND o.outcome <> {RowOutcome.SUPERSEDED} AND {brings}
)
LIMIT 1

-- name: noted
-- purpose: Part of find_difference: what the first judgement noted.
-- aliases: none
-- locks: nothing that others wait for
SELECT *
FROM {table}
