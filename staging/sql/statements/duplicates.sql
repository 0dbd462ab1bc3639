-- name: find_duplicates
-- purpose: Notes each code with several rows. In a table of its own: only for a few codes is it worth looking each
--   row of them up.
-- aliases: w
-- locks: nothing that others wait for
INSERT INTO {again} (code)
SELECT w.code
FROM {work} w
WHERE w.code IS NOT NULL
GROUP BY w.code
HAVING count(*) > 1

-- name: compare_duplicates
-- purpose: Notes of each of these codes the row that is kept, and whether the copies are alike in every column.
-- aliases: a s w
-- locks: nothing that others wait for
INSERT INTO {twice} (code, kept, alike)
SELECT w.code, {kept}(w.row_id),
    CASE WHEN count(DISTINCT COALESCE(s.import_action, {action})) = 1 AND {alike} THEN 1 ELSE 0 END
FROM {work} w
JOIN {staging} s ON s.id = w.row_id
WHERE w.code IN (SELECT a.code FROM {again} a)
GROUP BY w.code

-- name: supersede
-- purpose: Marks the copies that do not count as superseded.
-- aliases: d w
-- locks: nothing that others wait for
UPDATE {work} AS w
SET outcome = {RowOutcome.SUPERSEDED}, error = 0, message = NULL
FROM {twice} d
WHERE w.code = d.code AND w.row_id <> d.kept AND w.outcome < {RowOutcome.DONE} AND {which}
