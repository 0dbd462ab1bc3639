-- 1 is in_one_transaction 1;
-- 2 is in_one_transaction 2;
-- 3 is in_one_transaction 3;
-- 4 is in_one_transaction 4;
-- 5 is in_one_transaction 5;
-- 6 is in_one_transaction 6;
-- 7 is in_one_transaction 7;
-- 8 is in_one_transaction 8;
-- 9 is in_one_transaction 9;
-- 10 is in_one_transaction 10;
-- 11 is in_one_transaction 11;
-- 12 is in_one_transaction 12;
-- 13 is in_one_transaction 13;
-- 14 is in_one_transaction 14;
-- 15 is in_one_transaction 15;
-- 16 is in_one_transaction 16;
-- 17 is in_one_transaction 17;
-- 18 is in_one_transaction 18;
-- 19 is in_one_transaction 19;
-- 20 is in_one_transaction 20;
-- 21 is in_one_transaction 21;
-- 22 is in_one_transaction 22;
-- 23 is in_one_transaction 23;
-- 24 is in_one_transaction 24;
-- 25 is in_one_transaction 25;
-- 26 is in_one_transaction 26;
-- 27 is in_one_transaction 27;
-- 28 is in_one_transaction 28;
-- 29 is in_one_transaction 29;
-- 30 is in_one_transaction 30;
-- 31 is in_one_transaction 31;
-- 32 is in_one_transaction 32;
-- 33 is in_one_transaction 33;
-- 34 is in_one_transaction 34;
-- 35 is in_one_transaction 35;
-- 36 is in_one_transaction 36;
-- 37 is in_one_transaction 37;
-- 38 is in_one_transaction 38;
-- 39 is in_one_transaction 39;
-- 40 is in_one_transaction 4;
-- 41 is in_one_transaction 41;
-- 42 is in_one_transaction 6;
-- 43 is in_one_transaction 7;
-- 44 is in_one_transaction 8;
-- 45 is in_one_transaction 9;
-- 46 is in_one_transaction 10;
-- 47 is in_one_transaction 11;
-- 48 is in_one_transaction 12;
-- 49 is in_one_transaction 13;
-- 50 is in_one_transaction 14;
-- 51 is in_one_transaction 15;
-- 52 is in_one_transaction 16;
-- 53 is in_one_transaction 17;
-- 54 is in_one_transaction 18;
-- 55 is in_one_transaction 19;
-- 56 is in_one_transaction 20;
-- 57 is in_one_transaction 21;
-- 58 is in_one_transaction 22;
-- 59 is in_one_transaction 23;
-- 60 is in_one_transaction 24;
-- 61 is in_one_transaction 25;
-- 62 is in_one_transaction 26;
-- 63 is in_one_transaction 27;
-- 64 is in_one_transaction 64;
-- 65 is in_one_transaction 65;
-- 66 is in_one_transaction 66;
-- 67 is in_one_transaction 67;
-- 68 is in_one_transaction 68;
-- 69 is in_one_transaction 69;
-- 70 is in_one_transaction 70;
-- 71 is in_one_transaction 71;
-- 72 is in_one_transaction 72;
-- 73 is in_one_transaction 73;
-- 74 is in_one_transaction 74;
-- 75 is in_one_transaction 75;
-- 76 is in_one_transaction 76;
-- 77 is in_one_transaction 77;
-- 78 is in_one_transaction 78;
-- 79 is in_one_transaction 79;
-- 80 is in_one_transaction 80;
-- 81 is in_one_transaction 81;
-- 82 is in_one_transaction 82;
-- 83 is in_one_transaction 83;
-- 84 is in_one_transaction 84;
-- 85 is in_one_transaction 85;
-- 86 is in_one_transaction 86;
-- 87 is in_one_transaction 87;
-- 88 is in_one_transaction 88;
-- 89 is in_one_transaction 89;
-- 90 is in_one_transaction 90;
-- 91 is in_one_transaction 91;
-- 92 is in_one_transaction 92;
-- 93 is in_one_transaction 93;
-- 94 is in_one_transaction 94;
-- 95 is in_one_transaction 95;
-- 96 is in_one_transaction 96;
-- 97 is in_one_transaction 97;
-- 98 is in_one_transaction 98;
-- 99 is in_one_transaction 99;
-- 100 is in_one_transaction 100;
-- 101 is in_one_transaction 101;
-- 102 is in_one_transaction 102;
-- 103 is in_one_transaction 103;
-- 104 is in_one_transaction 104;
-- 105 is in_one_transaction 105;
-- 106 is in_one_transaction 106;
-- 107 is in_one_transaction 107;
-- 108 is in_one_transaction 108;
-- 109 is in_one_transaction 109;
-- 110 is in_one_transaction 110;
-- 111 is in_one_transaction 111;
-- 112 is in_one_transaction 112;
-- 113 is in_one_transaction 113;
-- 114 is in_one_transaction 114;
-- 115 is in_one_transaction 115;
-- 116 is in_one_transaction 116;
-- 117 is in_one_transaction 117;
-- 118 is in_one_transaction 118;
-- 119 is in_one_transaction 119;
-- 120 is in_one_transaction 120;
-- 121 is in_one_transaction 121;
-- 122 is in_one_transaction 122;
-- 123 is in_one_transaction 123;
-- 124 is in_one_transaction 124;

