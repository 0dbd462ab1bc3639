-- name: take_in
-- purpose: Copies what another process judged into the work table.
-- aliases: none
-- locks: nothing that others wait for
INSERT INTO {work} ({columns})
SELECT {columns}
FROM {theirs}
ORDER BY seq

-- name: attach
-- purpose: Opens the file of a piece beside the database.
-- aliases: none
-- locks: nothing that others wait for
ATTACH DATABASE {file} AS {schema}

-- name: detach
-- purpose: Closes the file of a piece.
-- aliases: none
-- locks: nothing that others wait for
DETACH DATABASE {schema}
