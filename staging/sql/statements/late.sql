-- name: glance
-- purpose: Finds a row when any waits for a member of these batches at all. It reads the small index of waiting rows
--   only, so without them it costs nothing; mostly that is all there is to do.
-- aliases: s w
-- locks: nothing that others wait for
SELECT 1
FROM (SELECT {texts} FROM {staging} s WHERE {waits}) w
WHERE {brought}
LIMIT 1

-- name: bring_home
-- purpose: Sets the rows pending whose references have come, and with them those of their entity that were rejected
--   only because of them.
-- aliases: k s w
-- locks: the staged rows it sets pending
UPDATE {staging} AS s
SET {pending}
WHERE {waits} AND s.id IN (
    WITH RECURSIVE waiting AS MATERIALIZED ({waiting}), fresh AS MATERIALIZED ({fresh}), {stuck},
        free AS MATERIALIZED (SELECT w.* FROM fresh w LEFT JOIN stuck k ON k.id = w.id WHERE k.id IS NULL),
        home (id, code) AS (SELECT w.id, w.code FROM free w WHERE ({brought}){chain})
    SELECT id
    FROM home
)

-- name: waiting
-- purpose: Part of bring_home: the rows that wait, of each code the one that landed last.
-- aliases: n s
-- locks: nothing that others wait for
SELECT *
FROM (
    SELECT s.id, {code} AS code, s.batch_id AS batch, {texts}, max(s.id) OVER (PARTITION BY {code}) AS newest
    FROM {staging} s
    WHERE {waits}
) n
WHERE n.id = n.newest

-- name: fresh
-- purpose: Part of bring_home: those whose values are not older than others of their code. A newer row that waits for
--   a batch would meet this one there as a duplicate; what a later batch than the row's own wrote into its member must
--   not be overwritten.
-- aliases: d p s w
-- locks: nothing that others wait for
SELECT w.*
FROM waiting w
LEFT JOIN {production} p ON p.code = w.code
LEFT JOIN (
    SELECT {code} AS code
    FROM {staging} s
    WHERE s.import_status = {pending}
    UNION
    SELECT {code}
    FROM {staging} s
    WHERE s.import_status = {held}
) d ON d.code = w.code
WHERE d.code IS NULL AND (p.updated_batch_id > w.batch) IS NOT TRUE
