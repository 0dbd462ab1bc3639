-- name: create_table
-- purpose: Creates a work table, or one beside it.
-- aliases: none
-- locks: nothing that others wait for
CREATE {kind} {table} ({body})
