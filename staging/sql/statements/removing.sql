-- name: members_taken
-- purpose: Part of others: the members that rows of this chunk are about.
-- aliases: w
-- locks: nothing that others wait for
SELECT w.target_id
FROM {work} w
WHERE {within}

-- name: delete_members
-- purpose: Deletes members, all of a batch at once: those that refer to one another cannot go one after the other.
-- aliases: w
-- locks: the members it deletes
DELETE FROM {production}
WHERE id IN (SELECT w.target_id FROM {work} w WHERE {rows})

-- name: write_members
-- purpose: Clears the references to members that go, or deactivates members.
-- aliases: p
-- locks: the members it writes, until the transaction ends
UPDATE {production} AS p
SET {change}, updated_at = {now}, updated_batch_id = {batch}
WHERE {condition}
