-- name: take_long
-- purpose: Lets a statement of this transaction take an hour: it may see millions of rows.
-- aliases: none
-- locks: nothing that others wait for
SET LOCAL statement_timeout = '1h'

-- name: wait_for_locks
-- purpose: Lets a statement of this transaction wait half a minute for a lock.
-- aliases: none
-- locks: nothing that others wait for
SET LOCAL lock_timeout = '30s'

-- name: hash_in_memory
-- purpose: Lets this transaction hash and sort in memory; with the usual 4 MB a batch takes a quarter longer.
-- aliases: none
-- locks: nothing that others wait for
SET LOCAL work_mem = '128MB'

-- name: compile_nothing
-- purpose: Keeps the database from compiling expressions, which takes longer than they do.
-- aliases: none
-- locks: nothing that others wait for
SET LOCAL jit = off

-- name: favour_indexes
-- purpose: Lets a chunk find its rows by index: scanning whole tables for each chunk costs more than the chunk itself.
-- aliases: none
-- locks: nothing that others wait for
SET LOCAL random_page_cost = 1.1

-- name: favour_hashes
-- purpose: Joins what came a moment ago, of which the planner knows nothing and expects one row: a loop in a loop over
--   20,000 rows takes minutes, and reading both sides once a fraction of a second.
-- aliases: none
-- locks: nothing that others wait for
SET LOCAL enable_nestloop = off

-- name: favour_loops_again
-- purpose: Lets the statements that follow in this transaction find few rows by index, as ever.
-- aliases: none
-- locks: nothing that others wait for
SET LOCAL enable_nestloop TO DEFAULT

-- name: small_sample
-- purpose: Has the planner look at 3,000 rows of a work table; the usual 30,000 cost as much as merging them.
-- aliases: none
-- locks: nothing that others wait for
SET LOCAL default_statistics_target = 10

-- name: give_up_soon
-- purpose: Lets this transaction wait only for a moment where somebody uses the table it would drop.
-- aliases: none
-- locks: nothing that others wait for
SET LOCAL lock_timeout = '200ms'
