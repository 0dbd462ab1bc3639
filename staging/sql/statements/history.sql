-- name: note
-- purpose: Keeps members as they are, right before they change, or that they are new.
-- aliases: p
-- locks: nothing that others wait for
INSERT INTO {history} ({columns})
SELECT p.id, {action}, {batch}, {restored}, {at}, {change_set}, {before}
FROM {production} p{members}

-- name: insert_noted
-- purpose: Inserts members and keeps that they are new, in one statement.
-- aliases: none
-- locks: the members it writes, and those they refer to against being deleted, until the transaction ends
WITH new AS ({insertion} RETURNING id)
{note}

-- name: last_id
-- purpose: Reads the last id: with one writer and ascending ids, what is above it afterwards is new.
-- aliases: none
-- locks: nothing that others wait for
SELECT COALESCE(max(id), 0)
FROM {production}

-- name: note_new
-- purpose: Keeps that members are new, without looking them up again.
-- aliases: born
-- locks: nothing that others wait for
INSERT INTO {history} ({columns})
SELECT born.id, {action}, {batch}, {at}, {by}, {change_set}
FROM {members}

-- name: note_new_codes
-- purpose: Keeps the new codes of members with the changes by which this transaction renamed them.
-- aliases: h p
-- locks: nothing that others wait for
UPDATE {history} AS h
SET new_code = p.code
FROM {production} p
WHERE h.change_set_id = {change_set} AND h.id > {first} AND p.id = h.member_id AND p.code <> h.was_code
