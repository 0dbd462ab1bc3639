-- name: take_in
-- purpose: Copies what another process judged into the work table.
-- aliases: none
-- locks: nothing that others wait for
INSERT INTO {work} ({columns})
SELECT {columns}
FROM {theirs}
ORDER BY seq