-- 125 worktable: create_table
CREATE TABLE main."work_1" ("seq" INTEGER PRIMARY KEY, "row_id" bigint, "code" TEXT, "action" smallint, "new_code" TEXT, "target_id" bigint, "outcome" smallint, "turn" smallint, "waits" bigint, "error" bigint, "message" TEXT, "v_name" TEXT, "v_mail" TEXT, "v_kind" TEXT, "v_size" TEXT, "v_staff" INTEGER, "v_rent" TEXT, "v_is_open" INTEGER, "v_opened" TEXT, "v_closed" TEXT, "v_seen" TEXT, "v_area" INTEGER, "v_parent" INTEGER, "v_twin" INTEGER, "l_parent" TEXT, "l_twin" TEXT, "raw" TEXT);

-- 126 decisions: last_number
SELECT COALESCE(max(seq), 0)
FROM temp."work_1";

-- 127 decisions: copy_decisions
INSERT INTO main."work_1" ("seq", "row_id", "code", "action", "new_code", "target_id", "outcome", "turn", "waits", "error", "message", "v_name", "v_mail", "v_kind", "v_size", "v_staff", "v_rent", "v_is_open", "v_opened", "v_closed", "v_seen", "v_area", "v_parent", "v_twin", "l_parent", "l_twin", raw)
SELECT w."seq", w."row_id", w."code", w."action", w."new_code", w."target_id", w."outcome", w."turn", w."waits", w."error", w."message", w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", w."l_parent", w."l_twin", quote(s."code") || ',' || quote(s."new_code") || ',' || quote(s."import_action") || ',' || quote(s."name") || ',' || quote(s."mail") || ',' || quote(s."kind") || ',' || quote(s."size") || ',' || quote(s."staff") || ',' || quote(s."rent") || ',' || quote(s."is_open") || ',' || quote(s."opened") || ',' || quote(s."closed") || ',' || quote(s."seen") || ',' || quote(s."area") || ',' || quote(s."parent") || ',' || quote(s."twin")
FROM temp."work_1" w
LEFT
JOIN "stg_part" s ON s.id = w.row_id
WHERE w.seq BETWEEN 1
AND 50000;

-- 128 decisions: create_done
CREATE TABLE main."work_1_done" (first bigint, last bigint);
-- 129 is in_one_transaction 33;
-- 130 is in_one_transaction 167;
-- 131 is in_one_transaction 168;
-- 132 is in_one_transaction 34;
-- 133 is in_one_transaction 35;
-- 134 is in_one_transaction 36;
-- 135 is in_one_transaction 37;
-- 136 is in_one_transaction 38;
-- 137 is in_one_transaction 39;
-- 138 is in_one_transaction 175;
-- 139 is in_one_transaction 176;
-- 140 is in_one_transaction 177;
-- 141 is in_one_transaction 178;
-- 142 is in_one_transaction 179;
-- 143 is in_one_transaction 180;
-- 144 is in_one_transaction 181;
-- 145 is in_one_transaction 182;
-- 146 is in_one_transaction 183;

