-- name: create_table
-- purpose: Creates a work table, or one beside it.
-- aliases: none
-- locks: nothing that others wait for
CREATE {kind} {table} ({body})

-- name: create_index
-- purpose: Indexes a column of a work table, for looking values up.
-- aliases: none
-- locks: nothing that others wait for
CREATE INDEX {place}{label} ON {table} {kind} ({column})

-- name: analyze_table
-- purpose: Lets the planner look at a work table: a plan made for an empty one takes for ever.
-- aliases: none
-- locks: nothing that others wait for
ANALYZE {table}

-- name: drop_table
-- purpose: Drops a work table.
-- aliases: none
-- locks: the table; where somebody else still uses it, it stays
DROP TABLE IF EXISTS {place}{table}
