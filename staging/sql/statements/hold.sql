-- name: hold_rows
-- purpose: Sets the rows held that are still pending; what others changed or took meanwhile is theirs.
-- aliases: s w
-- locks: the staged rows it holds, until the transaction ends
UPDATE {staging} AS s
SET import_status = {held}, batch_id = {batch}
FROM {work} w
WHERE w.outcome < {RowOutcome.DONE} AND s.id = w.row_id AND s.import_status = {pending}