-- 147 order: last_turn
SELECT w.turn, (SELECT min(first.seq)
FROM main."work_1" first), w.seq
FROM main."work_1" w
ORDER BY w.seq DESC LIMIT 1;

-- 148 order: turns
SELECT COALESCE(w.turn, 0), min(w.seq), max(w.seq)
FROM main."work_1" w
GROUP BY 1;

-- 149 decisions: stretches_done
SELECT first, last
FROM main."work_1_done"
WHERE last >= 38
AND first <= 47
ORDER BY first;

-- 150 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 38
AND 38
AND w.outcome < 8
GROUP BY w.outcome;

-- 151 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 38
AND 38
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 152 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (38, 38);

-- 153 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 39
AND 39
AND w.outcome < 8
GROUP BY w.outcome;

-- 154 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 39
AND 39
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 155 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (39, 39);

-- 156 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 40
AND 40
AND w.outcome < 8
GROUP BY w.outcome;

-- 157 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 40
AND 40
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 158 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (40, 40);

-- 159 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 41
AND 41
AND w.outcome < 8
GROUP BY w.outcome;

-- 160 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 41
AND 41
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 161 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (41, 41);

-- 162 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 42
AND 42
AND w.outcome < 8
GROUP BY w.outcome;

-- 163 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 42
AND 42
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 164 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (42, 42);

-- 165 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 43
AND 43
AND w.outcome < 8
GROUP BY w.outcome;

-- 166 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 43
AND 43
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 167 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (43, 43);

-- 168 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 44
AND 44
AND w.outcome < 8
GROUP BY w.outcome;

-- 169 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 44
AND 44
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 170 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (44, 44);

-- 171 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 45
AND 45
AND w.outcome < 8
GROUP BY w.outcome;

-- 172 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 45
AND 45
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 173 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (45, 45);

-- 174 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 46
AND 46
AND w.outcome < 8
GROUP BY w.outcome;

-- 175 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 46
AND 46
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 176 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (46, 46);

-- 177 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 47
AND 47
AND w.outcome < 8
GROUP BY w.outcome;

-- 178 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 47
AND 47
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 179 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (47, 47);

-- 180 decisions: stretches_done
SELECT first, last
FROM main."work_1_done"
WHERE last >= 35
AND first <= 37
ORDER BY first;

-- 181 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome < 8
GROUP BY w.outcome;

-- 182 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 183 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'cleared', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
WHERE p."parent" IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.action IN (5, 6)
AND w.outcome IN (6, 7))
AND p.id NOT IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7);

-- 184 removing: write_members
UPDATE "mdm_part" AS p
SET "parent" = NULL, updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
WHERE p."parent" IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.action IN (5, 6)
AND w.outcome IN (6, 7))
AND p.id NOT IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7);

-- 185 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'cleared', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
WHERE p."twin" IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.action IN (5, 6)
AND w.outcome IN (6, 7))
AND p.id NOT IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7);

-- 186 removing: write_members
UPDATE "mdm_part" AS p
SET "twin" = NULL, updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
WHERE p."twin" IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.action IN (5, 6)
AND w.outcome IN (6, 7))
AND p.id NOT IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7);

-- 187 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'deactivated', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN main."work_1" w ON w.target_id = p.id
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 6
AND p.is_active;

-- 188 removing: write_members
UPDATE "mdm_part" AS p
SET is_active = 0, updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
WHERE p.is_active
AND p.id IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 6);

-- 189 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_created_at", "was_created_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'deleted', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."created_at", p."created_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN main."work_1" w ON w.target_id = p.id
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7;

-- 190 removing: delete_members
DELETE
FROM "mdm_part"
WHERE id IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7);

-- 191 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (35, 37);

-- 192 decisions: stretches_done
SELECT first, last
FROM main."work_1_done"
WHERE last >= 1
AND first <= 25
ORDER BY first;

-- 193 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (1, 1);

-- 194 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome < 8
GROUP BY w.outcome;

