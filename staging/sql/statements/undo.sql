-- name: count_kept
-- purpose: Counts the members that the history says a batch changed.
-- aliases: h
-- locks: nothing that others wait for
SELECT count(DISTINCT h.member_id)
FROM {history} h
WHERE h.batch_id = {batch}

-- name: find_undone
-- purpose: Notes the members that are not as they were before; those not as the batch left them are in conflict at
--   once.
-- aliases: compared
-- locks: nothing that others wait for
INSERT INTO {work} (seq, member_id, history_id, left_batch_id, kind, conflict)
SELECT row_number() OVER (ORDER BY compared.kind, compared.member_id), compared.member_id, compared.history_id, compared.left_batch_id, compared.kind,
    CASE WHEN compared.as_left THEN 0 ELSE 1 END
FROM ({compared}) compared
WHERE NOT compared.as_before

-- name: compared
-- purpose: Part of find_undone: the members the batch changed, beside what they are now. The first of a batch's
--   changes of a member holds what was before, the last one what the batch left.
-- aliases: ends h last p
-- locks: nothing that others wait for
SELECT ends.member_id, h.id AS history_id, {left} AS left_batch_id,
    CASE WHEN h.action = {inserted} THEN {UndoKind.REMOVE}
        WHEN p.id IS NULL THEN {UndoKind.REVIVE}
        ELSE {UndoKind.RESTORE} END AS kind,
    CASE WHEN h.action = {inserted} OR p.id IS NULL THEN (h.action = {inserted} AND p.id IS NULL)
        ELSE {is_before} END AS as_before,
    CASE WHEN last.action = {deleted} OR p.id IS NULL THEN (last.action = {deleted} AND p.id IS NULL)
        ELSE {is_left} END AS as_left
FROM (
    SELECT member_id, min(id) AS first_id, max(id) AS last_id
    FROM {history}
    WHERE batch_id = {of}
    GROUP BY member_id
) ends
JOIN {history} h ON h.id = ends.first_id
JOIN {history} last ON last.id = ends.last_id
LEFT JOIN {production} p ON p.id = ends.member_id

-- name: read_conflicts
-- purpose: Reads the members that stay as they are, by code.
-- aliases: h p u
-- locks: nothing that others wait for
SELECT COALESCE(p.code, h.was_code), u.conflict
FROM {work} u
JOIN {history} h ON h.id = u.history_id
LEFT JOIN {production} p ON p.id = u.member_id
WHERE u.conflict <> 0
ORDER BY 1

-- name: mark_conflicts
-- purpose: Marks the members that cannot be taken back for one reason.
-- aliases: h p u
-- locks: nothing that others wait for
UPDATE {work} AS u
SET conflict = {conflict}
FROM {history} h
LEFT JOIN {production} p ON p.id = h.member_id
WHERE h.id = u.history_id AND u.conflict = 0 AND {condition}

-- name: count_kinds
-- purpose: Counts the members that come back, get their values back, and go.
-- aliases: u
-- locks: nothing that others wait for
SELECT u.kind, count(*)
FROM {work} u
WHERE u.conflict = 0
GROUP BY u.kind

-- name: undo_span
-- purpose: Reads the first and the last number of the rows of some kinds.
-- aliases: u
-- locks: nothing that others wait for
SELECT min(u.seq), max(u.seq)
FROM {work} u
WHERE u.conflict = 0 AND u.kind IN ({kinds})

-- name: count_expected
-- purpose: Counts the members that a stretch is to change.
-- aliases: u
-- locks: nothing that others wait for
SELECT count(*)
FROM {work} u
WHERE {within}

-- name: revive
-- purpose: Inserts the members that were deleted, with the id they had.
-- aliases: h u
-- locks: the members it writes, and those they refer to against being deleted, until the transaction ends
INSERT INTO {production} (id, {columns}, created_at, updated_at)
SELECT u.member_id, {values}, COALESCE(h.was_created_at, {now}), {now}
FROM {work} u
JOIN {history} h ON h.id = u.history_id
WHERE {within}

-- name: restore
-- purpose: Gives members back what they had; `updated_at` tells of the undo, for those who ask what is new.
-- aliases: h p u
-- locks: the members it writes, and those they refer to against being deleted, until the transaction ends
UPDATE {production} AS p
SET {changes}, updated_at = {now}
FROM {work} u
JOIN {history} h ON h.id = u.history_id
WHERE p.id = u.member_id AND {within} AND {as_left}

-- name: remove
-- purpose: Deletes the members that the batch had inserted.
-- aliases: p u
-- locks: the members it deletes
DELETE FROM {production} AS p
WHERE EXISTS (SELECT 1 FROM {work} u WHERE u.member_id = p.id AND {within} AND {as_left})

-- name: make_room
-- purpose: Makes room: gives up the codes and unique values that change, until they are set a moment later.
-- aliases: h p u
-- locks: the members it writes, and those they refer to against being deleted, until the transaction ends
UPDATE {production} AS p
SET {label} = {empty}
FROM {work} u
JOIN {history} h ON h.id = u.history_id
WHERE p.id = u.member_id AND u.conflict = 0 AND {differs}

-- name: change_places
-- purpose: Finds a member whose code or unique value another one has that is taken back with it.
-- aliases: h q u
-- locks: nothing that others wait for
SELECT 1
FROM {work} u
JOIN {history} h ON h.id = u.history_id
JOIN {production} q ON {theirs} = {was}
WHERE u.conflict = 0 AND u.kind <> {UndoKind.REMOVE} AND q.id <> u.member_id
LIMIT 1

-- name: come_together
-- purpose: Finds members that come back and refer to one another.
-- aliases: h o u
-- locks: nothing that others wait for
SELECT 1
FROM {work} u
JOIN {history} h ON h.id = u.history_id
JOIN {work} o ON o.member_id = {was}
WHERE u.conflict = 0 AND u.kind = {UndoKind.REVIVE} AND o.kind = {UndoKind.REVIVE}
    AND o.member_id <> u.member_id
LIMIT 1

-- name: go_together
-- purpose: Finds members that go and refer to one another.
-- aliases: o q u
-- locks: nothing that others wait for
SELECT 1
FROM {work} u
JOIN {production} q ON q.id = u.member_id
JOIN {work} o ON o.member_id = {now}
WHERE u.conflict = 0 AND u.kind = {UndoKind.REMOVE} AND o.kind = {UndoKind.REMOVE}
    AND o.member_id <> u.member_id
LIMIT 1
