-- name: glance
-- purpose: Finds a row when any waits for a member of these batches at all. It reads the small index of waiting rows
--   only, so without them it costs nothing; mostly that is all there is to do.
-- aliases: s v
-- locks: nothing that others wait for
SELECT 1
FROM (SELECT {texts} FROM {staging} s WHERE {waits}) v
WHERE {brought}
LIMIT 1

-- name: many_wait
-- purpose: Finds a row when more than a few wait, whatever for; it reads no more of their small index than that.
-- aliases: s
-- locks: nothing that others wait for
SELECT 1
FROM {staging} s
WHERE {waits}
LIMIT 1 OFFSET {few}

-- name: bring_home
-- purpose: Sets the rows pending whose references have come, and with them those of their entity that were rejected
--   only because of them.
-- aliases: s stuck v
-- locks: the staged rows it sets pending, until the transaction ends
UPDATE {staging} AS s
SET {pending}
WHERE {waits} AND s.id IN (
    WITH RECURSIVE waiting AS MATERIALIZED ({waiting}), fresh AS MATERIALIZED ({fresh}), {stuck},
        free AS MATERIALIZED (SELECT v.* FROM fresh v LEFT JOIN stuck ON stuck.id = v.id WHERE stuck.id IS NULL),
        home (id, code) AS (SELECT v.id, v.code FROM free v WHERE ({brought}) {chain})
    SELECT id
    FROM home
)

-- name: waiting
-- purpose: Part of bring_home: the rows that wait, of each code the one that landed last.
-- aliases: latest s
-- locks: nothing that others wait for
SELECT *
FROM (
    SELECT s.id, {code} AS code, s.batch_id AS batch, {texts}, max(s.id) OVER (PARTITION BY {code}) AS newest
    FROM {staging} s
    WHERE {waits}
) latest
WHERE latest.id = latest.newest

-- name: fresh
-- purpose: Part of bring_home: those whose values are not older than others of their code. A newer row that waits for
--   a batch would meet this one there as a duplicate; what a later batch than the row's own wrote into its member must
--   not be overwritten.
-- aliases: delivered p s v
-- locks: nothing that others wait for
SELECT v.*
FROM waiting v
LEFT JOIN {production} p ON p.code = v.code
LEFT JOIN (
    SELECT {code} AS code
    FROM {staging} s
    WHERE s.import_status = {pending}
    UNION
    SELECT {code}
    FROM {staging} s
    WHERE s.import_status = {held}
) delivered ON delivered.code = v.code
WHERE delivered.code IS NULL AND (p.updated_batch_id > v.batch) IS NOT TRUE

-- name: still_missing
-- purpose: Part of bring_home: the rows of which a reference to another entity would still be missed.
-- aliases: v
-- locks: nothing that others wait for
SELECT v.id, v.code
FROM fresh v
WHERE NOT ({here})

-- name: needs_rows
-- purpose: Part of bring_home: the rows that another row of their entity has to bring a member for.
-- aliases: v
-- locks: nothing that others wait for
SELECT v.id AS id, v.code AS code, v.{target} AS target
FROM fresh v
WHERE NOT {here}

-- name: stuck_in_chains
-- purpose: Part of bring_home: the rows that still miss something, and those that need them; a circle of others is
--   not stuck.
-- aliases: e stuck v
-- locks: nothing that others wait for
edges AS MATERIALIZED ({edges}),
    stuck (id, code) AS (
        {missing}
        UNION
        SELECT e.id, e.code
        FROM edges e
        LEFT JOIN fresh v ON v.code = e.target
        WHERE v.id IS NULL
        UNION
        SELECT e.id, e.code
        FROM stuck
        JOIN edges e ON e.target = stuck.code
    )

-- name: home_in_chains
-- purpose: Part of bring_home: the rows that come home because one that they need does.
-- aliases: e home v
-- locks: nothing that others wait for
UNION
SELECT v.id, v.code
FROM home
JOIN edges e ON e.target = home.code
JOIN free v ON v.id = e.id