-- 195 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 196 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 1
AND 1
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 197 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 1
AND 1
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 198 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9203, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 199 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 200 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (1, 2);
-- 201 is in_one_transaction 146;

-- 202 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 203 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9203
FROM "mdm_part" born
WHERE born.id > 9;

-- 204 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9203, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 205 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (2, 2);

-- 206 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 2
AND 2
AND w.outcome < 8
GROUP BY w.outcome;

-- 207 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 2
AND 2
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 208 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 2
AND 2
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 209 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 2
AND 2
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 210 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9204, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 2
AND 2
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 211 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 2
AND 2
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 212 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 2
AND 2
AND w.outcome IN (1, 2);
-- 213 is in_one_transaction 146;

-- 214 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 2
AND 2
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 215 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9204
FROM "mdm_part" born
WHERE born.id > 10;

-- 216 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9204, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 2
AND 2
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 217 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (3, 3);

-- 218 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 3
AND 3
AND w.outcome < 8
GROUP BY w.outcome;

-- 219 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 3
AND 3
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 220 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 3
AND 3
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 221 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 3
AND 3
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 222 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9205, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 3
AND 3
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 223 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 3
AND 3
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 224 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 3
AND 3
AND w.outcome IN (1, 2);
-- 225 is in_one_transaction 146;

-- 226 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 3
AND 3
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 227 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9205
FROM "mdm_part" born
WHERE born.id > 10;

-- 228 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9205, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 3
AND 3
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 229 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (4, 4);

-- 230 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 4
AND 4
AND w.outcome < 8
GROUP BY w.outcome;

-- 231 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 4
AND 4
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 232 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 4
AND 4
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 233 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 4
AND 4
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 234 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9206, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 4
AND 4
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 235 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 4
AND 4
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 236 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 4
AND 4
AND w.outcome IN (1, 2);
-- 237 is in_one_transaction 146;

-- 238 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 4
AND 4
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 239 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9206
FROM "mdm_part" born
WHERE born.id > 10;

-- 240 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9206, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 4
AND 4
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 241 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (5, 5);

-- 242 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 5
AND 5
AND w.outcome < 8
GROUP BY w.outcome;

-- 243 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 5
AND 5
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 244 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 5
AND 5
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 245 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 5
AND 5
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 246 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9207, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 5
AND 5
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 247 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 5
AND 5
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 248 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 5
AND 5
AND w.outcome IN (1, 2);
-- 249 is in_one_transaction 146;

-- 250 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 5
AND 5
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 251 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9207
FROM "mdm_part" born
WHERE born.id > 10;

-- 252 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9207, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 5
AND 5
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 253 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (6, 6);

-- 254 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 6
AND 6
AND w.outcome < 8
GROUP BY w.outcome;

-- 255 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 6
AND 6
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 256 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 6
AND 6
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 257 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 6
AND 6
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 258 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9208, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 6
AND 6
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 259 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 6
AND 6
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 260 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 6
AND 6
AND w.outcome IN (1, 2);
-- 261 is in_one_transaction 146;

-- 262 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 6
AND 6
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 263 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9208
FROM "mdm_part" born
WHERE born.id > 10;

-- 264 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9208, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 6
AND 6
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 265 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (7, 7);

-- 266 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 7
AND 7
AND w.outcome < 8
GROUP BY w.outcome;

-- 267 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 7
AND 7
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 268 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 7
AND 7
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 269 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 7
AND 7
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 270 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9209, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 7
AND 7
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 271 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 7
AND 7
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 272 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 7
AND 7
AND w.outcome IN (1, 2);
-- 273 is in_one_transaction 146;

-- 274 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 7
AND 7
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 275 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9209
FROM "mdm_part" born
WHERE born.id > 10;

-- 276 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9209, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 7
AND 7
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 277 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (8, 8);

-- 278 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 8
AND 8
AND w.outcome < 8
GROUP BY w.outcome;

-- 279 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 8
AND 8
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 280 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 8
AND 8
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 281 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 8
AND 8
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 282 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9210, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 8
AND 8
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 283 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 8
AND 8
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 284 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 8
AND 8
AND w.outcome IN (1, 2);
-- 285 is in_one_transaction 146;

