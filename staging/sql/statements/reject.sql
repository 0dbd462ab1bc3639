-- name: say
-- purpose: Adds a sentence to the rows that meet a condition, and rejects them unless it only warns.
-- aliases: w
-- locks: nothing that others wait for
UPDATE {work} AS w
SET {change} message = CASE WHEN w.message IS NULL THEN '' ELSE w.message || ' ' END || {text}
WHERE w.outcome NOT IN ({RowOutcome.SUPERSEDED}, {RowOutcome.DONE}, {RowOutcome.DONE_REJECTED}) AND ({condition})

-- name: skip_field
-- purpose: Leaves a field of these rows as it was, because what they bring for it was skipped.
-- aliases: w
-- locks: nothing that others wait for
UPDATE {work} AS w
SET {value} = {stored}{late}{outcome}{member}
WHERE {counts} AND {whose}
