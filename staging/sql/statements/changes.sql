-- name: read_changes
-- purpose: Reads a page of the judged rows, each with its member: the page first, by number, and only then what it
--   refers to.
-- aliases: p w
-- locks: nothing that others wait for
SELECT w.seq, w.row_id, w.code, w.outcome, w.message, p.is_active, w.new_code, w.action{values}
FROM (SELECT w.* FROM {work} w{where} ORDER BY w.seq LIMIT {limit}) w
LEFT JOIN {production} p ON p.id = w.target_id{joins}
ORDER BY w.seq