-- 286 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 8
AND 8
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 287 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9210
FROM "mdm_part" born
WHERE born.id > 10;

-- 288 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9210, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 8
AND 8
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 289 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (9, 9);

-- 290 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 9
AND 9
AND w.outcome < 8
GROUP BY w.outcome;

-- 291 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 9
AND 9
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 292 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 9
AND 9
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 293 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 9
AND 9
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 294 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9211, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 9
AND 9
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 295 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 9
AND 9
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 296 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 9
AND 9
AND w.outcome IN (1, 2);
-- 297 is in_one_transaction 146;

-- 298 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 9
AND 9
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 299 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9211
FROM "mdm_part" born
WHERE born.id > 10;

-- 300 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9211, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 9
AND 9
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 301 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (10, 10);

-- 302 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 10
AND 10
AND w.outcome < 8
GROUP BY w.outcome;

-- 303 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 10
AND 10
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 304 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 10
AND 10
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 305 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 10
AND 10
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 306 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9212, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 10
AND 10
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 307 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 10
AND 10
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 308 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 10
AND 10
AND w.outcome IN (1, 2);
-- 309 is in_one_transaction 146;

-- 310 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 10
AND 10
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 311 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9212
FROM "mdm_part" born
WHERE born.id > 10;

-- 312 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9212, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 10
AND 10
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 313 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (11, 11);

-- 314 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 11
AND 11
AND w.outcome < 8
GROUP BY w.outcome;

-- 315 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 11
AND 11
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 316 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 11
AND 11
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 317 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 11
AND 11
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 318 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9213, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 11
AND 11
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 319 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 11
AND 11
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 320 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 11
AND 11
AND w.outcome IN (1, 2);
-- 321 is in_one_transaction 146;

-- 322 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 11
AND 11
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 323 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9213
FROM "mdm_part" born
WHERE born.id > 11;

-- 324 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9213, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 11
AND 11
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 325 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (12, 12);

-- 326 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 12
AND 12
AND w.outcome < 8
GROUP BY w.outcome;

-- 327 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 12
AND 12
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 328 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 12
AND 12
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 329 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 12
AND 12
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 330 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9214, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 12
AND 12
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 331 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 12
AND 12
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 332 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 12
AND 12
AND w.outcome IN (1, 2);
-- 333 is in_one_transaction 146;

-- 334 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 12
AND 12
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 335 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9214
FROM "mdm_part" born
WHERE born.id > 11;

-- 336 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9214, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 12
AND 12
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 337 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (13, 13);

-- 338 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 13
AND 13
AND w.outcome < 8
GROUP BY w.outcome;

-- 339 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 13
AND 13
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 340 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 13
AND 13
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 341 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 13
AND 13
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 342 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9215, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 13
AND 13
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 343 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 13
AND 13
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 344 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 13
AND 13
AND w.outcome IN (1, 2);
-- 345 is in_one_transaction 146;

-- 346 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 13
AND 13
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 347 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9215
FROM "mdm_part" born
WHERE born.id > 11;

-- 348 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9215, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 13
AND 13
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 349 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (14, 14);

-- 350 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 14
AND 14
AND w.outcome < 8
GROUP BY w.outcome;

-- 351 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 14
AND 14
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 352 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 14
AND 14
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 353 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 14
AND 14
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 354 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9216, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 14
AND 14
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 355 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 14
AND 14
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 356 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 14
AND 14
AND w.outcome IN (1, 2);
-- 357 is in_one_transaction 146;

-- 358 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 14
AND 14
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 359 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9216
FROM "mdm_part" born
WHERE born.id > 11;

-- 360 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9216, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 14
AND 14
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 361 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (15, 15);

-- 362 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 15
AND 15
AND w.outcome < 8
GROUP BY w.outcome;

-- 363 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 15
AND 15
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 364 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 15
AND 15
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 365 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 15
AND 15
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 366 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9217, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 15
AND 15
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 367 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 15
AND 15
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 368 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 15
AND 15
AND w.outcome IN (1, 2);
-- 369 is in_one_transaction 146;

-- 370 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 15
AND 15
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 371 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9217
FROM "mdm_part" born
WHERE born.id > 11;

