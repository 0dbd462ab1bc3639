-- name: rename_preview
-- purpose: Keeps a preview under a new name.
-- aliases: none
-- locks: nothing that others wait for
ALTER TABLE {work} RENAME TO {kept}

-- name: create_preview
-- purpose: Creates the table in which a preview is kept.
-- aliases: none
-- locks: nothing that others wait for
CREATE TABLE {kept} ({body})

-- name: copy_preview
-- purpose: Copies a stretch of a preview into the table in which it is kept.
-- aliases: w
-- locks: the database, for less than a second a step
INSERT INTO {kept}
SELECT *
FROM {work} w
WHERE w.seq BETWEEN {first} AND {end}
