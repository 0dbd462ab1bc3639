-- name: codes_inserted
-- purpose: Part of reject: the codes that rows of this batch insert.
-- aliases: o
-- locks: nothing that others wait for
SELECT o.code
FROM {work} o
WHERE o.target_id IS NULL AND o.action IN ({ImportAction.UPSERT}, {ImportAction.INSERT_ONLY})
    AND o.new_code IS NULL AND o.code IS NOT NULL AND o.outcome <> {RowOutcome.SUPERSEDED}

-- name: codes_wanted_twice
-- purpose: Part of reject: the new codes that several rows want.
-- aliases: o
-- locks: nothing that others wait for
SELECT o.new_code
FROM {work} o
WHERE o.new_code IS NOT NULL AND o.outcome <> {RowOutcome.SUPERSEDED}
GROUP BY o.new_code
HAVING count(*) > 1

-- name: give_codes
-- purpose: Changes the codes of the members that are renamed; twice, first to a code that nobody can have, so that
--   chains and swaps meet no code that is still there.
-- aliases: p w
-- locks: the members it writes, until the transaction ends
UPDATE {production} AS p
SET code = {code}
FROM {work} w
WHERE {within} AND w.outcome = {RowOutcome.UPDATE} AND w.new_code IS NOT NULL AND p.id = w.target_id