-- 372 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9217, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 15
AND 15
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 373 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (16, 16);

-- 374 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 16
AND 16
AND w.outcome < 8
GROUP BY w.outcome;

-- 375 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 16
AND 16
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 376 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 16
AND 16
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 377 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 16
AND 16
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 378 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9218, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 16
AND 16
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 379 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 16
AND 16
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 380 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 16
AND 16
AND w.outcome IN (1, 2);
-- 381 is in_one_transaction 146;

-- 382 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 16
AND 16
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 383 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9218
FROM "mdm_part" born
WHERE born.id > 11;

-- 384 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9218, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 16
AND 16
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 385 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (17, 17);

-- 386 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 17
AND 17
AND w.outcome < 8
GROUP BY w.outcome;

-- 387 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 17
AND 17
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 388 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 17
AND 17
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 389 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 17
AND 17
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 390 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9219, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 17
AND 17
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 391 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 17
AND 17
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 392 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 17
AND 17
AND w.outcome IN (1, 2);
-- 393 is in_one_transaction 146;

-- 394 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 17
AND 17
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 395 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9219
FROM "mdm_part" born
WHERE born.id > 11;

-- 396 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9219, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 17
AND 17
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 397 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (18, 18);

-- 398 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 18
AND 18
AND w.outcome < 8
GROUP BY w.outcome;

-- 399 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 18
AND 18
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 400 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 18
AND 18
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 401 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 18
AND 18
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 402 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9220, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 18
AND 18
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 403 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 18
AND 18
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 404 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 18
AND 18
AND w.outcome IN (1, 2);
-- 405 is in_one_transaction 146;

-- 406 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 18
AND 18
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 407 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9220
FROM "mdm_part" born
WHERE born.id > 11;

-- 408 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9220, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 18
AND 18
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 409 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (19, 19);

-- 410 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 19
AND 19
AND w.outcome < 8
GROUP BY w.outcome;

-- 411 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 19
AND 19
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 412 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 19
AND 19
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 413 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 19
AND 19
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 414 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9221, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 19
AND 19
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 415 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 19
AND 19
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 416 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 19
AND 19
AND w.outcome IN (1, 2);
-- 417 is in_one_transaction 146;

-- 418 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 19
AND 19
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 419 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9221
FROM "mdm_part" born
WHERE born.id > 11;

-- 420 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9221, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 19
AND 19
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 421 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (20, 20);

-- 422 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 20
AND 20
AND w.outcome < 8
GROUP BY w.outcome;

-- 423 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 20
AND 20
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 424 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 20
AND 20
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 425 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 20
AND 20
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 426 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9222, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 20
AND 20
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 427 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 20
AND 20
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 428 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 20
AND 20
AND w.outcome IN (1, 2);
-- 429 is in_one_transaction 146;

-- 430 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 20
AND 20
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 431 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9222
FROM "mdm_part" born
WHERE born.id > 11;

-- 432 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9222, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 20
AND 20
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 433 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (21, 21);

-- 434 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 21
AND 21
AND w.outcome < 8
GROUP BY w.outcome;

-- 435 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 21
AND 21
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 436 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 21
AND 21
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 437 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 21
AND 21
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 438 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9223, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 21
AND 21
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 439 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 21
AND 21
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 440 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 21
AND 21
AND w.outcome IN (1, 2);
-- 441 is in_one_transaction 146;

-- 442 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 21
AND 21
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 443 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9223
FROM "mdm_part" born
WHERE born.id > 11;

-- 444 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9223, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 21
AND 21
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 445 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (22, 22);

-- 446 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 22
AND 22
AND w.outcome < 8
GROUP BY w.outcome;

-- 447 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 22
AND 22
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 448 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 22
AND 22
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 449 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 22
AND 22
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 450 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9224, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 22
AND 22
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 451 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 22
AND 22
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 452 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 22
AND 22
AND w.outcome IN (1, 2);
-- 453 is in_one_transaction 146;

-- 454 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 22
AND 22
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 455 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9224
FROM "mdm_part" born
WHERE born.id > 11;

