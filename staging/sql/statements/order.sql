-- name: special
-- purpose: Looks once whether rows need more than being inserted or updated.
-- aliases: w
-- locks: nothing that others wait for
SELECT COALESCE(max(CASE WHEN {removes} THEN 1 ELSE 0 END), 0), count(w.new_code),
    COALESCE(max(CASE WHEN w.outcome = {RowOutcome.SUPERSEDED} THEN 1 ELSE 0 END), 0)
FROM {work} w

-- name: find_traders
-- purpose: Notes the rows that bring a unique value which another row has its member give up, and these.
-- aliases: e w
-- locks: nothing that others wait for
INSERT INTO {traders} (row_id)
SELECT e.{one}
FROM {edges} e
JOIN {work} w ON w.row_id = e.row_id
WHERE e.field >= {values} AND e.target IS NOT NULL AND w.outcome IN ({RowOutcome.INSERT}, {RowOutcome.UPDATE})

-- name: some_wait
-- purpose: Asks whether a row waits for the id of a new member.
-- aliases: w
-- locks: nothing that others wait for
SELECT 1
FROM {work} w
WHERE w.waits <> 0
LIMIT 1

-- name: put
-- purpose: Gives rows their turn, and numbers after all others: a turn is a range of numbers, whatever its place.
-- aliases: moved w
-- locks: nothing that others wait for
UPDATE {work} AS w
SET turn = {turn}, seq = moved.seq
FROM (
    SELECT w.row_id, (SELECT max(seq) FROM {work}) + row_number() OVER (ORDER BY w.row_id) AS seq
    FROM {work} w
    WHERE {condition}
) moved
WHERE moved.row_id = w.row_id

-- name: last_turn
-- purpose: Reads the last row: those that got a turn are behind all others, so it tells whether there are any.
-- aliases: first w
-- locks: nothing that others wait for
SELECT w.turn, (SELECT min(first.seq) FROM {work} first), w.seq
FROM {work} w
ORDER BY w.seq DESC
LIMIT 1

-- name: turns
-- purpose: Reads the first and the last number of each turn.
-- aliases: w
-- locks: nothing that others wait for
SELECT COALESCE(w.turn, 0), min(w.seq), max(w.seq)
FROM {work} w
GROUP BY 1
