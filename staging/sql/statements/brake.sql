-- name: totals
-- purpose: Counts the rows of each outcome.
-- aliases: w
-- locks: nothing that others wait for
SELECT w.outcome, count(*)
FROM {work} w
WHERE w.outcome < {RowOutcome.DONE}
GROUP BY w.outcome

-- name: members_touched
-- purpose: Counts the members that are active, and of these the ones that would change and that would go.
-- aliases: p touched w
-- locks: nothing that others wait for
SELECT (SELECT count(*) FROM {production} p WHERE p.is_active), COALESCE(sum(touched.changed), 0),
    COALESCE(sum(touched.removed), 0)
FROM (
    SELECT CASE WHEN w.outcome = {RowOutcome.UPDATE} THEN 1 ELSE 0 END AS changed,
        CASE WHEN w.outcome IN ({RowOutcome.DEACTIVATE}, {RowOutcome.DELETE}) THEN 1 ELSE 0 END AS removed
    FROM {work} w
    JOIN {production} p ON p.id = w.target_id AND p.is_active
) touched
