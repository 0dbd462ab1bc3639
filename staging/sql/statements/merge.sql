-- name: count_outcomes
-- purpose: Counts the rows of a chunk by outcome, and those of them that something is said of.
-- aliases: w
-- locks: nothing that others wait for
SELECT w.outcome, count(*), count(w.message)
FROM {work} w
WHERE {rows} AND w.outcome < {RowOutcome.DONE}
GROUP BY w.outcome

-- name: mark_staged
-- purpose: Marks the staged rows of a chunk with what became of them, one after the other as they lie on the pages.
--   It must find every one of them as it was when it was judged.
-- aliases: s w
-- locks: the staged rows of the chunk, until its transaction ends
UPDATE {staging} AS s
SET import_status = CASE WHEN w.outcome = {RowOutcome.REJECTED} THEN {bad} ELSE {good} END, batch_id = {batch},
    error_code = w.error, error_message = w.message, import_outcome = CASE w.outcome {words} END
FROM (
    SELECT w.row_id, w.outcome, w.error, w.message{version}
    FROM {work} w
    WHERE {rows} AND w.outcome < {RowOutcome.DONE}
    ORDER BY w.row_id {barrier}
) w
WHERE s.id = w.row_id AND s.import_status = {pending}{as_it_was}