-- 456 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9224, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 22
AND 22
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 457 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (23, 23);

-- 458 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 23
AND 23
AND w.outcome < 8
GROUP BY w.outcome;

-- 459 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 23
AND 23
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 460 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 23
AND 23
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 461 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 23
AND 23
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 462 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9225, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 23
AND 23
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 463 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 23
AND 23
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 464 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 23
AND 23
AND w.outcome IN (1, 2);
-- 465 is in_one_transaction 146;

-- 466 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 23
AND 23
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 467 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9225
FROM "mdm_part" born
WHERE born.id > 11;

-- 468 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9225, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 23
AND 23
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 469 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (24, 24);

-- 470 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 24
AND 24
AND w.outcome < 8
GROUP BY w.outcome;

-- 471 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 24
AND 24
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 472 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 24
AND 24
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 473 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 24
AND 24
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 474 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9226, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 24
AND 24
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 475 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 24
AND 24
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 476 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 24
AND 24
AND w.outcome IN (1, 2);
-- 477 is in_one_transaction 146;

-- 478 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 24
AND 24
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 479 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9226
FROM "mdm_part" born
WHERE born.id > 11;

-- 480 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9226, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 24
AND 24
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 481 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (25, 25);

-- 482 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 25
AND 25
AND w.outcome < 8
GROUP BY w.outcome;

-- 483 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 25
AND 25
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 484 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 25
AND 25
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 485 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 25
AND 25
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 486 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9227, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 25
AND 25
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 487 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 25
AND 25
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 488 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 25
AND 25
AND w.outcome IN (1, 2);
-- 489 is in_one_transaction 146;

-- 490 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 25
AND 25
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 491 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9227
FROM "mdm_part" born
WHERE born.id > 11;

-- 492 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9227, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 25
AND 25
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 493 decisions: stretches_done
SELECT first, last
FROM main."work_1_done"
WHERE last >= 1
AND first <= 0
ORDER BY first;

-- 494 decisions: stretches_done
SELECT first, last
FROM main."work_1_done"
WHERE last >= 27
AND first <= 34
ORDER BY first;

-- 495 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome < 8
GROUP BY w.outcome;

-- 496 merge: mark_staged
UPDATE "stg_part" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 910, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 497 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9228, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 498 members: free
UPDATE "mdm_part" AS p
SET "mail" = NULL
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 2
AND p.id = w.target_id
AND p."mail" IS NOT NULL
AND NOT (w."v_mail" IS p."mail");

-- 499 members: free
UPDATE "mdm_part" AS p
SET "twin" = NULL
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 2
AND p.id = w.target_id
AND p."twin" IS NOT NULL
AND NOT (w."v_twin" IS p."twin");

-- 500 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 0, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 501 members: note_ids
UPDATE main."work_1" AS w
SET target_id = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 1
AND w.target_id IS NULL
AND p.code = w.code;

-- 502 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 27
AND 34
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 503 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 27
AND 34
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 504 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 505 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome IN (1, 2);

-- 506 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "mail" = w."v_mail", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", "area" = w."v_area", "parent" = w."v_parent", "twin" = w."v_twin", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND NOT (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 507 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9228, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 508 renames: give_codes
UPDATE "mdm_part" AS p
SET code = ' ' || p.id
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 2
AND w.new_code IS NOT NULL
AND p.id = w.target_id;

-- 509 renames: give_codes
UPDATE "mdm_part" AS p
SET code = w.new_code
FROM main."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 2
AND w.new_code IS NOT NULL
AND p.id = w.target_id;

-- 510 history: note_new_codes
UPDATE "hst_part" AS h
SET new_code = p.code
FROM "mdm_part" p
WHERE h.change_set_id = 9228
AND h.id > 16
AND p.id = h.member_id
AND p.code <> h.was_code;

-- 511 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (27, 34);

-- 512
SELECT name
FROM main.sqlite_master
WHERE type = 'table'
AND name LIKE 'work_1%' ESCAPE '\';

-- 513 worktable: drop_table
DROP TABLE IF EXISTS main."work_1";

-- 514 worktable: drop_table
DROP TABLE IF EXISTS main."work_1_done";
