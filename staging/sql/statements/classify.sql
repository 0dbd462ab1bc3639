-- name: extent
-- purpose: Finds the first and the last id of the rows that wait, and how many they are.
-- aliases: s
-- locks: nothing that others wait for
SELECT COALESCE(min(s.id), 0), COALESCE(max(s.id), 0), count(*)
FROM {staging} s
WHERE {pending}

-- name: classify
-- purpose: Gives every row that waits its outcome, its typed values and its sentences, in one statement. Its levels
--   are fenced off from one another, so that no expression is computed twice.
-- aliases: j
-- locks: nothing that others wait for
INSERT INTO {work} ({columns}) {calendar}
SELECT {outcome}
FROM ({judged}) j{order}

-- name: judged
-- purpose: Part of classify: each row beside its member and what it refers to, with the bits of its problems and the
--   values that production would have.
-- aliases: p t
-- locks: nothing that others wait for
SELECT {pieces}
FROM ({inner}) t
LEFT JOIN {production} p ON p.code = t.code{joins} {fence}

-- name: settled
-- purpose: Counts the rows that an earlier attempt has settled; they only decide about the others.
-- aliases: w
-- locks: nothing that others wait for
SELECT count(*)
FROM {work} w
WHERE w.outcome IN ({Outcome.DONE}, {Outcome.DONE_REJECTED})

-- name: staged_rows
-- purpose: Part of classify: the staged rows of the batch, texts trimmed.
-- aliases: s
-- locks: nothing that others wait for
SELECT {pieces}
FROM {staging} s
WHERE {pending}{ids} {fence}

-- name: typed_rows
-- purpose: Part of classify, where a column holds no marks: beside each trimmed text its typed value.
-- aliases: raw
-- locks: nothing that others wait for
SELECT {pieces}
FROM ({inner}) raw{days} {fence}

-- name: codes_that_come
-- purpose: Part of classify: the codes that rows of this batch make active members, for references to the entity
--   itself.
-- aliases: s
-- locks: nothing that others wait for
SELECT DISTINCT {code} AS code
FROM {staging} s
WHERE {pending} AND {brings}{counts}

-- name: new_codes_that_come
-- purpose: Part of classify: the new codes that rows of this batch give to members.
-- aliases: p s
-- locks: nothing that others wait for
SELECT {new} AS code, max(p.id) AS id
FROM {staging} s
JOIN {production} p ON p.code = {code}
WHERE {pending} AND {brings} AND {new} <> {code}{counts}
GROUP BY 1
