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
AND 42
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
AND 42
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 152 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (38, 42);

-- 153 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 43
AND 47
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
WHERE w.seq BETWEEN 43
AND 47
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 155 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (43, 47);

-- 156 decisions: stretches_done
SELECT first, last
FROM main."work_1_done"
WHERE last >= 35
AND first <= 37
ORDER BY first;

-- 157 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome < 8
GROUP BY w.outcome;

-- 158 merge: mark_staged
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

-- 159 history: note
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

-- 160 removing: write_members
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

-- 161 history: note
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

-- 162 removing: write_members
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

-- 163 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'deactivated', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN main."work_1" w ON w.target_id = p.id
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 6
AND p.is_active;

-- 164 removing: write_members
UPDATE "mdm_part" AS p
SET is_active = 0, updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
WHERE p.is_active
AND p.id IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 6);

-- 165 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_created_at", "was_created_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'deleted', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."created_at", p."created_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN main."work_1" w ON w.target_id = p.id
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7;

-- 166 removing: delete_members
DELETE
FROM "mdm_part"
WHERE id IN (SELECT w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7);

-- 167 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (35, 37);

-- 168 decisions: stretches_done
SELECT first, last
FROM main."work_1_done"
WHERE last >= 1
AND first <= 25
ORDER BY first;

-- 169 decisions: settle_chunk
INSERT INTO main."work_1_done" (first, last)
VALUES (1, 5);

-- 170 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 5
AND w.outcome < 8
GROUP BY w.outcome;

-- 171 merge: mark_staged
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
AND 5
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 172 members: resolve
UPDATE main."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 1
AND 5
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 173 members: resolve
UPDATE main."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 1
AND 5
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 174 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9203, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 5
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 175 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 1
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

-- 176 members: count_existing
SELECT count(w.target_id)
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 5
AND w.outcome IN (1, 2);
-- 177 is in_one_transaction 146;

-- 178 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 5
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 179 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9203
FROM "mdm_part" born
WHERE born.id > 9;

-- 180 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9203, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_1" w
WHERE w.seq BETWEEN 1
AND 5
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;
-- 181 is in_one_transaction 1;
-- 182 is in_one_transaction 2;

-- 183 decisions: stretches_done
SELECT first, last
FROM main."work_1_done"
WHERE last >= 1
AND first <= 4611686018427387904
ORDER BY first;

-- 184 classify: extent
SELECT COALESCE(min(s.id), 0), COALESCE(max(s.id), 0), count(*)
FROM "stg_part" s
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_1" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904))));

-- 185 worktable: create_table
CREATE TABLE temp."work_2" ("seq" INTEGER PRIMARY KEY, "row_id" bigint, "code" TEXT, "action" smallint, "new_code" TEXT, "target_id" bigint, "outcome" smallint, "turn" smallint, "waits" bigint, "error" bigint, "message" TEXT, "v_name" TEXT, "v_mail" TEXT, "v_kind" TEXT, "v_size" TEXT, "v_staff" INTEGER, "v_rent" TEXT, "v_is_open" INTEGER, "v_opened" TEXT, "v_closed" TEXT, "v_seen" TEXT, "v_area" INTEGER, "v_parent" INTEGER, "v_twin" INTEGER, "l_parent" TEXT, "l_twin" TEXT);
-- 186 is 183;
-- 187 is 183;
-- 188 is 183;
-- 189 is 183;
-- 190 is 183;

-- 191 classify: classify
INSERT INTO temp."work_2" ("row_id", "code", "action", "new_code", "target_id", "outcome", "waits", "error", "message", "v_name", "v_mail", "v_kind", "v_size", "v_staff", "v_rent", "v_is_open", "v_opened", "v_closed", "v_seen", "v_area", "v_parent", "v_twin", "l_parent", "l_twin")
SELECT j."row_id", j."code", j."action", j."new_code", j."target_id",
CASE
WHEN j.status = 1 THEN 8
WHEN j.status <> 0 THEN 9
WHEN ((j.x_0 & 2147469311) <> 0) THEN 4
WHEN j.removal <> 0 THEN j.removal
WHEN j.target_id IS NULL
OR j.begun = 1 THEN 1
WHEN j.changes = 1
OR (j."w_parent" | j."w_twin") <> 0 THEN 2
ELSE 3 END, (j."w_parent" | j."w_twin"),
CASE
WHEN ((j.x_0 & 2147469311) <> 0) THEN ((((CASE
WHEN j.x_0 & 1 <> 0 THEN 1
ELSE 0 END |
CASE
WHEN j.x_0 & 215171874 <> 0 THEN 8
ELSE 0 END) | (CASE
WHEN j.x_0 & 19694660 <> 0 THEN 16
ELSE 0 END |
CASE
WHEN j.x_0 & 8 <> 0 THEN 128
ELSE 0 END)) | ((CASE
WHEN j.x_0 & 16 <> 0 THEN 64
ELSE 0 END |
CASE
WHEN j.x_0 & 128 <> 0 THEN 1024
ELSE 0 END) | (CASE
WHEN j.x_0 & 33554432 <> 0 THEN 2048
ELSE 0 END |
CASE
WHEN j.x_0 & 268435456 <> 0 THEN 4
ELSE 0 END))) |
CASE
WHEN j.x_0 & 1610612736 <> 0 THEN 32
ELSE 0 END)
ELSE 0 END,
CASE
WHEN (j."x_0" <> 0) THEN (SELECT rtrim((((((CASE
WHEN j.x_0 & 1 <> 0 THEN 'code is missing.' || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 4 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is longer than 500 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' does not exist.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 16 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' exists already.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 32 <> 0 THEN ('new_code: ''' || staging_shown(CAST(NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 64 <> 0 THEN ('new_code: ''' || staging_shown(CAST(NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is longer than 500 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 128 <> 0 THEN ('import_action: ''' || staging_shown(CAST(COALESCE(s.import_action, 0) AS BLOB)) || ''' is not an import action.') || ' '
ELSE '' END))) || (((CASE
WHEN j.x_0 & 256 <> 0 THEN ('name: ''' || staging_shown(CAST(NULLIF(trim(s."name", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 512 <> 0 THEN ('mail: ''' || staging_shown(CAST(NULLIF(trim(s."mail", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 1024 <> 0 THEN ('mail: ''' || staging_shown(CAST(NULLIF(trim(s."mail", ' \t\r
\xa0'), '') AS BLOB)) || ''' is longer than 40 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2048 <> 0 THEN ('Warning: kind: ''' || staging_shown(CAST(NULLIF(trim(s."kind", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 4096 <> 0 THEN ('Warning: kind: ''' || staging_shown(CAST(NULLIF(trim(s."kind", ' \t\r
\xa0'), '') AS BLOB)) || ''' is shorter than 1 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8192 <> 0 THEN ('Warning: kind: ''' || staging_shown(CAST(NULLIF(trim(s."kind", ' \t\r
\xa0'), '') AS BLOB)) || ''' does not match ^[a-z]+$.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 16384 <> 0 THEN ('size: ''' || staging_shown(CAST(NULLIF(trim(s."size", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 32768 <> 0 THEN ('size: ''' || staging_shown(CAST(NULLIF(trim(s."size", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not one of S, M, L.') || ' '
ELSE '' END)))) || ((((CASE
WHEN j.x_0 & 65536 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a whole number.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 131072 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is a larger whole number than can be stored.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 262144 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is below 0.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 524288 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is above 1000.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 1048576 <> 0 THEN ('rent: ''' || staging_shown(CAST(NULLIF(trim(s."rent", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a decimal number of at most 40 digits on each side of the point.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2097152 <> 0 THEN ('rent: ''' || staging_shown(CAST(NULLIF(trim(s."rent", ' \t\r
\xa0'), '') AS BLOB)) || ''' is above 99999.99.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 4194304 <> 0 THEN ('is_open: ''' || staging_shown(CAST(NULLIF(trim(s."is_open", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not yes or no.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8388608 <> 0 THEN ('opened: ''' || staging_shown(CAST(NULLIF(trim(s."opened", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a date (YYYY-MM-DD).') || ' '
ELSE '' END))) || (((CASE
WHEN j.x_0 & 16777216 <> 0 THEN ('opened: ''' || staging_shown(CAST(NULLIF(trim(s."opened", ' \t\r
\xa0'), '') AS BLOB)) || ''' is below 2000-01-01.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 33554432 <> 0 THEN ('closed: ''' || staging_shown(CAST(NULLIF(trim(s."closed", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not what is stored, which may not change.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 67108864 <> 0 THEN ('closed: ''' || staging_shown(CAST(NULLIF(trim(s."closed", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a date (YYYY-MM-DD).') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 134217728 <> 0 THEN ('seen: ''' || staging_shown(CAST(NULLIF(trim(s."seen", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a date and time (YYYY-MM-DDTHH:MM:SS).') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 268435456 <> 0 THEN 'area is required and would have no value.' || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 536870912 <> 0 THEN ('area: ''' || staging_shown(CAST(NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not an active member of Area.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 1073741824 <> 0 THEN ('parent: ''' || staging_shown(CAST(NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not an active member of Part.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2147483648 <> 0 THEN ('Warning: twin: ''' || staging_shown(CAST(NULLIF(trim(s."twin", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not an active member of Part.') || ' '
ELSE '' END))))))
FROM "stg_part" s
WHERE s.id = j.row_id) END, j."v_name", j."v_mail", j."v_kind", j."v_size", j."v_staff", j."v_rent", j."v_is_open", j."v_opened", j."v_closed", j."v_seen", j."v_area", j."v_parent", j."v_twin", j."l_parent", j."l_twin"
FROM (SELECT t."row_id" AS "row_id", t."code" AS "code", t."status" AS "status", t."action" AS "action",
CASE
WHEN (t.new_code <> t.code
AND t.action IN (0, 2)) THEN t.new_code END AS "new_code", p.id AS "target_id",
CASE
WHEN (t.action BETWEEN 3
AND 6) THEN
CASE
WHEN t.action IN (4, 6) THEN 7
WHEN p.is_active THEN 6
ELSE 3 END
ELSE 0 END AS "removal",
CASE
WHEN (p.is_active
OR t.action = 2)
AND (t.new_code IS NULL
OR (t.new_code <> t.code
AND t.action IN (0, 2)) IS NOT TRUE)
AND ((((((t."t_name" IS p."name")
OR (CASE
WHEN t."t_name" < x'' THEN t."t_name"
WHEN (t."t_name" = x'') THEN NULL
ELSE p."name" END IS p."name"))
AND ((t."t_mail" IS p."mail")
OR (CASE
WHEN t."t_mail" < x'' THEN t."t_mail"
WHEN (t."t_mail" = x'') THEN NULL
ELSE p."mail" END IS p."mail")))
AND (((t."t_kind" IS p."kind")
OR (CASE
WHEN (t."t_kind" < x''
AND (length(t."t_kind") < 1
OR NOT staging_matches('^[a-z]+$', CAST(t."t_kind" AS BLOB))) IS NOT TRUE) THEN t."t_kind"
WHEN (t."t_kind" = x'') THEN NULL
ELSE p."kind" END IS p."kind"))
AND ((t."t_size" IS p."size")
OR (CASE
WHEN (t."t_size" < x''
AND (p."size" IS NULL)) THEN t."t_size"
ELSE p."size" END IS p."size"))))
AND ((((t."t_staff" IS p."staff")
OR (CASE
WHEN t."t_staff" < x'' THEN t."t_staff"
WHEN (t."t_staff" = x'') THEN NULL
ELSE p."staff" END IS p."staff"))
AND ((t."t_rent" IS p."rent")
OR (CASE
WHEN t."t_rent" < x'' THEN t."t_rent"
WHEN (t."t_rent" IS NULL
OR (t."t_rent" = x'')) THEN NULL
ELSE p."rent" END IS p."rent")))
AND (((t."t_is_open" IS p."is_open")
OR (CASE
WHEN (t."t_is_open" < x''
AND (p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_1" k
WHERE k.outcome = 1)) IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END IS p."is_open"))
AND ((t."t_opened" IS p."opened")
OR (CASE
WHEN t."t_opened" < x'' THEN t."t_opened"
WHEN (t."t_opened" = x'') THEN NULL
ELSE p."opened" END IS p."opened")))))
AND (((((t."t_closed" IS p."closed")
OR (CASE
WHEN (t."t_closed" < x''
AND (p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_1" k
WHERE k.outcome = 1)) IS TRUE)) THEN t."t_closed"
ELSE p."closed" END IS p."closed"))
AND ((t."t_seen" IS p."seen")
OR (CASE
WHEN t."t_seen" < x'' THEN t."t_seen"
WHEN (t."t_seen" = x'') THEN NULL
ELSE p."seen" END IS p."seen")))
AND ((CASE
WHEN ((t."s_area" = '~NULL~') IS NOT TRUE
AND ("r_area"."is_active")) THEN "r_area"."id"
WHEN (t."s_area" = '~NULL~') THEN NULL
ELSE p."area" END IS p."area")
AND (CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND (("r_parent"."is_active")
OR ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_parent"."is_active" IS TRUE
OR "b_parent"."code" IS NOT NULL
AND "r_parent"."id" IS NOT NULL THEN "r_parent"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_parent"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_parent"."comes", 0) = 0 THEN "n_parent"."id" END
WHEN (t."s_parent" = '~NULL~') THEN NULL
ELSE p."parent" END IS p."parent")))
AND (CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND (("r_twin"."is_active")
OR ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_twin"."is_active" IS TRUE
OR "b_twin"."code" IS NOT NULL
AND "r_twin"."id" IS NOT NULL THEN "r_twin"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_twin"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_twin"."comes", 0) = 0 THEN "n_twin"."id" END
WHEN (t."s_twin" = '~NULL~') THEN NULL
ELSE p."twin" END IS p."twin"))) THEN 0
ELSE 1 END AS "changes",
CASE
WHEN (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_1" k
WHERE k.outcome = 1)) THEN 1
ELSE 0 END AS "begun", (((CASE
WHEN t.code IS NULL THEN 1
WHEN t.t_code IS NULL THEN 2
WHEN length(t.code) > 500 THEN 4
WHEN t.action = 0
AND t.new_code IS NULL THEN 0
WHEN (p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_1" k
WHERE k.outcome = 1)) IS TRUE) THEN
CASE
WHEN t.action = 2
OR (t.action BETWEEN 3
AND 6)
OR (t.new_code <> t.code
AND t.action IN (0, 2)) THEN 8
ELSE 0 END
WHEN t.action = 1 THEN 16
ELSE 0 END |
CASE
WHEN t.new_code IS NULL THEN 0
WHEN (t.new_code <> t.code
AND t.action IN (0, 2)) THEN
CASE
WHEN
CASE
WHEN NOT (instr(t.new_code, char(0))
OR
CASE
WHEN t.new_code GLOB '*[^-]*' THEN NOT staging_is_text(CAST(t.new_code AS BLOB))
ELSE 0 END) THEN t.new_code END IS NULL THEN 32
WHEN length(t.new_code) > 500 THEN 64
ELSE 0 END
ELSE 0 END) |
CASE
WHEN t.action BETWEEN 0
AND 6 THEN 0
ELSE 128 END) |
CASE
WHEN NOT (t.action BETWEEN 3
AND 6) THEN ((((CASE
WHEN t."t_name" < x'' THEN 0
WHEN t."t_name" IS NULL THEN 0
WHEN (t."t_name" = x'') THEN 0
ELSE 256 END |
CASE
WHEN t."t_mail" < x'' THEN
CASE
WHEN length(t."t_mail") > 40 THEN 1024
ELSE 0 END
WHEN t."t_mail" IS NULL THEN 0
WHEN (t."t_mail" = x'') THEN 0
ELSE 512 END) | (CASE
WHEN t."t_kind" < x'' THEN (CASE
WHEN length(t."t_kind") < 1 THEN 4096
ELSE 0 END |
CASE
WHEN NOT staging_matches('^[a-z]+$', CAST(t."t_kind" AS BLOB)) THEN 8192
ELSE 0 END)
WHEN t."t_kind" IS NULL THEN 0
WHEN (t."t_kind" = x'') THEN 0
ELSE 2048 END |
CASE
WHEN t."t_size" < x'' THEN
CASE
WHEN NOT (((t."t_size" = 'S'
OR t."t_size" = 'M')
OR t."t_size" = 'L')) THEN 32768
ELSE 0 END
WHEN t."t_size" IS NULL THEN 0
WHEN (t."t_size" = x'') THEN 0
ELSE 16384 END)) | ((CASE
WHEN t."t_staff" < x'' THEN (CASE
WHEN (t."t_staff" < 0) THEN 262144
ELSE 0 END |
CASE
WHEN (1000 < t."t_staff") THEN 524288
ELSE 0 END)
WHEN t."t_staff" IS NULL THEN 0
WHEN (t."t_staff" = x'') THEN 0
ELSE
CASE
WHEN t."t_staff" = x'02' THEN 131072
ELSE 65536 END END |
CASE
WHEN t."t_rent" < x'' THEN
CASE
WHEN (CASE
WHEN CAST('99999.99' AS REAL) = CAST(t."t_rent" AS REAL) THEN staging_less('99999.99', t."t_rent")
ELSE CAST('99999.99' AS REAL) < CAST(t."t_rent" AS REAL) END) THEN 2097152
ELSE 0 END
WHEN t."t_rent" IS NULL THEN 0
WHEN (t."t_rent" = x'') THEN 0
ELSE 1048576 END) | (CASE
WHEN t."t_is_open" < x'' THEN 0
WHEN t."t_is_open" IS NULL THEN 0
WHEN (t."t_is_open" = x'') THEN 0
ELSE 4194304 END |
CASE
WHEN t."t_opened" < x'' THEN
CASE
WHEN (t."t_opened" < '2000-01-01') THEN 16777216
ELSE 0 END
WHEN t."t_opened" IS NULL THEN 0
WHEN (t."t_opened" = x'') THEN 0
ELSE 8388608 END))) | (((CASE
WHEN t."t_closed" < x'' THEN (0 |
CASE
WHEN ((p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_1" k
WHERE k.outcome = 1)) IS TRUE) IS NOT TRUE
AND NOT (t."t_closed" IS NOT NULL
AND (t."t_closed" IS p."closed"))) THEN 33554432
ELSE 0 END)
WHEN t."t_closed" IS NULL THEN 0
WHEN (t."t_closed" = x'') THEN (0 |
CASE
WHEN ((p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_1" k
WHERE k.outcome = 1)) IS TRUE) IS NOT TRUE
AND p."closed" IS NOT NULL) THEN 33554432
ELSE 0 END)
ELSE 67108864 END |
CASE
WHEN t."t_seen" < x'' THEN 0
WHEN t."t_seen" IS NULL THEN 0
WHEN (t."t_seen" = x'') THEN 0
ELSE 134217728 END) | (CASE
WHEN t."s_area" IS NULL THEN
CASE
WHEN p."area" IS NULL THEN 268435456
ELSE 0 END
WHEN (t."s_area" = '~NULL~') THEN
CASE
WHEN TRUE THEN 268435456
ELSE 0 END
WHEN ("r_area"."is_active") THEN 0
ELSE 536870912 END |
CASE
WHEN t."s_parent" IS NULL THEN 0
WHEN (t."s_parent" = '~NULL~') THEN 0
WHEN (("r_parent"."is_active")
OR ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE)) THEN 0
ELSE 1073741824 END)) |
CASE
WHEN t."s_twin" IS NULL THEN 0
WHEN (t."s_twin" = '~NULL~') THEN 0
WHEN (("r_twin"."is_active")
OR ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE)) THEN 0
ELSE 2147483648 END))
ELSE 0 END) AS "x_0",
CASE
WHEN t."t_name" < x'' THEN t."t_name"
WHEN (t."t_name" = x'') THEN NULL
ELSE p."name" END AS "v_name",
CASE
WHEN t."t_mail" < x'' THEN t."t_mail"
WHEN (t."t_mail" = x'') THEN NULL
ELSE p."mail" END AS "v_mail",
CASE
WHEN (t."t_kind" < x''
AND (length(t."t_kind") < 1
OR NOT staging_matches('^[a-z]+$', CAST(t."t_kind" AS BLOB))) IS NOT TRUE) THEN t."t_kind"
WHEN (t."t_kind" = x'') THEN NULL
ELSE p."kind" END AS "v_kind",
CASE
WHEN (t."t_size" < x''
AND (p."size" IS NULL)) THEN t."t_size"
ELSE p."size" END AS "v_size",
CASE
WHEN t."t_staff" < x'' THEN t."t_staff"
WHEN (t."t_staff" = x'') THEN NULL
ELSE p."staff" END AS "v_staff",
CASE
WHEN t."t_rent" < x'' THEN t."t_rent"
WHEN (t."t_rent" IS NULL
OR (t."t_rent" = x'')) THEN NULL
ELSE p."rent" END AS "v_rent",
CASE
WHEN (t."t_is_open" < x''
AND (p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_1" k
WHERE k.outcome = 1)) IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END AS "v_is_open",
CASE
WHEN t."t_opened" < x'' THEN t."t_opened"
WHEN (t."t_opened" = x'') THEN NULL
ELSE p."opened" END AS "v_opened",
CASE
WHEN (t."t_closed" < x''
AND (p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_1" k
WHERE k.outcome = 1)) IS TRUE)) THEN t."t_closed"
ELSE p."closed" END AS "v_closed",
CASE
WHEN t."t_seen" < x'' THEN t."t_seen"
WHEN (t."t_seen" = x'') THEN NULL
ELSE p."seen" END AS "v_seen",
CASE
WHEN ((t."s_area" = '~NULL~') IS NOT TRUE
AND ("r_area"."is_active")) THEN "r_area"."id"
WHEN (t."s_area" = '~NULL~') THEN NULL
ELSE p."area" END AS "v_area",
CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND (("r_parent"."is_active")
OR ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_parent"."is_active" IS TRUE
OR "b_parent"."code" IS NOT NULL
AND "r_parent"."id" IS NOT NULL THEN "r_parent"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_parent"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_parent"."comes", 0) = 0 THEN "n_parent"."id" END
WHEN (t."s_parent" = '~NULL~') THEN NULL
ELSE p."parent" END AS "v_parent",
CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND (("r_twin"."is_active")
OR ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_twin"."is_active" IS TRUE
OR "b_twin"."code" IS NOT NULL
AND "r_twin"."id" IS NOT NULL THEN "r_twin"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_twin"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_twin"."comes", 0) = 0 THEN "n_twin"."id" END
WHEN (t."s_twin" = '~NULL~') THEN NULL
ELSE p."twin" END AS "v_twin",
CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE) THEN t."s_parent" END AS "l_parent",
CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE)
AND
CASE
WHEN "r_parent"."is_active" IS TRUE
OR "b_parent"."code" IS NOT NULL
AND "r_parent"."id" IS NOT NULL THEN "r_parent"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_parent"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_parent"."comes", 0) = 0 THEN "n_parent"."id" END IS NULL THEN 1
ELSE 0 END AS "w_parent",
CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE) THEN t."s_twin" END AS "l_twin",
CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE)
AND
CASE
WHEN "r_twin"."is_active" IS TRUE
OR "b_twin"."code" IS NOT NULL
AND "r_twin"."id" IS NOT NULL THEN "r_twin"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_twin"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_twin"."comes", 0) = 0 THEN "n_twin"."id" END IS NULL THEN 2
ELSE 0 END AS "w_twin"
FROM (SELECT s.id AS row_id, s.import_status AS status, NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN s.new_code IS NOT NULL THEN NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') END AS new_code, COALESCE(s.import_action, 0) AS action,
CASE
WHEN s.code >= x'' THEN
CASE
WHEN NOT (instr(NULLIF(trim(s."code", ' \t\r
\xa0'), ''), char(0))
OR
CASE
WHEN NULLIF(trim(s."code", ' \t\r
\xa0'), '') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB))
ELSE 0 END) THEN NULLIF(trim(s."code", ' \t\r
\xa0'), '') END
ELSE
CASE
WHEN NOT (instr(s.code, char(0))
OR
CASE
WHEN s.code GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s.code AS BLOB))
ELSE 0 END) THEN s.code END END AS t_code,
CASE
WHEN s."name" >= x'' THEN
CASE
WHEN s."name" IS NOT NULL THEN
CASE trim(s."name", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."name", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."name", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."name", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."name", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."name", char(0))
OR
CASE
WHEN s."name" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."name" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."name" < '!'
OR s."name" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."name" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."name", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."name", ' \t\r
\xa0') END
ELSE trim(s."name", ' \t\r
\xa0') END AS "t_name",
CASE
WHEN s."mail" >= x'' THEN
CASE
WHEN s."mail" IS NOT NULL THEN
CASE trim(s."mail", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."mail", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."mail", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."mail", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."mail", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."mail", char(0))
OR
CASE
WHEN s."mail" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."mail" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."mail" < '!'
OR s."mail" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."mail" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."mail", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."mail", ' \t\r
\xa0') END
ELSE trim(s."mail", ' \t\r
\xa0') END AS "t_mail",
CASE
WHEN s."kind" >= x'' THEN
CASE
WHEN s."kind" IS NOT NULL THEN
CASE trim(s."kind", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."kind", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."kind", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."kind", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."kind", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."kind", char(0))
OR
CASE
WHEN s."kind" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."kind" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."kind" < '!'
OR s."kind" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."kind" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."kind", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."kind", ' \t\r
\xa0') END
ELSE trim(s."kind", ' \t\r
\xa0') END AS "t_kind",
CASE
WHEN s."size" >= x'' THEN
CASE
WHEN s."size" IS NOT NULL THEN
CASE trim(s."size", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."size", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."size", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."size", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."size", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."size", char(0))
OR
CASE
WHEN s."size" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."size" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."size" < '!'
OR s."size" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."size" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."size", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."size", ' \t\r
\xa0') END
ELSE trim(s."size", ' \t\r
\xa0') END AS "t_size",
CASE
WHEN s."staff" <> '-98765432101234567890'
AND CAST(CAST(s."staff" AS INTEGER) AS TEXT) = s."staff" THEN CAST(s."staff" AS INTEGER)
ELSE
CASE
WHEN s."staff" IS NOT NULL THEN
CASE trim(s."staff", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '-98765432101234567890' THEN x''
ELSE COALESCE(CASE
WHEN CAST(CAST(trim(s."staff", ' \t\r
\xa0') AS INTEGER) AS TEXT) = trim(s."staff", ' \t\r
\xa0') THEN CAST(trim(s."staff", ' \t\r
\xa0') AS INTEGER)
ELSE staging_integer(CAST(trim(s."staff", ' \t\r
\xa0') AS BLOB)) END,
CASE
WHEN length(trim(s."staff", ' \t\r
\xa0')) > 18
AND ltrim(ltrim(trim(s."staff", ' \t\r
\xa0'), '-'), '0123456789') = '' THEN x'02'
ELSE x'01' END) END END END AS "t_staff",
CASE
WHEN s."rent" <> '-98765432101234567890'
AND
CASE
WHEN s."rent" GLOB '[1-9]*.*[1-9]'
AND s."rent" NOT GLOB '*[^0-9.]*'
AND s."rent" NOT GLOB '*.*.*'
AND length(s."rent") <= 40
AND instr(s."rent", char(0)) = 0 THEN 1
ELSE CAST(CAST(s."rent" AS INTEGER) AS TEXT) = s."rent" END THEN s."rent"
ELSE
CASE
WHEN s."rent" IS NOT NULL THEN
CASE trim(s."rent", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '-98765432101234567890' THEN x''
ELSE COALESCE(CASE
WHEN
CASE
WHEN trim(s."rent", ' \t\r
\xa0') GLOB '[1-9]*.*[1-9]'
AND trim(s."rent", ' \t\r
\xa0') NOT GLOB '*[^0-9.]*'
AND trim(s."rent", ' \t\r
\xa0') NOT GLOB '*.*.*'
AND length(trim(s."rent", ' \t\r
\xa0')) <= 40
AND instr(trim(s."rent", ' \t\r
\xa0'), char(0)) = 0 THEN 1
ELSE CAST(CAST(trim(s."rent", ' \t\r
\xa0') AS INTEGER) AS TEXT) = trim(s."rent", ' \t\r
\xa0') END THEN trim(s."rent", ' \t\r
\xa0')
ELSE staging_decimal(CAST(trim(s."rent", ' \t\r
\xa0') AS BLOB)) END, x'01') END END END AS "t_rent",
CASE s."is_open"
WHEN '~NULL~' THEN x''
WHEN 'true' THEN 1
WHEN 'false' THEN 0
WHEN '1' THEN 1
WHEN '0' THEN 0
WHEN 'yes' THEN 1
WHEN 'no' THEN 0
ELSE
CASE
WHEN s."is_open" IS NOT NULL THEN
CASE trim(s."is_open", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN lower(trim(s."is_open", ' \t\r
\xa0')) IN ('true', '1', 'yes', 'y', 't') THEN 1
WHEN lower(trim(s."is_open", ' \t\r
\xa0')) IN ('false', '0', 'no', 'n', 'f') THEN 0 END, x'01') END END END AS "t_is_open",
CASE
WHEN s."opened" <> '5555-11-22T12:34:56'
AND date(s."opened", '+0 days') = s."opened"
AND s."opened" >= '0001' THEN s."opened"
ELSE
CASE
WHEN s."opened" IS NOT NULL THEN
CASE trim(s."opened", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '5555-11-22T12:34:56' THEN x''
ELSE COALESCE(CASE
WHEN date(trim(s."opened", ' \t\r
\xa0'), '+0 days') = trim(s."opened", ' \t\r
\xa0')
AND trim(s."opened", ' \t\r
\xa0') >= '0001' THEN trim(s."opened", ' \t\r
\xa0')
ELSE NULL END, x'01') END END END AS "t_opened",
CASE
WHEN s."closed" <> '5555-11-22T12:34:56'
AND date(s."closed", '+0 days') = s."closed"
AND s."closed" >= '0001' THEN s."closed"
ELSE
CASE
WHEN s."closed" IS NOT NULL THEN
CASE trim(s."closed", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '5555-11-22T12:34:56' THEN x''
ELSE COALESCE(CASE
WHEN date(trim(s."closed", ' \t\r
\xa0'), '+0 days') = trim(s."closed", ' \t\r
\xa0')
AND trim(s."closed", ' \t\r
\xa0') >= '0001' THEN trim(s."closed", ' \t\r
\xa0')
ELSE NULL END, x'01') END END END AS "t_closed",
CASE
WHEN s."seen" <> '5555-11-22T12:34:56'
AND datetime(s."seen", '+0 days') = replace(s."seen", 'T', ' ')
AND s."seen" >= '0001' THEN replace(s."seen", 'T', ' ') || '.000000'
ELSE
CASE
WHEN s."seen" IS NOT NULL THEN
CASE trim(s."seen", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '5555-11-22T12:34:56' THEN x''
ELSE COALESCE(CASE
WHEN datetime(trim(s."seen", ' \t\r
\xa0'), '+0 days') = replace(trim(s."seen", ' \t\r
\xa0'), 'T', ' ')
AND trim(s."seen", ' \t\r
\xa0') >= '0001' THEN replace(trim(s."seen", ' \t\r
\xa0'), 'T', ' ') || '.000000'
ELSE staging_instant(CAST(trim(s."seen", ' \t\r
\xa0') AS BLOB)) END, x'01') END END END AS "t_seen", NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS "s_parent", NULLIF(trim(s."twin", ' \t\r
\xa0'), '') AS "s_twin"
FROM "stg_part" s
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_1" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904)))) LIMIT -1 OFFSET 0) t
LEFT
JOIN "mdm_part" p ON p.code = t.code
LEFT
JOIN "mdm_area" "r_area" ON "r_area"."code" = t."s_area"
LEFT
JOIN "mdm_part" "r_parent" ON "r_parent"."code" = t."s_parent"
LEFT
JOIN "mdm_part" "r_twin" ON "r_twin"."code" = t."s_twin"
LEFT
JOIN (SELECT NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code, max(CASE
WHEN s.new_code IS NULL
OR (NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> ''
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')) IS NOT TRUE
OR COALESCE(s.import_action, 0) = 1
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')) THEN 1
ELSE 0 END) AS comes
FROM "stg_part" s
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_1" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904))))
AND (COALESCE(s.import_action, 0) NOT BETWEEN 2
AND 6)
GROUP BY 1) "b_parent" ON "b_parent"."code" = t."s_parent"
LEFT
JOIN (SELECT NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN count(*) = 1 THEN max(p.id) END AS id
FROM "stg_part" s
JOIN "mdm_part" p ON p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_1" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904))))
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_parent" ON "n_parent"."code" = t."s_parent"
LEFT
JOIN (SELECT NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code, max(CASE
WHEN s.new_code IS NULL
OR (NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> ''
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')) IS NOT TRUE
OR COALESCE(s.import_action, 0) = 1
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')) THEN 1
ELSE 0 END) AS comes
FROM "stg_part" s
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_1" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904))))
AND (COALESCE(s.import_action, 0) NOT BETWEEN 2
AND 6)
GROUP BY 1) "b_twin" ON "b_twin"."code" = t."s_twin"
LEFT
JOIN (SELECT NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN count(*) = 1 THEN max(p.id) END AS id
FROM "stg_part" s
JOIN "mdm_part" p ON p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_1" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904))))
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_twin" ON "n_twin"."code" = t."s_twin" LIMIT -1 OFFSET 0) j;

-- 192 worktable: create_table
CREATE TABLE temp."work_2_again" ("code" TEXT);

-- 193 duplicates: find_duplicates
INSERT INTO temp."work_2_again" (code)
SELECT w.code
FROM temp."work_2" w
WHERE w.code IS NOT NULL
GROUP BY w.code HAVING count(*) > 1;

-- 194 worktable: create_table
CREATE TABLE temp."work_2_twice" ("code" TEXT, "kept" bigint, "alike" smallint);

-- 195 duplicates: compare_duplicates
INSERT INTO temp."work_2_twice" (code, kept, alike)
SELECT w.code, min(w.row_id),
CASE
WHEN count(DISTINCT COALESCE(s.import_action, 0)) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."new_code", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."name", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."mail", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."kind", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."size", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."staff", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."rent", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."is_open", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."opened", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."closed", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."seen", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."area", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."parent", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."twin", ' \t\r
\xa0'), ''), '')) = 1 THEN 1
ELSE 0 END
FROM temp."work_2" w
JOIN "stg_part" s ON s.id = w.row_id
WHERE w.code IN (SELECT a.code
FROM temp."work_2_again" a)
GROUP BY w.code;

-- 196 duplicates: supersede
UPDATE temp."work_2" AS w
SET outcome = 5, error = 0, message = NULL
FROM temp."work_2_twice" d
WHERE w.code = d.code
AND w.row_id <> d.kept
AND w.outcome < 8
AND d.alike = 1;

-- 197 reject: say
UPDATE temp."work_2" AS w
SET outcome = 4, error = w.error | 2, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('code: ''' || staging_shown(CAST(w.code AS BLOB)) || ''' is in more than one row of the batch.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.code IN (SELECT d.code
FROM temp."work_2_twice" d
WHERE d.alike = 0));

-- 198 order: special
SELECT COALESCE(max(CASE
WHEN (w.action BETWEEN 3
AND 6) THEN 1
ELSE 0 END), 0), count(w.new_code), COALESCE(max(CASE
WHEN w.outcome = 5 THEN 1
ELSE 0 END), 0)
FROM temp."work_2" w;

-- 199 removals: forget_values
UPDATE temp."work_2" AS w
SET waits = 0, "l_parent" = NULL, "l_twin" = NULL, "v_name" = NULL, "v_mail" = NULL, "v_kind" = NULL, "v_size" = NULL, "v_staff" = NULL, "v_rent" = NULL, "v_is_open" = NULL, "v_opened" = NULL, "v_closed" = NULL, "v_seen" = NULL, "v_area" = NULL, "v_parent" = NULL, "v_twin" = NULL
WHERE (w.action BETWEEN 3
AND 6);

-- 200 removals: keep_values
UPDATE temp."work_2" AS w
SET "v_name" = p."name", "v_mail" = p."mail", "v_kind" = p."kind", "v_size" = p."size", "v_staff" = p."staff", "v_rent" = p."rent", "v_is_open" = p."is_open", "v_opened" = p."opened", "v_closed" = p."closed", "v_seen" = p."seen", "v_area" = p."area", "v_parent" = p."parent", "v_twin" = p."twin"
FROM "mdm_part" p
WHERE (w.action BETWEEN 3
AND 6)
AND p.id = w.target_id;

-- 201 worktable: create_table
CREATE TABLE temp."work_2_removed" ("id" bigint, "code" TEXT, "action" smallint, "active" smallint);

-- 202 removals: find_candidates
INSERT INTO temp."work_2_removed" (id, code, action, active)
SELECT p.id, p.code, w.action,
CASE
WHEN p.is_active THEN 1
ELSE 0 END
FROM temp."work_2" w
JOIN "mdm_part" p ON p.id = w.target_id
WHERE (w.action BETWEEN 3
AND 6)
AND w.outcome IN (3, 6, 7)
AND (w.action <> 3
OR w.outcome <> 3);

-- 203 second_look: lose_a_reference
SELECT w.row_id
FROM temp."work_2" w
JOIN "mdm_part" p ON p.id = w.target_id
WHERE NOT (w.action BETWEEN 3
AND 6)
AND (p."parent" IN (SELECT g.id
FROM temp."work_2_removed" g
WHERE g.action IN (5, 6))
OR p."twin" IN (SELECT g.id
FROM temp."work_2_removed" g
WHERE g.action IN (5, 6))) LIMIT 1;
-- 204 is 183;

-- 205 second_look: refer_to_who_goes
SELECT s.id
FROM "stg_part" s
JOIN temp."work_2_removed" g ON g.code = NULLIF(trim(s."parent", ' \t\r
\xa0'), '')
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_1" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904))))
AND NOT (COALESCE(s.import_action, 0) BETWEEN 3
AND 6)
AND g.active = 1
AND NULLIF(trim(s."parent", ' \t\r
\xa0'), '') <> '~NULL~' LIMIT 1;
-- 206 is 183;

-- 207 second_look: refer_to_who_goes
SELECT s.id
FROM "stg_part" s
JOIN temp."work_2_removed" g ON g.code = NULLIF(trim(s."twin", ' \t\r
\xa0'), '')
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_1" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_1" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 6
AND 34
OR k."seq" BETWEEN 48
AND 4611686018427387904))))
AND NOT (COALESCE(s.import_action, 0) BETWEEN 3
AND 6)
AND g.active = 1
AND NULLIF(trim(s."twin", ' \t\r
\xa0'), '') <> '~NULL~' LIMIT 1;

-- 208 second_look: refer_to_superseded
SELECT w.row_id
FROM temp."work_2" w
WHERE w.outcome <> 5
AND w."l_parent" IN (SELECT o.code
FROM temp."work_2" o
WHERE o.outcome = 5
UNION
SELECT o.new_code
FROM temp."work_2" o
WHERE o.outcome = 5)
AND w."l_parent" NOT IN (SELECT o.code
FROM temp."work_2" o
WHERE o.code IS NOT NULL
AND o.outcome <> 5
AND (o.action NOT BETWEEN 2
AND 6)) LIMIT 1;

-- 209 second_look: refer_to_superseded
SELECT w.row_id
FROM temp."work_2" w
WHERE w.outcome <> 5
AND w."l_twin" IN (SELECT o.code
FROM temp."work_2" o
WHERE o.outcome = 5
UNION
SELECT o.new_code
FROM temp."work_2" o
WHERE o.outcome = 5)
AND w."l_twin" NOT IN (SELECT o.code
FROM temp."work_2" o
WHERE o.code IS NOT NULL
AND o.outcome <> 5
AND (o.action NOT BETWEEN 2
AND 6)) LIMIT 1;

-- 210 reject: say
UPDATE temp."work_2" AS w
SET outcome = 4, error = w.error | 512, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('new_code: ''' || staging_shown(CAST(w.new_code AS BLOB)) || ''' is wanted by another row of the batch.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.new_code IN (SELECT o.code
FROM temp."work_2" o
WHERE o.target_id IS NULL
AND o.action IN (0, 1)
AND o.new_code IS NULL
AND o.code IS NOT NULL
AND o.outcome <> 5)
OR w.new_code IN (SELECT o.new_code
FROM temp."work_2" o
WHERE o.new_code IS NOT NULL
AND o.outcome <> 5
GROUP BY o.new_code HAVING count(*) > 1));

-- 211 reject: say
UPDATE temp."work_2" AS w
SET outcome = 4, error = w.error | 8192, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Rule: this does not hold: opened is at most closed (' || staging_shown(CAST('opened: ' || COALESCE(CAST(w."v_opened" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND (TRUE
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND (w."v_closed" IS NOT NULL)
AND NOT COALESCE((NOT (w."v_closed" < w."v_opened")), FALSE));

-- 212 reject: say
UPDATE temp."work_2" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((TRUE
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND TRUE
AND NOT COALESCE((NOT (w."v_staff" < 1)), FALSE))
AND (w.message IS NULL
OR replace(w.message, ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').'), '') = w.message));

-- 213 worktable: create_table
CREATE TABLE temp."work_2_edges" ("row_id" bigint, "target" bigint, "field" bigint, "gives" bigint, "firm" bigint);

-- 214 worktable: create_table
CREATE TABLE temp."work_2_lost" ("row_id" bigint, "field" bigint, "firm" bigint, "round" bigint);

-- 215 cascade: find_references
INSERT INTO temp."work_2_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, COALESCE(o.row_id, n.row_id), 0, -3, 1
FROM temp."work_2" w
LEFT
JOIN temp."work_2" o ON o.code = w."l_parent"
AND NOT (o.action = 2
OR (o.action BETWEEN 3
AND 6))
AND o.outcome IN (1, 2, 3)
LEFT
JOIN (SELECT x.row_id, x.new_code
FROM temp."work_2" x
JOIN "mdm_part" p ON p.id = x.target_id
WHERE x.new_code IS NOT NULL
AND x.outcome = 2
AND (p.is_active
OR x.action = 0)) n ON n.new_code = w."l_parent"
WHERE w."l_parent" IS NOT NULL
AND (w."l_parent" = w.code) IS NOT TRUE
AND (w."l_parent" = w.new_code
AND EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.id = w.target_id
AND (p.is_active
OR w.action = 0))) IS NOT TRUE;

-- 216 cascade: find_references
INSERT INTO temp."work_2_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, COALESCE(o.row_id, n.row_id), 1, 1001, 0
FROM temp."work_2" w
LEFT
JOIN temp."work_2" o ON o.code = w."l_twin"
AND NOT (o.action = 2
OR (o.action BETWEEN 3
AND 6))
AND o.outcome IN (1, 2, 3)
LEFT
JOIN (SELECT x.row_id, x.new_code
FROM temp."work_2" x
JOIN "mdm_part" p ON p.id = x.target_id
WHERE x.new_code IS NOT NULL
AND x.outcome = 2
AND (p.is_active
OR x.action = 0)) n ON n.new_code = w."l_twin"
WHERE w."l_twin" IS NOT NULL
AND (w."l_twin" = w.code) IS NOT TRUE
AND (w."l_twin" = w.new_code
AND EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.id = w.target_id
AND (p.is_active
OR w.action = 0))) IS NOT TRUE;

-- 217 cascade: find_holders
INSERT INTO temp."work_2_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, -1, -3, 1
FROM temp."work_2" w
JOIN "mdm_part" p ON p.code = w.new_code
LEFT
JOIN temp."work_2" o ON o.target_id = p.id
AND o.new_code IS NOT NULL
AND o.outcome = 2
WHERE w.new_code IS NOT NULL
AND w.outcome NOT IN (5, 8, 9);

-- 218 worktable: create_index
CREATE INDEX temp."work_2_edges_target" ON "work_2_edges" ("target");

-- 219 cascade: find_lost
INSERT INTO temp."work_2_lost" (row_id, field, firm, round) WITH RECURSIVE lost (row_id, field, gives, firm) AS (SELECT e.row_id, e.field, e.gives, e.firm
FROM temp."work_2_edges" e
WHERE e.target IS NULL
UNION
SELECT e.row_id, e.field, e.gives, e.firm
FROM lost l
JOIN temp."work_2_edges" e ON e.target = l.row_id
WHERE l.firm = 1
OR e.field = l.gives)
SELECT DISTINCT l.row_id, l.field, l.firm, 1
FROM lost l
WHERE NOT EXISTS (SELECT 1
FROM temp."work_2_lost" before
WHERE before.row_id = l.row_id
AND before.field = l.field);

-- 220 reject: say
UPDATE temp."work_2" AS w
SET outcome = 4, error = w.error | 16384, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('parent: ''' || staging_shown(CAST(w."l_parent" AS BLOB)) || ''' is a row of this batch that was rejected.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_2_lost" l
WHERE l.field = 0
AND l.round = 1));

-- 221 reject: say
UPDATE temp."work_2" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: twin: ''' || staging_shown(CAST(w."l_twin" AS BLOB)) || ''' is a row of this batch that was rejected.')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_2_lost" l
WHERE l.field = 1
AND l.round = 1))
AND (w.message IS NULL
OR replace(w.message, ('Warning: twin: ''' || staging_shown(CAST(w."l_twin" AS BLOB)) || ''' is a row of this batch that was rejected.'), '') = w.message));

-- 222 reject: skip_field
UPDATE temp."work_2" AS w
SET "v_twin" = NULL, "l_twin" = NULL, waits = (w.waits & ~2)
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_2_lost" l
WHERE l.field = 1
AND l.round = 1))
AND w.target_id IS NULL;

-- 223 reject: skip_field
UPDATE temp."work_2" AS w
SET "v_twin" = p."twin", "l_twin" = NULL, waits = (w.waits & ~2), outcome =
CASE
WHEN w.outcome = 2
AND ((w.waits & ~2) = 0
AND w.new_code IS NULL
AND (p.is_active
OR w.action = 2)
AND (((((w."v_name" IS p."name")
AND (w."v_mail" IS p."mail"))
AND ((w."v_kind" IS p."kind")
AND (w."v_size" IS p."size")))
AND (((w."v_staff" IS p."staff")
AND (w."v_rent" IS p."rent"))
AND ((w."v_is_open" IS p."is_open")
AND (w."v_opened" IS p."opened"))))
AND (((w."v_closed" IS p."closed")
AND (w."v_seen" IS p."seen"))
AND ((w."v_area" IS p."area")
AND (w."v_parent" IS p."parent"))))) THEN 3
ELSE w.outcome END
FROM "mdm_part" p
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_2_lost" l
WHERE l.field = 1
AND l.round = 1))
AND p.id = w.target_id;

-- 224 reject: say
UPDATE temp."work_2" AS w
SET outcome = 4, error = w.error | 512, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('new_code: ''' || staging_shown(CAST(w.new_code AS BLOB)) || ''' is the code of another member.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_2_lost" l
WHERE l.field = -1
AND l.round = 1));

-- 225 reject: say
UPDATE temp."work_2" AS w
SET outcome = 4, error = w.error | 4096, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('mail: ''' || staging_shown(CAST(w."v_mail" AS BLOB)) || ''' is taken by another member or row.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_2_lost" l
WHERE l.field = 1000
AND l.round = 1));

-- 226 reject: say
UPDATE temp."work_2" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: twin: ''' || staging_shown(CAST(COALESCE((SELECT r.code
FROM "mdm_part" r
WHERE r.id = w."v_twin"), w."l_twin") AS BLOB)) || ''' is taken by another member or row.')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_2_lost" l
WHERE l.field = 1001
AND l.round = 1))
AND (w.message IS NULL
OR replace(w.message, ('Warning: twin: ''' || staging_shown(CAST(COALESCE((SELECT r.code
FROM "mdm_part" r
WHERE r.id = w."v_twin"), w."l_twin") AS BLOB)) || ''' is taken by another member or row.'), '') = w.message));

-- 227 reject: skip_field
UPDATE temp."work_2" AS w
SET "v_twin" = NULL, "l_twin" = NULL, waits = (w.waits & ~2)
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_2_lost" l
WHERE l.field = 1001
AND l.round = 1))
AND w.target_id IS NULL;

-- 228 reject: skip_field
UPDATE temp."work_2" AS w
SET "v_twin" = p."twin", "l_twin" = NULL, waits = (w.waits & ~2), outcome =
CASE
WHEN w.outcome = 2
AND ((w.waits & ~2) = 0
AND w.new_code IS NULL
AND (p.is_active
OR w.action = 2)
AND (((((w."v_name" IS p."name")
AND (w."v_mail" IS p."mail"))
AND ((w."v_kind" IS p."kind")
AND (w."v_size" IS p."size")))
AND (((w."v_staff" IS p."staff")
AND (w."v_rent" IS p."rent"))
AND ((w."v_is_open" IS p."is_open")
AND (w."v_opened" IS p."opened"))))
AND (((w."v_closed" IS p."closed")
AND (w."v_seen" IS p."seen"))
AND ((w."v_area" IS p."area")
AND (w."v_parent" IS p."parent"))))) THEN 3
ELSE w.outcome END
FROM "mdm_part" p
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_2_lost" l
WHERE l.field = 1001
AND l.round = 1))
AND p.id = w.target_id;

-- 229 reject: say
UPDATE temp."work_2" AS w
SET outcome = 4, error = w.error | 8192, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Rule: this does not hold: opened is at most closed (' || staging_shown(CAST('opened: ' || COALESCE(CAST(w."v_opened" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_2_lost" l
WHERE l.firm = 0
AND l.round = 1)
AND w.error = 0
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND (w."v_closed" IS NOT NULL)
AND NOT COALESCE((NOT (w."v_closed" < w."v_opened")), FALSE));

-- 230 reject: say
UPDATE temp."work_2" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_2_lost" l
WHERE l.firm = 0
AND l.round = 1)
AND w.error = 0
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND TRUE
AND NOT COALESCE((NOT (w."v_staff" < 1)), FALSE))
AND (w.message IS NULL
OR replace(w.message, ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').'), '') = w.message));

-- 231 worktable: create_table
CREATE TABLE temp."work_2_u0" ("row_id" bigint, "taken" TEXT);

-- 232 unique: find_new_values
INSERT INTO temp."work_2_u0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM temp."work_2" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_mail" IS p."mail");

-- 233 worktable: create_index
CREATE INDEX temp."work_2_u0_taken" ON "work_2_u0" ("taken");

-- 234 unique: find_equals
INSERT INTO temp."work_2_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, NULL, 1000, 1000, 1
FROM temp."work_2_u0" n
JOIN temp."work_2" w ON w.row_id = n.row_id
WHERE n.taken IN (SELECT rival.taken
FROM temp."work_2_u0" rival
GROUP BY rival.taken HAVING count(*) > 1);

-- 235 unique: find_value_holders
INSERT INTO temp."work_2_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 1000, 1000, 1
FROM temp."work_2_u0" n
JOIN temp."work_2" w ON w.row_id = n.row_id
JOIN "mdm_part" p ON p."mail" = n.taken
LEFT
JOIN temp."work_2" o ON o.target_id = p.id
AND o.outcome IN (2, 3)
AND NOT (o."v_mail" IS p."mail")
WHERE TRUE
AND p.id NOT IN (SELECT g.id
FROM temp."work_2_removed" g
WHERE g.action IN (4, 6));

-- 236 worktable: create_table
CREATE TABLE temp."work_2_u1" ("row_id" bigint, "taken" INTEGER);

-- 237 unique: find_new_values
INSERT INTO temp."work_2_u1" (row_id, taken)
SELECT w.row_id, w."v_twin"
FROM temp."work_2" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_twin" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_twin" IS p."twin");

-- 238 worktable: create_table
CREATE TABLE temp."work_2_m1" ("row_id" bigint, "taken" TEXT);

-- 239 unique: find_newcomers
INSERT INTO temp."work_2_m1" (row_id, taken)
SELECT w.row_id, w."l_twin"
FROM temp."work_2" w
WHERE w.outcome IN (1, 2, 3)
AND (w.waits & 2) <> 0;

-- 240 cascade: find_lost
INSERT INTO temp."work_2_lost" (row_id, field, firm, round) WITH RECURSIVE lost (row_id, field, gives, firm) AS (SELECT e.row_id, e.field, e.gives, e.firm
FROM temp."work_2_edges" e
WHERE e.target IS NULL
UNION
SELECT e.row_id, e.field, e.gives, e.firm
FROM lost l
JOIN temp."work_2_edges" e ON e.target = l.row_id
WHERE l.firm = 1
OR e.field = l.gives)
SELECT DISTINCT l.row_id, l.field, l.firm, 2
FROM lost l
WHERE NOT EXISTS (SELECT 1
FROM temp."work_2_lost" before
WHERE before.row_id = l.row_id
AND before.field = l.field);

-- 241 worktable: create_table
CREATE TABLE temp."work_2_r1" ("row_id" bigint, "taken" INTEGER);

-- 242 unique: find_new_values
INSERT INTO temp."work_2_r1" (row_id, taken)
SELECT w.row_id,
CASE
WHEN w.target_id IS NOT NULL
AND w.new_code = w."l_twin"
AND (w.action = 0
OR w.action = 2
AND p.is_active) THEN
CASE
WHEN EXISTS (SELECT 1
FROM temp."work_2" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_2" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_2" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END
FROM temp."work_2" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE
CASE
WHEN w.target_id IS NOT NULL
AND w.new_code = w."l_twin"
AND (w.action = 0
OR w.action = 2
AND p.is_active) THEN
CASE
WHEN EXISTS (SELECT 1
FROM temp."work_2" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_2" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_2" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END IS NOT NULL
AND w.outcome = 4
AND w.error & 4096 = 0
AND NOT (CASE
WHEN w.target_id IS NOT NULL
AND w.new_code = w."l_twin"
AND (w.action = 0
OR w.action = 2
AND p.is_active) THEN
CASE
WHEN EXISTS (SELECT 1
FROM temp."work_2" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_2" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_2" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END IS p."twin");

-- 243 worktable: create_table
CREATE TABLE temp."work_2_s1" ("row_id" bigint);

-- 244 unique: find_sharers
INSERT INTO temp."work_2_s1" (row_id)
SELECT w.row_id
FROM temp."work_2" w
WHERE w.outcome = 4
AND w.error & 4096 = 0
AND (w."v_twin" IS NULL
OR w."v_twin" = w.target_id
AND w.new_code = w."l_twin")
AND w."l_twin" IN (SELECT o."l_twin"
FROM temp."work_2" o
WHERE o.outcome IN (1, 2)
AND (o.waits & 2) <> 0);

-- 245 worktable: create_table
CREATE TABLE temp."work_2_r0" ("row_id" bigint, "taken" TEXT);

-- 246 unique: find_new_values
INSERT INTO temp."work_2_r0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM temp."work_2" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome = 4
AND w.error & 4096 = 0
AND NOT (w."v_mail" IS p."mail");

-- 247 worktable: create_table
CREATE TABLE temp."work_2_traders" ("row_id" bigint);

-- 248 order: find_traders
INSERT INTO temp."work_2_traders" (row_id)
SELECT e."row_id"
FROM temp."work_2_edges" e
JOIN temp."work_2" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 249 order: find_traders
INSERT INTO temp."work_2_traders" (row_id)
SELECT e."target"
FROM temp."work_2_edges" e
JOIN temp."work_2" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 250 order: some_wait
SELECT 1
FROM temp."work_2" w
WHERE w.waits <> 0 LIMIT 1;

-- 251 order: put
UPDATE temp."work_2" AS w
SET turn = 2, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_2") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_2" w
WHERE w.outcome IN (1, 2)
AND (w.new_code IS NOT NULL
OR w.row_id IN (SELECT trader.row_id
FROM temp."work_2_traders" trader)
OR w.waits <> 0)) moved
WHERE moved.row_id = w.row_id;

-- 252 order: put
UPDATE temp."work_2" AS w
SET turn = -1, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_2") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_2" w
WHERE w.outcome IN (6, 7)) moved
WHERE moved.row_id = w.row_id;

-- 253 order: put
UPDATE temp."work_2" AS w
SET turn = -2, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_2") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_2" w
WHERE w.outcome = 4) moved
WHERE moved.row_id = w.row_id;

-- 254 classify: settled
SELECT count(*)
FROM temp."work_2" w
WHERE w.outcome IN (8, 9);

-- 255 worktable: create_table
CREATE TABLE main."work_2" ("seq" INTEGER PRIMARY KEY, "row_id" bigint, "code" TEXT, "action" smallint, "new_code" TEXT, "target_id" bigint, "outcome" smallint, "turn" smallint, "waits" bigint, "error" bigint, "message" TEXT, "v_name" TEXT, "v_mail" TEXT, "v_kind" TEXT, "v_size" TEXT, "v_staff" INTEGER, "v_rent" TEXT, "v_is_open" INTEGER, "v_opened" TEXT, "v_closed" TEXT, "v_seen" TEXT, "v_area" INTEGER, "v_parent" INTEGER, "v_twin" INTEGER, "l_parent" TEXT, "l_twin" TEXT, "raw" TEXT);

-- 256 decisions: last_number
SELECT COALESCE(max(seq), 0)
FROM temp."work_2";

-- 257 decisions: copy_decisions
INSERT INTO main."work_2" ("seq", "row_id", "code", "action", "new_code", "target_id", "outcome", "turn", "waits", "error", "message", "v_name", "v_mail", "v_kind", "v_size", "v_staff", "v_rent", "v_is_open", "v_opened", "v_closed", "v_seen", "v_area", "v_parent", "v_twin", "l_parent", "l_twin", raw)
SELECT w."seq", w."row_id", w."code", w."action", w."new_code", w."target_id", w."outcome", w."turn", w."waits", w."error", w."message", w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", w."l_parent", w."l_twin", quote(s."code") || ',' || quote(s."new_code") || ',' || quote(s."import_action") || ',' || quote(s."name") || ',' || quote(s."mail") || ',' || quote(s."kind") || ',' || quote(s."size") || ',' || quote(s."staff") || ',' || quote(s."rent") || ',' || quote(s."is_open") || ',' || quote(s."opened") || ',' || quote(s."closed") || ',' || quote(s."seen") || ',' || quote(s."area") || ',' || quote(s."parent") || ',' || quote(s."twin")
FROM temp."work_2" w
LEFT
JOIN "stg_part" s ON s.id = w.row_id
WHERE w.seq BETWEEN 1
AND 50000;

-- 258 decisions: create_done
CREATE TABLE main."work_2_done" (first bigint, last bigint);

-- 259
SELECT name
FROM sqlite_temp_master
WHERE type = 'table'
AND name LIKE 'work_2%' ESCAPE '\';

-- 260 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2";

-- 261 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_again";

-- 262 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_twice";

-- 263 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_removed";

-- 264 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_edges";

-- 265 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_lost";

-- 266 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_u0";

-- 267 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_u1";

-- 268 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_m1";

-- 269 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_r1";

-- 270 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_s1";

-- 271 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_r0";

-- 272 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_traders";

-- 273
SELECT name
FROM main.sqlite_master
WHERE type = 'table'
AND name LIKE 'work_1%' ESCAPE '\';

-- 274 worktable: drop_table
DROP TABLE IF EXISTS main."work_1";

-- 275 worktable: drop_table
DROP TABLE IF EXISTS main."work_1_done";

-- 276 order: last_turn
SELECT w.turn, (SELECT min(first.seq)
FROM main."work_2" first), w.seq
FROM main."work_2" w
ORDER BY w.seq DESC LIMIT 1;

-- 277 order: turns
SELECT COALESCE(w.turn, 0), min(w.seq), max(w.seq)
FROM main."work_2" w
GROUP BY 1;

-- 278 decisions: stretches_done
SELECT first, last
FROM main."work_2_done"
WHERE last >= 1
AND first <= 0
ORDER BY first;
-- 279 is 278;

-- 280 decisions: stretches_done
SELECT first, last
FROM main."work_2_done"
WHERE last >= 6
AND first <= 26
ORDER BY first;

-- 281 decisions: settle_chunk
INSERT INTO main."work_2_done" (first, last)
VALUES (6, 10);

-- 282 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_2" w
WHERE w.seq BETWEEN 6
AND 10
AND w.outcome < 8
GROUP BY w.outcome;

-- 283 merge: mark_staged
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
FROM main."work_2" w
WHERE w.seq BETWEEN 6
AND 10
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 284 members: resolve
UPDATE main."work_2" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 6
AND 10
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 285 members: resolve
UPDATE main."work_2" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 6
AND 10
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 286 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9204, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_2" w
WHERE w.seq BETWEEN 6
AND 10
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 287 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_2" w
WHERE w.seq BETWEEN 6
AND 10
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_2" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 288 members: count_existing
SELECT count(w.target_id)
FROM main."work_2" w
WHERE w.seq BETWEEN 6
AND 10
AND w.outcome IN (1, 2);
-- 289 is in_one_transaction 146;

-- 290 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM main."work_2" w
WHERE w.seq BETWEEN 6
AND 10
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 291 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9204
FROM "mdm_part" born
WHERE born.id > 10;

-- 292 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9204, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_2" w
WHERE w.seq BETWEEN 6
AND 10
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;
-- 293 is in_one_transaction 1;
-- 294 is in_one_transaction 2;

-- 295 decisions: stretches_done
SELECT first, last
FROM main."work_2_done"
WHERE last >= 1
AND first <= 4611686018427387904
ORDER BY first;

-- 296 classify: extent
SELECT COALESCE(min(s.id), 0), COALESCE(max(s.id), 0), count(*)
FROM "stg_part" s
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_2" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904))));

-- 297 worktable: create_table
CREATE TABLE temp."work_3" ("seq" INTEGER PRIMARY KEY, "row_id" bigint, "code" TEXT, "action" smallint, "new_code" TEXT, "target_id" bigint, "outcome" smallint, "turn" smallint, "waits" bigint, "error" bigint, "message" TEXT, "v_name" TEXT, "v_mail" TEXT, "v_kind" TEXT, "v_size" TEXT, "v_staff" INTEGER, "v_rent" TEXT, "v_is_open" INTEGER, "v_opened" TEXT, "v_closed" TEXT, "v_seen" TEXT, "v_area" INTEGER, "v_parent" INTEGER, "v_twin" INTEGER, "l_parent" TEXT, "l_twin" TEXT);
-- 298 is 295;
-- 299 is 295;
-- 300 is 295;
-- 301 is 295;
-- 302 is 295;

-- 303 classify: classify
INSERT INTO temp."work_3" ("row_id", "code", "action", "new_code", "target_id", "outcome", "waits", "error", "message", "v_name", "v_mail", "v_kind", "v_size", "v_staff", "v_rent", "v_is_open", "v_opened", "v_closed", "v_seen", "v_area", "v_parent", "v_twin", "l_parent", "l_twin")
SELECT j."row_id", j."code", j."action", j."new_code", j."target_id",
CASE
WHEN j.status = 1 THEN 8
WHEN j.status <> 0 THEN 9
WHEN ((j.x_0 & 2147469311) <> 0) THEN 4
WHEN j.removal <> 0 THEN j.removal
WHEN j.target_id IS NULL
OR j.begun = 1 THEN 1
WHEN j.changes = 1
OR (j."w_parent" | j."w_twin") <> 0 THEN 2
ELSE 3 END, (j."w_parent" | j."w_twin"),
CASE
WHEN ((j.x_0 & 2147469311) <> 0) THEN ((((CASE
WHEN j.x_0 & 1 <> 0 THEN 1
ELSE 0 END |
CASE
WHEN j.x_0 & 215171874 <> 0 THEN 8
ELSE 0 END) | (CASE
WHEN j.x_0 & 19694660 <> 0 THEN 16
ELSE 0 END |
CASE
WHEN j.x_0 & 8 <> 0 THEN 128
ELSE 0 END)) | ((CASE
WHEN j.x_0 & 16 <> 0 THEN 64
ELSE 0 END |
CASE
WHEN j.x_0 & 128 <> 0 THEN 1024
ELSE 0 END) | (CASE
WHEN j.x_0 & 33554432 <> 0 THEN 2048
ELSE 0 END |
CASE
WHEN j.x_0 & 268435456 <> 0 THEN 4
ELSE 0 END))) |
CASE
WHEN j.x_0 & 1610612736 <> 0 THEN 32
ELSE 0 END)
ELSE 0 END,
CASE
WHEN (j."x_0" <> 0) THEN (SELECT rtrim((((((CASE
WHEN j.x_0 & 1 <> 0 THEN 'code is missing.' || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 4 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is longer than 500 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' does not exist.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 16 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' exists already.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 32 <> 0 THEN ('new_code: ''' || staging_shown(CAST(NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 64 <> 0 THEN ('new_code: ''' || staging_shown(CAST(NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is longer than 500 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 128 <> 0 THEN ('import_action: ''' || staging_shown(CAST(COALESCE(s.import_action, 0) AS BLOB)) || ''' is not an import action.') || ' '
ELSE '' END))) || (((CASE
WHEN j.x_0 & 256 <> 0 THEN ('name: ''' || staging_shown(CAST(NULLIF(trim(s."name", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 512 <> 0 THEN ('mail: ''' || staging_shown(CAST(NULLIF(trim(s."mail", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 1024 <> 0 THEN ('mail: ''' || staging_shown(CAST(NULLIF(trim(s."mail", ' \t\r
\xa0'), '') AS BLOB)) || ''' is longer than 40 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2048 <> 0 THEN ('Warning: kind: ''' || staging_shown(CAST(NULLIF(trim(s."kind", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 4096 <> 0 THEN ('Warning: kind: ''' || staging_shown(CAST(NULLIF(trim(s."kind", ' \t\r
\xa0'), '') AS BLOB)) || ''' is shorter than 1 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8192 <> 0 THEN ('Warning: kind: ''' || staging_shown(CAST(NULLIF(trim(s."kind", ' \t\r
\xa0'), '') AS BLOB)) || ''' does not match ^[a-z]+$.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 16384 <> 0 THEN ('size: ''' || staging_shown(CAST(NULLIF(trim(s."size", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 32768 <> 0 THEN ('size: ''' || staging_shown(CAST(NULLIF(trim(s."size", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not one of S, M, L.') || ' '
ELSE '' END)))) || ((((CASE
WHEN j.x_0 & 65536 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a whole number.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 131072 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is a larger whole number than can be stored.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 262144 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is below 0.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 524288 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is above 1000.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 1048576 <> 0 THEN ('rent: ''' || staging_shown(CAST(NULLIF(trim(s."rent", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a decimal number of at most 40 digits on each side of the point.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2097152 <> 0 THEN ('rent: ''' || staging_shown(CAST(NULLIF(trim(s."rent", ' \t\r
\xa0'), '') AS BLOB)) || ''' is above 99999.99.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 4194304 <> 0 THEN ('is_open: ''' || staging_shown(CAST(NULLIF(trim(s."is_open", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not yes or no.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8388608 <> 0 THEN ('opened: ''' || staging_shown(CAST(NULLIF(trim(s."opened", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a date (YYYY-MM-DD).') || ' '
ELSE '' END))) || (((CASE
WHEN j.x_0 & 16777216 <> 0 THEN ('opened: ''' || staging_shown(CAST(NULLIF(trim(s."opened", ' \t\r
\xa0'), '') AS BLOB)) || ''' is below 2000-01-01.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 33554432 <> 0 THEN ('closed: ''' || staging_shown(CAST(NULLIF(trim(s."closed", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not what is stored, which may not change.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 67108864 <> 0 THEN ('closed: ''' || staging_shown(CAST(NULLIF(trim(s."closed", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a date (YYYY-MM-DD).') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 134217728 <> 0 THEN ('seen: ''' || staging_shown(CAST(NULLIF(trim(s."seen", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a date and time (YYYY-MM-DDTHH:MM:SS).') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 268435456 <> 0 THEN 'area is required and would have no value.' || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 536870912 <> 0 THEN ('area: ''' || staging_shown(CAST(NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not an active member of Area.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 1073741824 <> 0 THEN ('parent: ''' || staging_shown(CAST(NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not an active member of Part.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2147483648 <> 0 THEN ('Warning: twin: ''' || staging_shown(CAST(NULLIF(trim(s."twin", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not an active member of Part.') || ' '
ELSE '' END))))))
FROM "stg_part" s
WHERE s.id = j.row_id) END, j."v_name", j."v_mail", j."v_kind", j."v_size", j."v_staff", j."v_rent", j."v_is_open", j."v_opened", j."v_closed", j."v_seen", j."v_area", j."v_parent", j."v_twin", j."l_parent", j."l_twin"
FROM (SELECT t."row_id" AS "row_id", t."code" AS "code", t."status" AS "status", t."action" AS "action",
CASE
WHEN (t.new_code <> t.code
AND t.action IN (0, 2)) THEN t.new_code END AS "new_code", p.id AS "target_id",
CASE
WHEN (t.action BETWEEN 3
AND 6) THEN
CASE
WHEN t.action IN (4, 6) THEN 7
WHEN p.is_active THEN 6
ELSE 3 END
ELSE 0 END AS "removal",
CASE
WHEN (p.is_active
OR t.action = 2)
AND (t.new_code IS NULL
OR (t.new_code <> t.code
AND t.action IN (0, 2)) IS NOT TRUE)
AND ((((((t."t_name" IS p."name")
OR (CASE
WHEN t."t_name" < x'' THEN t."t_name"
WHEN (t."t_name" IS NULL
OR (t."t_name" = x'')) THEN NULL
ELSE p."name" END IS p."name"))
AND ((t."t_mail" IS p."mail")
OR (CASE
WHEN t."t_mail" < x'' THEN t."t_mail"
WHEN (t."t_mail" IS NULL
OR (t."t_mail" = x'')) THEN NULL
ELSE p."mail" END IS p."mail")))
AND (((t."t_kind" IS p."kind")
OR (CASE
WHEN (t."t_kind" < x''
AND (length(t."t_kind") < 1
OR NOT staging_matches('^[a-z]+$', CAST(t."t_kind" AS BLOB))) IS NOT TRUE) THEN t."t_kind"
WHEN (t."t_kind" IS NULL
OR (t."t_kind" = x'')) THEN NULL
ELSE p."kind" END IS p."kind"))
AND ((t."t_size" IS p."size")
OR (CASE
WHEN (t."t_size" < x''
AND (p."size" IS NULL)) THEN t."t_size"
ELSE p."size" END IS p."size"))))
AND ((((t."t_staff" IS p."staff")
OR (CASE
WHEN t."t_staff" < x'' THEN t."t_staff"
WHEN (t."t_staff" IS NULL
OR (t."t_staff" = x'')) THEN NULL
ELSE p."staff" END IS p."staff"))
AND ((t."t_rent" IS p."rent")
OR (CASE
WHEN t."t_rent" < x'' THEN t."t_rent"
WHEN (t."t_rent" IS NULL
OR (t."t_rent" = x'')) THEN NULL
ELSE p."rent" END IS p."rent")))
AND (((t."t_is_open" IS p."is_open")
OR (CASE
WHEN (t."t_is_open" < x''
AND (p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_2" k
WHERE k.outcome = 1)) IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END IS p."is_open"))
AND ((t."t_opened" IS p."opened")
OR (CASE
WHEN t."t_opened" < x'' THEN t."t_opened"
WHEN (t."t_opened" IS NULL
OR (t."t_opened" = x'')) THEN NULL
ELSE p."opened" END IS p."opened")))))
AND (((((t."t_closed" IS p."closed")
OR (CASE
WHEN (t."t_closed" < x''
AND (p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_2" k
WHERE k.outcome = 1)) IS TRUE)) THEN t."t_closed"
ELSE p."closed" END IS p."closed"))
AND ((t."t_seen" IS p."seen")
OR (CASE
WHEN t."t_seen" < x'' THEN t."t_seen"
WHEN (t."t_seen" IS NULL
OR (t."t_seen" = x'')) THEN NULL
ELSE p."seen" END IS p."seen")))
AND ((CASE
WHEN ((t."s_area" = '~NULL~') IS NOT TRUE
AND ("r_area"."is_active")) THEN "r_area"."id"
WHEN (t."s_area" IS NULL
OR (t."s_area" = '~NULL~')) THEN NULL
ELSE p."area" END IS p."area")
AND (CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND (("r_parent"."is_active")
OR ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_parent"."is_active" IS TRUE
OR "b_parent"."code" IS NOT NULL
AND "r_parent"."id" IS NOT NULL THEN "r_parent"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_parent"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_parent"."comes", 0) = 0 THEN "n_parent"."id" END
WHEN (t."s_parent" IS NULL
OR (t."s_parent" = '~NULL~')) THEN NULL
ELSE p."parent" END IS p."parent")))
AND (CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND (("r_twin"."is_active")
OR ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_twin"."is_active" IS TRUE
OR "b_twin"."code" IS NOT NULL
AND "r_twin"."id" IS NOT NULL THEN "r_twin"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_twin"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_twin"."comes", 0) = 0 THEN "n_twin"."id" END
WHEN (t."s_twin" IS NULL
OR (t."s_twin" = '~NULL~')) THEN NULL
ELSE p."twin" END IS p."twin"))) THEN 0
ELSE 1 END AS "changes",
CASE
WHEN (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_2" k
WHERE k.outcome = 1)) THEN 1
ELSE 0 END AS "begun", (((CASE
WHEN t.code IS NULL THEN 1
WHEN t.t_code IS NULL THEN 2
WHEN length(t.code) > 500 THEN 4
WHEN t.action = 0
AND t.new_code IS NULL THEN 0
WHEN (p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_2" k
WHERE k.outcome = 1)) IS TRUE) THEN
CASE
WHEN t.action = 2
OR (t.action BETWEEN 3
AND 6)
OR (t.new_code <> t.code
AND t.action IN (0, 2)) THEN 8
ELSE 0 END
WHEN t.action = 1 THEN 16
ELSE 0 END |
CASE
WHEN t.new_code IS NULL THEN 0
WHEN (t.new_code <> t.code
AND t.action IN (0, 2)) THEN
CASE
WHEN
CASE
WHEN NOT (instr(t.new_code, char(0))
OR
CASE
WHEN t.new_code GLOB '*[^-]*' THEN NOT staging_is_text(CAST(t.new_code AS BLOB))
ELSE 0 END) THEN t.new_code END IS NULL THEN 32
WHEN length(t.new_code) > 500 THEN 64
ELSE 0 END
ELSE 0 END) |
CASE
WHEN t.action BETWEEN 0
AND 6 THEN 0
ELSE 128 END) |
CASE
WHEN NOT (t.action BETWEEN 3
AND 6) THEN ((((CASE
WHEN t."t_name" < x'' THEN 0
WHEN t."t_name" IS NULL THEN 0
WHEN (t."t_name" = x'') THEN 0
ELSE 256 END |
CASE
WHEN t."t_mail" < x'' THEN
CASE
WHEN length(t."t_mail") > 40 THEN 1024
ELSE 0 END
WHEN t."t_mail" IS NULL THEN 0
WHEN (t."t_mail" = x'') THEN 0
ELSE 512 END) | (CASE
WHEN t."t_kind" < x'' THEN (CASE
WHEN length(t."t_kind") < 1 THEN 4096
ELSE 0 END |
CASE
WHEN NOT staging_matches('^[a-z]+$', CAST(t."t_kind" AS BLOB)) THEN 8192
ELSE 0 END)
WHEN t."t_kind" IS NULL THEN 0
WHEN (t."t_kind" = x'') THEN 0
ELSE 2048 END |
CASE
WHEN t."t_size" < x'' THEN
CASE
WHEN NOT (((t."t_size" = 'S'
OR t."t_size" = 'M')
OR t."t_size" = 'L')) THEN 32768
ELSE 0 END
WHEN t."t_size" IS NULL THEN 0
WHEN (t."t_size" = x'') THEN 0
ELSE 16384 END)) | ((CASE
WHEN t."t_staff" < x'' THEN (CASE
WHEN (t."t_staff" < 0) THEN 262144
ELSE 0 END |
CASE
WHEN (1000 < t."t_staff") THEN 524288
ELSE 0 END)
WHEN t."t_staff" IS NULL THEN 0
WHEN (t."t_staff" = x'') THEN 0
ELSE
CASE
WHEN t."t_staff" = x'02' THEN 131072
ELSE 65536 END END |
CASE
WHEN t."t_rent" < x'' THEN
CASE
WHEN (CASE
WHEN CAST('99999.99' AS REAL) = CAST(t."t_rent" AS REAL) THEN staging_less('99999.99', t."t_rent")
ELSE CAST('99999.99' AS REAL) < CAST(t."t_rent" AS REAL) END) THEN 2097152
ELSE 0 END
WHEN t."t_rent" IS NULL THEN 0
WHEN (t."t_rent" = x'') THEN 0
ELSE 1048576 END) | (CASE
WHEN t."t_is_open" < x'' THEN 0
WHEN t."t_is_open" IS NULL THEN 0
WHEN (t."t_is_open" = x'') THEN 0
ELSE 4194304 END |
CASE
WHEN t."t_opened" < x'' THEN
CASE
WHEN (t."t_opened" < '2000-01-01') THEN 16777216
ELSE 0 END
WHEN t."t_opened" IS NULL THEN 0
WHEN (t."t_opened" = x'') THEN 0
ELSE 8388608 END))) | (((CASE
WHEN t."t_closed" < x'' THEN (0 |
CASE
WHEN ((p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_2" k
WHERE k.outcome = 1)) IS TRUE) IS NOT TRUE
AND NOT (t."t_closed" IS NOT NULL
AND (t."t_closed" IS p."closed"))) THEN 33554432
ELSE 0 END)
WHEN t."t_closed" IS NULL THEN 0
WHEN (t."t_closed" = x'') THEN (0 |
CASE
WHEN ((p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_2" k
WHERE k.outcome = 1)) IS TRUE) IS NOT TRUE
AND p."closed" IS NOT NULL) THEN 33554432
ELSE 0 END)
ELSE 67108864 END |
CASE
WHEN t."t_seen" < x'' THEN 0
WHEN t."t_seen" IS NULL THEN 0
WHEN (t."t_seen" = x'') THEN 0
ELSE 134217728 END) | (CASE
WHEN t."s_area" IS NULL THEN
CASE
WHEN TRUE THEN 268435456
ELSE 0 END
WHEN (t."s_area" = '~NULL~') THEN
CASE
WHEN TRUE THEN 268435456
ELSE 0 END
WHEN ("r_area"."is_active") THEN 0
ELSE 536870912 END |
CASE
WHEN t."s_parent" IS NULL THEN 0
WHEN (t."s_parent" = '~NULL~') THEN 0
WHEN (("r_parent"."is_active")
OR ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE)) THEN 0
ELSE 1073741824 END)) |
CASE
WHEN t."s_twin" IS NULL THEN 0
WHEN (t."s_twin" = '~NULL~') THEN 0
WHEN (("r_twin"."is_active")
OR ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE)) THEN 0
ELSE 2147483648 END))
ELSE 0 END) AS "x_0",
CASE
WHEN t."t_name" < x'' THEN t."t_name"
WHEN (t."t_name" IS NULL
OR (t."t_name" = x'')) THEN NULL
ELSE p."name" END AS "v_name",
CASE
WHEN t."t_mail" < x'' THEN t."t_mail"
WHEN (t."t_mail" IS NULL
OR (t."t_mail" = x'')) THEN NULL
ELSE p."mail" END AS "v_mail",
CASE
WHEN (t."t_kind" < x''
AND (length(t."t_kind") < 1
OR NOT staging_matches('^[a-z]+$', CAST(t."t_kind" AS BLOB))) IS NOT TRUE) THEN t."t_kind"
WHEN (t."t_kind" IS NULL
OR (t."t_kind" = x'')) THEN NULL
ELSE p."kind" END AS "v_kind",
CASE
WHEN (t."t_size" < x''
AND (p."size" IS NULL)) THEN t."t_size"
ELSE p."size" END AS "v_size",
CASE
WHEN t."t_staff" < x'' THEN t."t_staff"
WHEN (t."t_staff" IS NULL
OR (t."t_staff" = x'')) THEN NULL
ELSE p."staff" END AS "v_staff",
CASE
WHEN t."t_rent" < x'' THEN t."t_rent"
WHEN (t."t_rent" IS NULL
OR (t."t_rent" = x'')) THEN NULL
ELSE p."rent" END AS "v_rent",
CASE
WHEN (t."t_is_open" < x''
AND (p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_2" k
WHERE k.outcome = 1)) IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END AS "v_is_open",
CASE
WHEN t."t_opened" < x'' THEN t."t_opened"
WHEN (t."t_opened" IS NULL
OR (t."t_opened" = x'')) THEN NULL
ELSE p."opened" END AS "v_opened",
CASE
WHEN (t."t_closed" < x''
AND (p.id IS NULL
OR (NOT p.is_active
AND p.id IN (SELECT k.target_id
FROM main."work_2" k
WHERE k.outcome = 1)) IS TRUE)) THEN t."t_closed"
ELSE p."closed" END AS "v_closed",
CASE
WHEN t."t_seen" < x'' THEN t."t_seen"
WHEN (t."t_seen" IS NULL
OR (t."t_seen" = x'')) THEN NULL
ELSE p."seen" END AS "v_seen",
CASE
WHEN ((t."s_area" = '~NULL~') IS NOT TRUE
AND ("r_area"."is_active")) THEN "r_area"."id"
WHEN (t."s_area" IS NULL
OR (t."s_area" = '~NULL~')) THEN NULL
ELSE p."area" END AS "v_area",
CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND (("r_parent"."is_active")
OR ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_parent"."is_active" IS TRUE
OR "b_parent"."code" IS NOT NULL
AND "r_parent"."id" IS NOT NULL THEN "r_parent"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_parent"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_parent"."comes", 0) = 0 THEN "n_parent"."id" END
WHEN (t."s_parent" IS NULL
OR (t."s_parent" = '~NULL~')) THEN NULL
ELSE p."parent" END AS "v_parent",
CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND (("r_twin"."is_active")
OR ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_twin"."is_active" IS TRUE
OR "b_twin"."code" IS NOT NULL
AND "r_twin"."id" IS NOT NULL THEN "r_twin"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_twin"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_twin"."comes", 0) = 0 THEN "n_twin"."id" END
WHEN (t."s_twin" IS NULL
OR (t."s_twin" = '~NULL~')) THEN NULL
ELSE p."twin" END AS "v_twin",
CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE) THEN t."s_parent" END AS "l_parent",
CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE)
AND
CASE
WHEN "r_parent"."is_active" IS TRUE
OR "b_parent"."code" IS NOT NULL
AND "r_parent"."id" IS NOT NULL THEN "r_parent"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_parent"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_parent"."comes", 0) = 0 THEN "n_parent"."id" END IS NULL THEN 1
ELSE 0 END AS "w_parent",
CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE) THEN t."s_twin" END AS "l_twin",
CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE)
AND
CASE
WHEN "r_twin"."is_active" IS TRUE
OR "b_twin"."code" IS NOT NULL
AND "r_twin"."id" IS NOT NULL THEN "r_twin"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_twin"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_twin"."comes", 0) = 0 THEN "n_twin"."id" END IS NULL THEN 2
ELSE 0 END AS "w_twin"
FROM (SELECT s.id AS row_id, s.import_status AS status, NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN s.new_code IS NOT NULL THEN NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') END AS new_code, COALESCE(s.import_action, 0) AS action,
CASE
WHEN s.code >= x'' THEN
CASE
WHEN NOT (instr(NULLIF(trim(s."code", ' \t\r
\xa0'), ''), char(0))
OR
CASE
WHEN NULLIF(trim(s."code", ' \t\r
\xa0'), '') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB))
ELSE 0 END) THEN NULLIF(trim(s."code", ' \t\r
\xa0'), '') END
ELSE
CASE
WHEN NOT (instr(s.code, char(0))
OR
CASE
WHEN s.code GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s.code AS BLOB))
ELSE 0 END) THEN s.code END END AS t_code,
CASE
WHEN s."name" >= x'' THEN
CASE
WHEN s."name" IS NOT NULL THEN
CASE trim(s."name", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."name", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."name", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."name", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."name", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."name", char(0))
OR
CASE
WHEN s."name" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."name" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."name" < '!'
OR s."name" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."name" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."name", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."name", ' \t\r
\xa0') END
ELSE trim(s."name", ' \t\r
\xa0') END AS "t_name",
CASE
WHEN s."mail" >= x'' THEN
CASE
WHEN s."mail" IS NOT NULL THEN
CASE trim(s."mail", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."mail", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."mail", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."mail", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."mail", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."mail", char(0))
OR
CASE
WHEN s."mail" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."mail" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."mail" < '!'
OR s."mail" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."mail" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."mail", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."mail", ' \t\r
\xa0') END
ELSE trim(s."mail", ' \t\r
\xa0') END AS "t_mail",
CASE
WHEN s."kind" >= x'' THEN
CASE
WHEN s."kind" IS NOT NULL THEN
CASE trim(s."kind", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."kind", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."kind", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."kind", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."kind", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."kind", char(0))
OR
CASE
WHEN s."kind" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."kind" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."kind" < '!'
OR s."kind" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."kind" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."kind", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."kind", ' \t\r
\xa0') END
ELSE trim(s."kind", ' \t\r
\xa0') END AS "t_kind",
CASE
WHEN s."size" >= x'' THEN
CASE
WHEN s."size" IS NOT NULL THEN
CASE trim(s."size", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."size", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."size", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."size", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."size", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."size", char(0))
OR
CASE
WHEN s."size" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."size" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."size" < '!'
OR s."size" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."size" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."size", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."size", ' \t\r
\xa0') END
ELSE trim(s."size", ' \t\r
\xa0') END AS "t_size",
CASE
WHEN s."staff" <> '-98765432101234567890'
AND CAST(CAST(s."staff" AS INTEGER) AS TEXT) = s."staff" THEN CAST(s."staff" AS INTEGER)
ELSE
CASE
WHEN s."staff" IS NOT NULL THEN
CASE trim(s."staff", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '-98765432101234567890' THEN x''
ELSE COALESCE(CASE
WHEN CAST(CAST(trim(s."staff", ' \t\r
\xa0') AS INTEGER) AS TEXT) = trim(s."staff", ' \t\r
\xa0') THEN CAST(trim(s."staff", ' \t\r
\xa0') AS INTEGER)
ELSE staging_integer(CAST(trim(s."staff", ' \t\r
\xa0') AS BLOB)) END,
CASE
WHEN length(trim(s."staff", ' \t\r
\xa0')) > 18
AND ltrim(ltrim(trim(s."staff", ' \t\r
\xa0'), '-'), '0123456789') = '' THEN x'02'
ELSE x'01' END) END END END AS "t_staff",
CASE
WHEN s."rent" <> '-98765432101234567890'
AND
CASE
WHEN s."rent" GLOB '[1-9]*.*[1-9]'
AND s."rent" NOT GLOB '*[^0-9.]*'
AND s."rent" NOT GLOB '*.*.*'
AND length(s."rent") <= 40
AND instr(s."rent", char(0)) = 0 THEN 1
ELSE CAST(CAST(s."rent" AS INTEGER) AS TEXT) = s."rent" END THEN s."rent"
ELSE
CASE
WHEN s."rent" IS NOT NULL THEN
CASE trim(s."rent", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '-98765432101234567890' THEN x''
ELSE COALESCE(CASE
WHEN
CASE
WHEN trim(s."rent", ' \t\r
\xa0') GLOB '[1-9]*.*[1-9]'
AND trim(s."rent", ' \t\r
\xa0') NOT GLOB '*[^0-9.]*'
AND trim(s."rent", ' \t\r
\xa0') NOT GLOB '*.*.*'
AND length(trim(s."rent", ' \t\r
\xa0')) <= 40
AND instr(trim(s."rent", ' \t\r
\xa0'), char(0)) = 0 THEN 1
ELSE CAST(CAST(trim(s."rent", ' \t\r
\xa0') AS INTEGER) AS TEXT) = trim(s."rent", ' \t\r
\xa0') END THEN trim(s."rent", ' \t\r
\xa0')
ELSE staging_decimal(CAST(trim(s."rent", ' \t\r
\xa0') AS BLOB)) END, x'01') END END END AS "t_rent",
CASE s."is_open"
WHEN '~NULL~' THEN x''
WHEN 'true' THEN 1
WHEN 'false' THEN 0
WHEN '1' THEN 1
WHEN '0' THEN 0
WHEN 'yes' THEN 1
WHEN 'no' THEN 0
ELSE
CASE
WHEN s."is_open" IS NOT NULL THEN
CASE trim(s."is_open", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN lower(trim(s."is_open", ' \t\r
\xa0')) IN ('true', '1', 'yes', 'y', 't') THEN 1
WHEN lower(trim(s."is_open", ' \t\r
\xa0')) IN ('false', '0', 'no', 'n', 'f') THEN 0 END, x'01') END END END AS "t_is_open",
CASE
WHEN s."opened" <> '5555-11-22T12:34:56'
AND date(s."opened", '+0 days') = s."opened"
AND s."opened" >= '0001' THEN s."opened"
ELSE
CASE
WHEN s."opened" IS NOT NULL THEN
CASE trim(s."opened", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '5555-11-22T12:34:56' THEN x''
ELSE COALESCE(CASE
WHEN date(trim(s."opened", ' \t\r
\xa0'), '+0 days') = trim(s."opened", ' \t\r
\xa0')
AND trim(s."opened", ' \t\r
\xa0') >= '0001' THEN trim(s."opened", ' \t\r
\xa0')
ELSE NULL END, x'01') END END END AS "t_opened",
CASE
WHEN s."closed" <> '5555-11-22T12:34:56'
AND date(s."closed", '+0 days') = s."closed"
AND s."closed" >= '0001' THEN s."closed"
ELSE
CASE
WHEN s."closed" IS NOT NULL THEN
CASE trim(s."closed", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '5555-11-22T12:34:56' THEN x''
ELSE COALESCE(CASE
WHEN date(trim(s."closed", ' \t\r
\xa0'), '+0 days') = trim(s."closed", ' \t\r
\xa0')
AND trim(s."closed", ' \t\r
\xa0') >= '0001' THEN trim(s."closed", ' \t\r
\xa0')
ELSE NULL END, x'01') END END END AS "t_closed",
CASE
WHEN s."seen" <> '5555-11-22T12:34:56'
AND datetime(s."seen", '+0 days') = replace(s."seen", 'T', ' ')
AND s."seen" >= '0001' THEN replace(s."seen", 'T', ' ') || '.000000'
ELSE
CASE
WHEN s."seen" IS NOT NULL THEN
CASE trim(s."seen", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '5555-11-22T12:34:56' THEN x''
ELSE COALESCE(CASE
WHEN datetime(trim(s."seen", ' \t\r
\xa0'), '+0 days') = replace(trim(s."seen", ' \t\r
\xa0'), 'T', ' ')
AND trim(s."seen", ' \t\r
\xa0') >= '0001' THEN replace(trim(s."seen", ' \t\r
\xa0'), 'T', ' ') || '.000000'
ELSE staging_instant(CAST(trim(s."seen", ' \t\r
\xa0') AS BLOB)) END, x'01') END END END AS "t_seen", NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS "s_parent", NULLIF(trim(s."twin", ' \t\r
\xa0'), '') AS "s_twin"
FROM "stg_part" s
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_2" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904)))) LIMIT -1 OFFSET 0) t
LEFT
JOIN "mdm_part" p ON p.code = t.code
LEFT
JOIN "mdm_area" "r_area" ON "r_area"."code" = t."s_area"
LEFT
JOIN "mdm_part" "r_parent" ON "r_parent"."code" = t."s_parent"
LEFT
JOIN "mdm_part" "r_twin" ON "r_twin"."code" = t."s_twin"
LEFT
JOIN (SELECT NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code, max(CASE
WHEN s.new_code IS NULL
OR (NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> ''
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')) IS NOT TRUE
OR COALESCE(s.import_action, 0) = 1
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')) THEN 1
ELSE 0 END) AS comes
FROM "stg_part" s
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_2" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904))))
AND (COALESCE(s.import_action, 0) NOT BETWEEN 2
AND 6)
GROUP BY 1) "b_parent" ON "b_parent"."code" = t."s_parent"
LEFT
JOIN (SELECT NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN count(*) = 1 THEN max(p.id) END AS id
FROM "stg_part" s
JOIN "mdm_part" p ON p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_2" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904))))
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_parent" ON "n_parent"."code" = t."s_parent"
LEFT
JOIN (SELECT NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code, max(CASE
WHEN s.new_code IS NULL
OR (NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> ''
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')) IS NOT TRUE
OR COALESCE(s.import_action, 0) = 1
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')) THEN 1
ELSE 0 END) AS comes
FROM "stg_part" s
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_2" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904))))
AND (COALESCE(s.import_action, 0) NOT BETWEEN 2
AND 6)
GROUP BY 1) "b_twin" ON "b_twin"."code" = t."s_twin"
LEFT
JOIN (SELECT NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN count(*) = 1 THEN max(p.id) END AS id
FROM "stg_part" s
JOIN "mdm_part" p ON p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_2" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904))))
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_twin" ON "n_twin"."code" = t."s_twin" LIMIT -1 OFFSET 0) j;

-- 304 worktable: create_table
CREATE TABLE temp."work_3_again" ("code" TEXT);

-- 305 duplicates: find_duplicates
INSERT INTO temp."work_3_again" (code)
SELECT w.code
FROM temp."work_3" w
WHERE w.code IS NOT NULL
GROUP BY w.code HAVING count(*) > 1;

-- 306 worktable: create_table
CREATE TABLE temp."work_3_twice" ("code" TEXT, "kept" bigint, "alike" smallint);

-- 307 duplicates: compare_duplicates
INSERT INTO temp."work_3_twice" (code, kept, alike)
SELECT w.code, min(w.row_id),
CASE
WHEN count(DISTINCT COALESCE(s.import_action, 0)) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."new_code", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."name", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."mail", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."kind", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."size", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."staff", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."rent", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."is_open", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."opened", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."closed", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."seen", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."area", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."parent", ' \t\r
\xa0'), ''), '')) = 1
AND count(DISTINCT COALESCE(NULLIF(trim(s."twin", ' \t\r
\xa0'), ''), '')) = 1 THEN 1
ELSE 0 END
FROM temp."work_3" w
JOIN "stg_part" s ON s.id = w.row_id
WHERE w.code IN (SELECT a.code
FROM temp."work_3_again" a)
GROUP BY w.code;

-- 308 duplicates: supersede
UPDATE temp."work_3" AS w
SET outcome = 5, error = 0, message = NULL
FROM temp."work_3_twice" d
WHERE w.code = d.code
AND w.row_id <> d.kept
AND w.outcome < 8
AND d.alike = 1;

-- 309 reject: say
UPDATE temp."work_3" AS w
SET outcome = 4, error = w.error | 2, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('code: ''' || staging_shown(CAST(w.code AS BLOB)) || ''' is in more than one row of the batch.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.code IN (SELECT d.code
FROM temp."work_3_twice" d
WHERE d.alike = 0));

-- 310 order: special
SELECT COALESCE(max(CASE
WHEN (w.action BETWEEN 3
AND 6) THEN 1
ELSE 0 END), 0), count(w.new_code), COALESCE(max(CASE
WHEN w.outcome = 5 THEN 1
ELSE 0 END), 0)
FROM temp."work_3" w;

-- 311 removals: forget_values
UPDATE temp."work_3" AS w
SET waits = 0, "l_parent" = NULL, "l_twin" = NULL, "v_name" = NULL, "v_mail" = NULL, "v_kind" = NULL, "v_size" = NULL, "v_staff" = NULL, "v_rent" = NULL, "v_is_open" = NULL, "v_opened" = NULL, "v_closed" = NULL, "v_seen" = NULL, "v_area" = NULL, "v_parent" = NULL, "v_twin" = NULL
WHERE (w.action BETWEEN 3
AND 6);

-- 312 removals: keep_values
UPDATE temp."work_3" AS w
SET "v_name" = p."name", "v_mail" = p."mail", "v_kind" = p."kind", "v_size" = p."size", "v_staff" = p."staff", "v_rent" = p."rent", "v_is_open" = p."is_open", "v_opened" = p."opened", "v_closed" = p."closed", "v_seen" = p."seen", "v_area" = p."area", "v_parent" = p."parent", "v_twin" = p."twin"
FROM "mdm_part" p
WHERE (w.action BETWEEN 3
AND 6)
AND p.id = w.target_id;

-- 313 worktable: create_table
CREATE TABLE temp."work_3_removed" ("id" bigint, "code" TEXT, "action" smallint, "active" smallint);

-- 314 removals: find_candidates
INSERT INTO temp."work_3_removed" (id, code, action, active)
SELECT p.id, p.code, w.action,
CASE
WHEN p.is_active THEN 1
ELSE 0 END
FROM temp."work_3" w
JOIN "mdm_part" p ON p.id = w.target_id
WHERE (w.action BETWEEN 3
AND 6)
AND w.outcome IN (3, 6, 7)
AND (w.action <> 3
OR w.outcome <> 3);

-- 315 second_look: lose_a_reference
SELECT w.row_id
FROM temp."work_3" w
JOIN "mdm_part" p ON p.id = w.target_id
WHERE NOT (w.action BETWEEN 3
AND 6)
AND (p."parent" IN (SELECT g.id
FROM temp."work_3_removed" g
WHERE g.action IN (5, 6))
OR p."twin" IN (SELECT g.id
FROM temp."work_3_removed" g
WHERE g.action IN (5, 6))) LIMIT 1;
-- 316 is 295;

-- 317 second_look: refer_to_who_goes
SELECT s.id
FROM "stg_part" s
JOIN temp."work_3_removed" g ON g.code = NULLIF(trim(s."parent", ' \t\r
\xa0'), '')
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_2" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904))))
AND NOT (COALESCE(s.import_action, 0) BETWEEN 3
AND 6)
AND g.active = 1
AND NULLIF(trim(s."parent", ' \t\r
\xa0'), '') <> '~NULL~' LIMIT 1;
-- 318 is 295;

-- 319 second_look: refer_to_who_goes
SELECT s.id
FROM "stg_part" s
JOIN temp."work_3_removed" g ON g.code = NULLIF(trim(s."twin", ' \t\r
\xa0'), '')
WHERE ((s.import_status = 0
AND s.id IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904)))
OR (s.import_status IN (1, 2)
AND s.id IN (SELECT k.row_id
FROM main."work_2" k)
AND s.id NOT IN (SELECT k.row_id
FROM main."work_2" k
WHERE k."outcome" < 8
AND (k."seq" BETWEEN 1
AND 5
OR k."seq" BETWEEN 11
AND 4611686018427387904))))
AND NOT (COALESCE(s.import_action, 0) BETWEEN 3
AND 6)
AND g.active = 1
AND NULLIF(trim(s."twin", ' \t\r
\xa0'), '') <> '~NULL~' LIMIT 1;

-- 320 reject: say
UPDATE temp."work_3" AS w
SET outcome = 4, error = w.error | 512, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('new_code: ''' || staging_shown(CAST(w.new_code AS BLOB)) || ''' is wanted by another row of the batch.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.new_code IN (SELECT o.code
FROM temp."work_3" o
WHERE o.target_id IS NULL
AND o.action IN (0, 1)
AND o.new_code IS NULL
AND o.code IS NOT NULL
AND o.outcome <> 5)
OR w.new_code IN (SELECT o.new_code
FROM temp."work_3" o
WHERE o.new_code IS NOT NULL
AND o.outcome <> 5
GROUP BY o.new_code HAVING count(*) > 1));

-- 321 reject: say
UPDATE temp."work_3" AS w
SET outcome = 4, error = w.error | 8192, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Rule: this does not hold: opened is at most closed (' || staging_shown(CAST('opened: ' || COALESCE(CAST(w."v_opened" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND (TRUE
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND (w."v_closed" IS NOT NULL)
AND NOT COALESCE((NOT (w."v_closed" < w."v_opened")), FALSE));

-- 322 reject: say
UPDATE temp."work_3" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((TRUE
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND TRUE
AND NOT COALESCE((NOT (w."v_staff" < 1)), FALSE))
AND (w.message IS NULL
OR replace(w.message, ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').'), '') = w.message));

-- 323 worktable: create_table
CREATE TABLE temp."work_3_edges" ("row_id" bigint, "target" bigint, "field" bigint, "gives" bigint, "firm" bigint);

-- 324 worktable: create_table
CREATE TABLE temp."work_3_lost" ("row_id" bigint, "field" bigint, "firm" bigint, "round" bigint);

-- 325 cascade: find_references
INSERT INTO temp."work_3_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, COALESCE(o.row_id, n.row_id), 0, -3, 1
FROM temp."work_3" w
LEFT
JOIN temp."work_3" o ON o.code = w."l_parent"
AND NOT (o.action = 2
OR (o.action BETWEEN 3
AND 6))
AND o.outcome IN (1, 2, 3)
LEFT
JOIN (SELECT x.row_id, x.new_code
FROM temp."work_3" x
JOIN "mdm_part" p ON p.id = x.target_id
WHERE x.new_code IS NOT NULL
AND x.outcome = 2
AND (p.is_active
OR x.action = 0)) n ON n.new_code = w."l_parent"
WHERE w."l_parent" IS NOT NULL
AND (w."l_parent" = w.code) IS NOT TRUE
AND (w."l_parent" = w.new_code
AND EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.id = w.target_id
AND (p.is_active
OR w.action = 0))) IS NOT TRUE;

-- 326 cascade: find_references
INSERT INTO temp."work_3_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, COALESCE(o.row_id, n.row_id), 1, 1001, 0
FROM temp."work_3" w
LEFT
JOIN temp."work_3" o ON o.code = w."l_twin"
AND NOT (o.action = 2
OR (o.action BETWEEN 3
AND 6))
AND o.outcome IN (1, 2, 3)
LEFT
JOIN (SELECT x.row_id, x.new_code
FROM temp."work_3" x
JOIN "mdm_part" p ON p.id = x.target_id
WHERE x.new_code IS NOT NULL
AND x.outcome = 2
AND (p.is_active
OR x.action = 0)) n ON n.new_code = w."l_twin"
WHERE w."l_twin" IS NOT NULL
AND (w."l_twin" = w.code) IS NOT TRUE
AND (w."l_twin" = w.new_code
AND EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.id = w.target_id
AND (p.is_active
OR w.action = 0))) IS NOT TRUE;

-- 327 cascade: find_holders
INSERT INTO temp."work_3_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, -1, -3, 1
FROM temp."work_3" w
JOIN "mdm_part" p ON p.code = w.new_code
LEFT
JOIN temp."work_3" o ON o.target_id = p.id
AND o.new_code IS NOT NULL
AND o.outcome = 2
WHERE w.new_code IS NOT NULL
AND w.outcome NOT IN (5, 8, 9);

-- 328 worktable: create_index
CREATE INDEX temp."work_3_edges_target" ON "work_3_edges" ("target");

-- 329 cascade: find_lost
INSERT INTO temp."work_3_lost" (row_id, field, firm, round) WITH RECURSIVE lost (row_id, field, gives, firm) AS (SELECT e.row_id, e.field, e.gives, e.firm
FROM temp."work_3_edges" e
WHERE e.target IS NULL
UNION
SELECT e.row_id, e.field, e.gives, e.firm
FROM lost l
JOIN temp."work_3_edges" e ON e.target = l.row_id
WHERE l.firm = 1
OR e.field = l.gives)
SELECT DISTINCT l.row_id, l.field, l.firm, 1
FROM lost l
WHERE NOT EXISTS (SELECT 1
FROM temp."work_3_lost" before
WHERE before.row_id = l.row_id
AND before.field = l.field);

-- 330 reject: say
UPDATE temp."work_3" AS w
SET outcome = 4, error = w.error | 16384, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('parent: ''' || staging_shown(CAST(w."l_parent" AS BLOB)) || ''' is a row of this batch that was rejected.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_3_lost" l
WHERE l.field = 0
AND l.round = 1));

-- 331 reject: say
UPDATE temp."work_3" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: twin: ''' || staging_shown(CAST(w."l_twin" AS BLOB)) || ''' is a row of this batch that was rejected.')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_3_lost" l
WHERE l.field = 1
AND l.round = 1))
AND (w.message IS NULL
OR replace(w.message, ('Warning: twin: ''' || staging_shown(CAST(w."l_twin" AS BLOB)) || ''' is a row of this batch that was rejected.'), '') = w.message));

-- 332 reject: skip_field
UPDATE temp."work_3" AS w
SET "v_twin" = NULL, "l_twin" = NULL, waits = (w.waits & ~2)
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_3_lost" l
WHERE l.field = 1
AND l.round = 1))
AND w.target_id IS NULL;

-- 333 reject: skip_field
UPDATE temp."work_3" AS w
SET "v_twin" = p."twin", "l_twin" = NULL, waits = (w.waits & ~2), outcome =
CASE
WHEN w.outcome = 2
AND ((w.waits & ~2) = 0
AND w.new_code IS NULL
AND (p.is_active
OR w.action = 2)
AND (((((w."v_name" IS p."name")
AND (w."v_mail" IS p."mail"))
AND ((w."v_kind" IS p."kind")
AND (w."v_size" IS p."size")))
AND (((w."v_staff" IS p."staff")
AND (w."v_rent" IS p."rent"))
AND ((w."v_is_open" IS p."is_open")
AND (w."v_opened" IS p."opened"))))
AND (((w."v_closed" IS p."closed")
AND (w."v_seen" IS p."seen"))
AND ((w."v_area" IS p."area")
AND (w."v_parent" IS p."parent"))))) THEN 3
ELSE w.outcome END
FROM "mdm_part" p
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_3_lost" l
WHERE l.field = 1
AND l.round = 1))
AND p.id = w.target_id;

-- 334 reject: say
UPDATE temp."work_3" AS w
SET outcome = 4, error = w.error | 512, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('new_code: ''' || staging_shown(CAST(w.new_code AS BLOB)) || ''' is the code of another member.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_3_lost" l
WHERE l.field = -1
AND l.round = 1));

-- 335 reject: say
UPDATE temp."work_3" AS w
SET outcome = 4, error = w.error | 4096, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('mail: ''' || staging_shown(CAST(w."v_mail" AS BLOB)) || ''' is taken by another member or row.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_3_lost" l
WHERE l.field = 1000
AND l.round = 1));

-- 336 reject: say
UPDATE temp."work_3" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: twin: ''' || staging_shown(CAST(COALESCE((SELECT r.code
FROM "mdm_part" r
WHERE r.id = w."v_twin"), w."l_twin") AS BLOB)) || ''' is taken by another member or row.')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_3_lost" l
WHERE l.field = 1001
AND l.round = 1))
AND (w.message IS NULL
OR replace(w.message, ('Warning: twin: ''' || staging_shown(CAST(COALESCE((SELECT r.code
FROM "mdm_part" r
WHERE r.id = w."v_twin"), w."l_twin") AS BLOB)) || ''' is taken by another member or row.'), '') = w.message));

-- 337 reject: skip_field
UPDATE temp."work_3" AS w
SET "v_twin" = NULL, "l_twin" = NULL, waits = (w.waits & ~2)
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_3_lost" l
WHERE l.field = 1001
AND l.round = 1))
AND w.target_id IS NULL;

-- 338 reject: skip_field
UPDATE temp."work_3" AS w
SET "v_twin" = p."twin", "l_twin" = NULL, waits = (w.waits & ~2), outcome =
CASE
WHEN w.outcome = 2
AND ((w.waits & ~2) = 0
AND w.new_code IS NULL
AND (p.is_active
OR w.action = 2)
AND (((((w."v_name" IS p."name")
AND (w."v_mail" IS p."mail"))
AND ((w."v_kind" IS p."kind")
AND (w."v_size" IS p."size")))
AND (((w."v_staff" IS p."staff")
AND (w."v_rent" IS p."rent"))
AND ((w."v_is_open" IS p."is_open")
AND (w."v_opened" IS p."opened"))))
AND (((w."v_closed" IS p."closed")
AND (w."v_seen" IS p."seen"))
AND ((w."v_area" IS p."area")
AND (w."v_parent" IS p."parent"))))) THEN 3
ELSE w.outcome END
FROM "mdm_part" p
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_3_lost" l
WHERE l.field = 1001
AND l.round = 1))
AND p.id = w.target_id;

-- 339 reject: say
UPDATE temp."work_3" AS w
SET outcome = 4, error = w.error | 8192, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Rule: this does not hold: opened is at most closed (' || staging_shown(CAST('opened: ' || COALESCE(CAST(w."v_opened" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_3_lost" l
WHERE l.firm = 0
AND l.round = 1)
AND w.error = 0
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND (w."v_closed" IS NOT NULL)
AND NOT COALESCE((NOT (w."v_closed" < w."v_opened")), FALSE));

-- 340 reject: say
UPDATE temp."work_3" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_3_lost" l
WHERE l.firm = 0
AND l.round = 1)
AND w.error = 0
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND TRUE
AND NOT COALESCE((NOT (w."v_staff" < 1)), FALSE))
AND (w.message IS NULL
OR replace(w.message, ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').'), '') = w.message));

-- 341 worktable: create_table
CREATE TABLE temp."work_3_u0" ("row_id" bigint, "taken" TEXT);

-- 342 unique: find_new_values
INSERT INTO temp."work_3_u0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM temp."work_3" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_mail" IS p."mail");

-- 343 worktable: create_table
CREATE TABLE temp."work_3_u1" ("row_id" bigint, "taken" INTEGER);

-- 344 unique: find_new_values
INSERT INTO temp."work_3_u1" (row_id, taken)
SELECT w.row_id, w."v_twin"
FROM temp."work_3" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_twin" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_twin" IS p."twin");

-- 345 worktable: create_table
CREATE TABLE temp."work_3_m1" ("row_id" bigint, "taken" TEXT);

-- 346 unique: find_newcomers
INSERT INTO temp."work_3_m1" (row_id, taken)
SELECT w.row_id, w."l_twin"
FROM temp."work_3" w
WHERE w.outcome IN (1, 2, 3)
AND (w.waits & 2) <> 0;

-- 347 worktable: create_table
CREATE TABLE temp."work_3_r1" ("row_id" bigint, "taken" INTEGER);

-- 348 unique: find_new_values
INSERT INTO temp."work_3_r1" (row_id, taken)
SELECT w.row_id,
CASE
WHEN w.target_id IS NOT NULL
AND w.new_code = w."l_twin"
AND (w.action = 0
OR w.action = 2
AND p.is_active) THEN
CASE
WHEN EXISTS (SELECT 1
FROM temp."work_3" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_3" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_3" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END
FROM temp."work_3" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE
CASE
WHEN w.target_id IS NOT NULL
AND w.new_code = w."l_twin"
AND (w.action = 0
OR w.action = 2
AND p.is_active) THEN
CASE
WHEN EXISTS (SELECT 1
FROM temp."work_3" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_3" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_3" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END IS NOT NULL
AND w.outcome = 4
AND w.error & 4096 = 0
AND NOT (CASE
WHEN w.target_id IS NOT NULL
AND w.new_code = w."l_twin"
AND (w.action = 0
OR w.action = 2
AND p.is_active) THEN
CASE
WHEN EXISTS (SELECT 1
FROM temp."work_3" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_3" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_3" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END IS p."twin");

-- 349 worktable: create_table
CREATE TABLE temp."work_3_s1" ("row_id" bigint);

-- 350 unique: find_sharers
INSERT INTO temp."work_3_s1" (row_id)
SELECT w.row_id
FROM temp."work_3" w
WHERE w.outcome = 4
AND w.error & 4096 = 0
AND (w."v_twin" IS NULL
OR w."v_twin" = w.target_id
AND w.new_code = w."l_twin")
AND w."l_twin" IN (SELECT o."l_twin"
FROM temp."work_3" o
WHERE o.outcome IN (1, 2)
AND (o.waits & 2) <> 0);

-- 351 worktable: create_table
CREATE TABLE temp."work_3_r0" ("row_id" bigint, "taken" TEXT);

-- 352 unique: find_new_values
INSERT INTO temp."work_3_r0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM temp."work_3" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome = 4
AND w.error & 4096 = 0
AND NOT (w."v_mail" IS p."mail");

-- 353 worktable: create_index
CREATE INDEX temp."work_3_r0_taken" ON "work_3_r0" ("taken");

-- 354 reject: say
UPDATE temp."work_3" AS w
SET outcome = 4, error = w.error | 4096, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('mail: ''' || staging_shown(CAST(w."v_mail" AS BLOB)) || ''' is taken by another member or row.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT n.row_id
FROM temp."work_3_r0" n
WHERE n.taken IN (SELECT p."mail"
FROM "mdm_part" p
LEFT
JOIN temp."work_3" o ON o.target_id = p.id
AND o.outcome = 2
WHERE p."mail" IS NOT NULL
AND p.id NOT IN (SELECT g.id
FROM temp."work_3_removed" g
WHERE g.action IN (4, 6))
AND (o.row_id IS NULL
OR (o."v_mail" IS p."mail")))
OR n.taken IN (SELECT o."v_mail"
FROM temp."work_3" o
WHERE o.outcome IN (1, 2)
AND o."v_mail" IS NOT NULL)));

-- 355 worktable: create_table
CREATE TABLE temp."work_3_traders" ("row_id" bigint);

-- 356 order: find_traders
INSERT INTO temp."work_3_traders" (row_id)
SELECT e."row_id"
FROM temp."work_3_edges" e
JOIN temp."work_3" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 357 order: find_traders
INSERT INTO temp."work_3_traders" (row_id)
SELECT e."target"
FROM temp."work_3_edges" e
JOIN temp."work_3" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 358 order: some_wait
SELECT 1
FROM temp."work_3" w
WHERE w.waits <> 0 LIMIT 1;

-- 359 order: put
UPDATE temp."work_3" AS w
SET turn = 1, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_3") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_3" w
WHERE w.waits <> 0
AND w.new_code IS NULL
AND w.outcome IN (1, 2)) moved
WHERE moved.row_id = w.row_id;

-- 360 order: put
UPDATE temp."work_3" AS w
SET turn = 2, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_3") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_3" w
WHERE w.outcome IN (1, 2)
AND (w.new_code IS NOT NULL)) moved
WHERE moved.row_id = w.row_id;

-- 361 order: put
UPDATE temp."work_3" AS w
SET turn = -1, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_3") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_3" w
WHERE w.outcome IN (6, 7)) moved
WHERE moved.row_id = w.row_id;

-- 362 order: put
UPDATE temp."work_3" AS w
SET turn = -2, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_3") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_3" w
WHERE w.outcome = 4) moved
WHERE moved.row_id = w.row_id;

-- 363 classify: settled
SELECT count(*)
FROM temp."work_3" w
WHERE w.outcome IN (8, 9);

-- 364 worktable: create_table
CREATE TABLE main."work_3" ("seq" INTEGER PRIMARY KEY, "row_id" bigint, "code" TEXT, "action" smallint, "new_code" TEXT, "target_id" bigint, "outcome" smallint, "turn" smallint, "waits" bigint, "error" bigint, "message" TEXT, "v_name" TEXT, "v_mail" TEXT, "v_kind" TEXT, "v_size" TEXT, "v_staff" INTEGER, "v_rent" TEXT, "v_is_open" INTEGER, "v_opened" TEXT, "v_closed" TEXT, "v_seen" TEXT, "v_area" INTEGER, "v_parent" INTEGER, "v_twin" INTEGER, "l_parent" TEXT, "l_twin" TEXT, "raw" TEXT);

-- 365 decisions: last_number
SELECT COALESCE(max(seq), 0)
FROM temp."work_3";

-- 366 decisions: copy_decisions
INSERT INTO main."work_3" ("seq", "row_id", "code", "action", "new_code", "target_id", "outcome", "turn", "waits", "error", "message", "v_name", "v_mail", "v_kind", "v_size", "v_staff", "v_rent", "v_is_open", "v_opened", "v_closed", "v_seen", "v_area", "v_parent", "v_twin", "l_parent", "l_twin", raw)
SELECT w."seq", w."row_id", w."code", w."action", w."new_code", w."target_id", w."outcome", w."turn", w."waits", w."error", w."message", w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", w."l_parent", w."l_twin", quote(s."code") || ',' || quote(s."new_code") || ',' || quote(s."import_action") || ',' || quote(s."name") || ',' || quote(s."mail") || ',' || quote(s."kind") || ',' || quote(s."size") || ',' || quote(s."staff") || ',' || quote(s."rent") || ',' || quote(s."is_open") || ',' || quote(s."opened") || ',' || quote(s."closed") || ',' || quote(s."seen") || ',' || quote(s."area") || ',' || quote(s."parent") || ',' || quote(s."twin")
FROM temp."work_3" w
LEFT
JOIN "stg_part" s ON s.id = w.row_id
WHERE w.seq BETWEEN 1
AND 50000;

-- 367 decisions: create_done
CREATE TABLE main."work_3_done" (first bigint, last bigint);

-- 368
SELECT name
FROM sqlite_temp_master
WHERE type = 'table'
AND name LIKE 'work_3%' ESCAPE '\';

-- 369 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3";

-- 370 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_again";

-- 371 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_twice";

-- 372 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_removed";

-- 373 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_edges";

-- 374 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_lost";

-- 375 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_u0";

-- 376 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_u1";

-- 377 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_m1";

-- 378 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_r1";

-- 379 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_s1";

-- 380 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_r0";

-- 381 worktable: drop_table
DROP TABLE IF EXISTS temp."work_3_traders";

-- 382
SELECT name
FROM main.sqlite_master
WHERE type = 'table'
AND name LIKE 'work_2%' ESCAPE '\';

-- 383 worktable: drop_table
DROP TABLE IF EXISTS main."work_2";

-- 384 worktable: drop_table
DROP TABLE IF EXISTS main."work_2_done";

-- 385 order: last_turn
SELECT w.turn, (SELECT min(first.seq)
FROM main."work_3" first), w.seq
FROM main."work_3" w
ORDER BY w.seq DESC LIMIT 1;

-- 386 order: turns
SELECT COALESCE(w.turn, 0), min(w.seq), max(w.seq)
FROM main."work_3" w
GROUP BY 1;

-- 387 decisions: stretches_done
SELECT first, last
FROM main."work_3_done"
WHERE last >= 30
AND first <= 33
ORDER BY first;

-- 388 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_3" w
WHERE w.seq BETWEEN 30
AND 33
AND w.outcome < 8
GROUP BY w.outcome;

-- 389 merge: mark_staged
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
FROM main."work_3" w
WHERE w.seq BETWEEN 30
AND 33
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 390 decisions: settle_chunk
INSERT INTO main."work_3_done" (first, last)
VALUES (30, 33);

-- 391 decisions: stretches_done
SELECT first, last
FROM main."work_3_done"
WHERE last >= 1
AND first <= 0
ORDER BY first;

-- 392 decisions: stretches_done
SELECT first, last
FROM main."work_3_done"
WHERE last >= 8
AND first <= 26
ORDER BY first;

-- 393 decisions: settle_chunk
INSERT INTO main."work_3_done" (first, last)
VALUES (8, 12);

-- 394 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_3" w
WHERE w.seq BETWEEN 8
AND 12
AND w.outcome < 8
GROUP BY w.outcome;

-- 395 merge: mark_staged
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
FROM main."work_3" w
WHERE w.seq BETWEEN 8
AND 12
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 396 members: resolve
UPDATE main."work_3" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 8
AND 12
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 397 members: resolve
UPDATE main."work_3" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 8
AND 12
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 398 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-02 12:00:00.000000', 9205, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 8
AND 12
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 399 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-02 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 8
AND 12
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_3" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 400 members: count_existing
SELECT count(w.target_id)
FROM main."work_3" w
WHERE w.seq BETWEEN 8
AND 12
AND w.outcome IN (1, 2);
-- 401 is in_one_transaction 146;

-- 402 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-02 12:00:00.000000', '2026-03-02 12:00:00.000000', 910, 910
FROM main."work_3" w
WHERE w.seq BETWEEN 8
AND 12
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 403 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-02 12:00:00.000000', 'unknown', 9205
FROM "mdm_part" born
WHERE born.id > 11;

-- 404 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-02 12:00:00.000000', 9205, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 8
AND 12
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 405 decisions: settle_chunk
INSERT INTO main."work_3_done" (first, last)
VALUES (13, 17);

-- 406 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_3" w
WHERE w.seq BETWEEN 13
AND 17
AND w.outcome < 8
GROUP BY w.outcome;

-- 407 merge: mark_staged
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
FROM main."work_3" w
WHERE w.seq BETWEEN 13
AND 17
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 408 members: resolve
UPDATE main."work_3" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 13
AND 17
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 409 members: resolve
UPDATE main."work_3" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 13
AND 17
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 410 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-02 12:00:00.000000', 9206, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 13
AND 17
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 411 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-02 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 13
AND 17
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_3" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 412 members: count_existing
SELECT count(w.target_id)
FROM main."work_3" w
WHERE w.seq BETWEEN 13
AND 17
AND w.outcome IN (1, 2);
-- 413 is in_one_transaction 146;

-- 414 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-02 12:00:00.000000', '2026-03-02 12:00:00.000000', 910, 910
FROM main."work_3" w
WHERE w.seq BETWEEN 13
AND 17
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 415 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-02 12:00:00.000000', 'unknown', 9206
FROM "mdm_part" born
WHERE born.id > 13;

-- 416 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-02 12:00:00.000000', 9206, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 13
AND 17
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 417 decisions: settle_chunk
INSERT INTO main."work_3_done" (first, last)
VALUES (18, 22);

-- 418 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_3" w
WHERE w.seq BETWEEN 18
AND 22
AND w.outcome < 8
GROUP BY w.outcome;

-- 419 merge: mark_staged
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
FROM main."work_3" w
WHERE w.seq BETWEEN 18
AND 22
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 420 members: resolve
UPDATE main."work_3" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 18
AND 22
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 421 members: resolve
UPDATE main."work_3" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 18
AND 22
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 422 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-02 12:00:00.000000', 9207, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 18
AND 22
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 423 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-02 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 18
AND 22
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_3" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 424 members: count_existing
SELECT count(w.target_id)
FROM main."work_3" w
WHERE w.seq BETWEEN 18
AND 22
AND w.outcome IN (1, 2);
-- 425 is in_one_transaction 146;

-- 426 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-02 12:00:00.000000', '2026-03-02 12:00:00.000000', 910, 910
FROM main."work_3" w
WHERE w.seq BETWEEN 18
AND 22
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 427 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-02 12:00:00.000000', 'unknown', 9207
FROM "mdm_part" born
WHERE born.id > 13;

-- 428 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-02 12:00:00.000000', 9207, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 18
AND 22
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 429 decisions: settle_chunk
INSERT INTO main."work_3_done" (first, last)
VALUES (23, 26);

-- 430 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_3" w
WHERE w.seq BETWEEN 23
AND 26
AND w.outcome < 8
GROUP BY w.outcome;

-- 431 merge: mark_staged
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
FROM main."work_3" w
WHERE w.seq BETWEEN 23
AND 26
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 432 members: resolve
UPDATE main."work_3" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 23
AND 26
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 433 members: resolve
UPDATE main."work_3" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 23
AND 26
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 434 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-02 12:00:00.000000', 9208, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 23
AND 26
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 435 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-02 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 23
AND 26
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_3" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 436 members: count_existing
SELECT count(w.target_id)
FROM main."work_3" w
WHERE w.seq BETWEEN 23
AND 26
AND w.outcome IN (1, 2);
-- 437 is in_one_transaction 146;

-- 438 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-02 12:00:00.000000', '2026-03-02 12:00:00.000000', 910, 910
FROM main."work_3" w
WHERE w.seq BETWEEN 23
AND 26
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 439 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-02 12:00:00.000000', 'unknown', 9208
FROM "mdm_part" born
WHERE born.id > 13;

-- 440 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-02 12:00:00.000000', 9208, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 23
AND 26
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 441 decisions: stretches_done
SELECT first, last
FROM main."work_3_done"
WHERE last >= 27
AND first <= 29
ORDER BY first;

-- 442 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 0, '2026-03-02 12:00:00.000000', '2026-03-02 12:00:00.000000', 910, 910
FROM main."work_3" w
WHERE w.seq BETWEEN 27
AND 29
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 443 members: note_ids
UPDATE main."work_3" AS w
SET target_id = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 27
AND 29
AND w.outcome = 1
AND w.target_id IS NULL
AND p.code = w.code;

-- 444 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM main."work_3" w
WHERE w.seq BETWEEN 27
AND 29
AND w.outcome < 8
GROUP BY w.outcome;

-- 445 merge: mark_staged
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
FROM main."work_3" w
WHERE w.seq BETWEEN 27
AND 29
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 446 members: resolve
UPDATE main."work_3" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 27
AND 29
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 447 members: resolve
UPDATE main."work_3" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 27
AND 29
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 448 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-02 12:00:00.000000', 9209, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 27
AND 29
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 449 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-02 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 27
AND 29
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_3" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 450 members: count_existing
SELECT count(w.target_id)
FROM main."work_3" w
WHERE w.seq BETWEEN 27
AND 29
AND w.outcome IN (1, 2);

-- 451 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "mail" = w."v_mail", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", "area" = w."v_area", "parent" = w."v_parent", "twin" = w."v_twin", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-02 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 27
AND 29
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN main."work_3" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND NOT (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));
-- 452 is in_one_transaction 146;

-- 453 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-02 12:00:00.000000', '2026-03-02 12:00:00.000000', 910, 910
FROM main."work_3" w
WHERE w.seq BETWEEN 27
AND 29
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 454 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-02 12:00:00.000000', 'unknown', 9209
FROM "mdm_part" born
WHERE born.id > 16;

-- 455 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-02 12:00:00.000000', 9209, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM main."work_3" w
WHERE w.seq BETWEEN 27
AND 29
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 456 decisions: settle_chunk
INSERT INTO main."work_3_done" (first, last)
VALUES (27, 29);
-- 457 is 391;

-- 458
SELECT name
FROM main.sqlite_master
WHERE type = 'table'
AND name LIKE 'work_3%' ESCAPE '\';

-- 459 worktable: drop_table
DROP TABLE IF EXISTS main."work_3";

-- 460 worktable: drop_table
DROP TABLE IF EXISTS main."work_3_done";
-- 461 is in_one_transaction 3;

-- 462 worktable: create_table
CREATE TABLE temp."work_4" ("seq" INTEGER PRIMARY KEY, "row_id" bigint, "code" TEXT, "action" smallint, "new_code" TEXT, "target_id" bigint, "outcome" smallint, "turn" smallint, "waits" bigint, "error" bigint, "message" TEXT, "v_name" TEXT, "v_mail" TEXT, "v_kind" TEXT, "v_size" TEXT, "v_staff" INTEGER, "v_rent" TEXT, "v_is_open" INTEGER, "v_opened" TEXT, "v_closed" TEXT, "v_seen" TEXT, "v_area" INTEGER, "v_parent" INTEGER, "v_twin" INTEGER, "l_parent" TEXT, "l_twin" TEXT);

-- 463 classify: classify
INSERT INTO temp."work_4" ("row_id", "code", "action", "new_code", "target_id", "outcome", "waits", "error", "message", "v_name", "v_mail", "v_kind", "v_size", "v_staff", "v_rent", "v_is_open", "v_opened", "v_closed", "v_seen", "v_area", "v_parent", "v_twin", "l_parent", "l_twin")
SELECT j."row_id", j."code", j."action", j."new_code", j."target_id",
CASE
WHEN j.status = 1 THEN 8
WHEN j.status <> 0 THEN 9
WHEN ((j.x_0 & 2147469311) <> 0) THEN 4
WHEN j.removal <> 0 THEN j.removal
WHEN j.target_id IS NULL
OR j.begun = 1 THEN 1
WHEN j.changes = 1
OR (j."w_parent" | j."w_twin") <> 0 THEN 2
ELSE 3 END, (j."w_parent" | j."w_twin"),
CASE
WHEN ((j.x_0 & 2147469311) <> 0) THEN ((((CASE
WHEN j.x_0 & 1 <> 0 THEN 1
ELSE 0 END |
CASE
WHEN j.x_0 & 215171874 <> 0 THEN 8
ELSE 0 END) | (CASE
WHEN j.x_0 & 19694660 <> 0 THEN 16
ELSE 0 END |
CASE
WHEN j.x_0 & 8 <> 0 THEN 128
ELSE 0 END)) | ((CASE
WHEN j.x_0 & 16 <> 0 THEN 64
ELSE 0 END |
CASE
WHEN j.x_0 & 128 <> 0 THEN 1024
ELSE 0 END) | (CASE
WHEN j.x_0 & 33554432 <> 0 THEN 2048
ELSE 0 END |
CASE
WHEN j.x_0 & 268435456 <> 0 THEN 4
ELSE 0 END))) |
CASE
WHEN j.x_0 & 1610612736 <> 0 THEN 32
ELSE 0 END)
ELSE 0 END,
CASE
WHEN (j."x_0" <> 0) THEN (SELECT rtrim((((((CASE
WHEN j.x_0 & 1 <> 0 THEN 'code is missing.' || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 4 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is longer than 500 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' does not exist.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 16 <> 0 THEN ('code: ''' || staging_shown(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB)) || ''' exists already.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 32 <> 0 THEN ('new_code: ''' || staging_shown(CAST(NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 64 <> 0 THEN ('new_code: ''' || staging_shown(CAST(NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS BLOB)) || ''' is longer than 500 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 128 <> 0 THEN ('import_action: ''' || staging_shown(CAST(COALESCE(s.import_action, 0) AS BLOB)) || ''' is not an import action.') || ' '
ELSE '' END))) || (((CASE
WHEN j.x_0 & 256 <> 0 THEN ('name: ''' || staging_shown(CAST(NULLIF(trim(s."name", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 512 <> 0 THEN ('mail: ''' || staging_shown(CAST(NULLIF(trim(s."mail", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 1024 <> 0 THEN ('mail: ''' || staging_shown(CAST(NULLIF(trim(s."mail", ' \t\r
\xa0'), '') AS BLOB)) || ''' is longer than 40 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2048 <> 0 THEN ('Warning: kind: ''' || staging_shown(CAST(NULLIF(trim(s."kind", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 4096 <> 0 THEN ('Warning: kind: ''' || staging_shown(CAST(NULLIF(trim(s."kind", ' \t\r
\xa0'), '') AS BLOB)) || ''' is shorter than 1 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8192 <> 0 THEN ('Warning: kind: ''' || staging_shown(CAST(NULLIF(trim(s."kind", ' \t\r
\xa0'), '') AS BLOB)) || ''' does not match ^[a-z]+$.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 16384 <> 0 THEN ('size: ''' || staging_shown(CAST(NULLIF(trim(s."size", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 32768 <> 0 THEN ('size: ''' || staging_shown(CAST(NULLIF(trim(s."size", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not one of S, M, L.') || ' '
ELSE '' END)))) || ((((CASE
WHEN j.x_0 & 65536 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a whole number.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 131072 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is a larger whole number than can be stored.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 262144 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is below 0.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 524288 <> 0 THEN ('staff: ''' || staging_shown(CAST(NULLIF(trim(s."staff", ' \t\r
\xa0'), '') AS BLOB)) || ''' is above 1000.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 1048576 <> 0 THEN ('rent: ''' || staging_shown(CAST(NULLIF(trim(s."rent", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a decimal number of at most 40 digits on each side of the point.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2097152 <> 0 THEN ('rent: ''' || staging_shown(CAST(NULLIF(trim(s."rent", ' \t\r
\xa0'), '') AS BLOB)) || ''' is above 99999.99.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 4194304 <> 0 THEN ('is_open: ''' || staging_shown(CAST(NULLIF(trim(s."is_open", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not yes or no.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8388608 <> 0 THEN ('opened: ''' || staging_shown(CAST(NULLIF(trim(s."opened", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a date (YYYY-MM-DD).') || ' '
ELSE '' END))) || (((CASE
WHEN j.x_0 & 16777216 <> 0 THEN ('opened: ''' || staging_shown(CAST(NULLIF(trim(s."opened", ' \t\r
\xa0'), '') AS BLOB)) || ''' is below 2000-01-01.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 33554432 <> 0 THEN ('closed: ''' || staging_shown(CAST(NULLIF(trim(s."closed", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not what is stored, which may not change.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 67108864 <> 0 THEN ('closed: ''' || staging_shown(CAST(NULLIF(trim(s."closed", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a date (YYYY-MM-DD).') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 134217728 <> 0 THEN ('seen: ''' || staging_shown(CAST(NULLIF(trim(s."seen", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not a date and time (YYYY-MM-DDTHH:MM:SS).') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 268435456 <> 0 THEN 'area is required and would have no value.' || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 536870912 <> 0 THEN ('area: ''' || staging_shown(CAST(NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not an active member of Area.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 1073741824 <> 0 THEN ('parent: ''' || staging_shown(CAST(NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not an active member of Part.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2147483648 <> 0 THEN ('Warning: twin: ''' || staging_shown(CAST(NULLIF(trim(s."twin", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not an active member of Part.') || ' '
ELSE '' END))))))
FROM "stg_part" s
WHERE s.id = j.row_id) END, j."v_name", j."v_mail", j."v_kind", j."v_size", j."v_staff", j."v_rent", j."v_is_open", j."v_opened", j."v_closed", j."v_seen", j."v_area", j."v_parent", j."v_twin", j."l_parent", j."l_twin"
FROM (SELECT t."row_id" AS "row_id", t."code" AS "code", t."status" AS "status", t."action" AS "action",
CASE
WHEN (t.new_code <> t.code
AND t.action IN (0, 2)) THEN t.new_code END AS "new_code", p.id AS "target_id",
CASE
WHEN (t.action BETWEEN 3
AND 6) THEN
CASE
WHEN t.action IN (4, 6) THEN 7
WHEN p.is_active THEN 6
ELSE 3 END
ELSE 0 END AS "removal",
CASE
WHEN (p.is_active
OR t.action = 2)
AND (t.new_code IS NULL
OR (t.new_code <> t.code
AND t.action IN (0, 2)) IS NOT TRUE)
AND ((((((t."t_name" IS p."name")
OR (CASE
WHEN t."t_name" < x'' THEN t."t_name"
WHEN (t."t_name" IS NULL
OR (t."t_name" = x'')) THEN NULL
ELSE p."name" END IS p."name"))
AND ((t."t_mail" IS p."mail")
OR (CASE
WHEN t."t_mail" < x'' THEN t."t_mail"
WHEN (t."t_mail" IS NULL
OR (t."t_mail" = x'')) THEN NULL
ELSE p."mail" END IS p."mail")))
AND (((t."t_kind" IS p."kind")
OR (CASE
WHEN (t."t_kind" < x''
AND (length(t."t_kind") < 1
OR NOT staging_matches('^[a-z]+$', CAST(t."t_kind" AS BLOB))) IS NOT TRUE) THEN t."t_kind"
WHEN (t."t_kind" IS NULL
OR (t."t_kind" = x'')) THEN NULL
ELSE p."kind" END IS p."kind"))
AND ((t."t_size" IS p."size")
OR (CASE
WHEN (t."t_size" < x''
AND (p."size" IS NULL)) THEN t."t_size"
ELSE p."size" END IS p."size"))))
AND ((((t."t_staff" IS p."staff")
OR (CASE
WHEN t."t_staff" < x'' THEN t."t_staff"
WHEN (t."t_staff" IS NULL
OR (t."t_staff" = x'')) THEN NULL
ELSE p."staff" END IS p."staff"))
AND ((t."t_rent" IS p."rent")
OR (CASE
WHEN t."t_rent" < x'' THEN t."t_rent"
WHEN (t."t_rent" IS NULL
OR (t."t_rent" = x'')) THEN NULL
ELSE p."rent" END IS p."rent")))
AND (((t."t_is_open" IS p."is_open")
OR (CASE
WHEN (t."t_is_open" < x''
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END IS p."is_open"))
AND ((t."t_opened" IS p."opened")
OR (CASE
WHEN t."t_opened" < x'' THEN t."t_opened"
WHEN (t."t_opened" IS NULL
OR (t."t_opened" = x'')) THEN NULL
ELSE p."opened" END IS p."opened")))))
AND (((((t."t_closed" IS p."closed")
OR (CASE
WHEN (t."t_closed" < x''
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_closed"
ELSE p."closed" END IS p."closed"))
AND ((t."t_seen" IS p."seen")
OR (CASE
WHEN t."t_seen" < x'' THEN t."t_seen"
WHEN (t."t_seen" IS NULL
OR (t."t_seen" = x'')) THEN NULL
ELSE p."seen" END IS p."seen")))
AND ((CASE
WHEN ((t."s_area" = '~NULL~') IS NOT TRUE
AND ("r_area"."is_active")) THEN "r_area"."id"
WHEN (t."s_area" IS NULL
OR (t."s_area" = '~NULL~')) THEN NULL
ELSE p."area" END IS p."area")
AND (CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND (("r_parent"."is_active")
OR ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_parent"."is_active" IS TRUE
OR "b_parent"."code" IS NOT NULL
AND "r_parent"."id" IS NOT NULL THEN "r_parent"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_parent"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_parent"."comes", 0) = 0 THEN "n_parent"."id" END
WHEN (t."s_parent" IS NULL
OR (t."s_parent" = '~NULL~')) THEN NULL
ELSE p."parent" END IS p."parent")))
AND (CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND (("r_twin"."is_active")
OR ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_twin"."is_active" IS TRUE
OR "b_twin"."code" IS NOT NULL
AND "r_twin"."id" IS NOT NULL THEN "r_twin"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_twin"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_twin"."comes", 0) = 0 THEN "n_twin"."id" END
WHEN (t."s_twin" IS NULL
OR (t."s_twin" = '~NULL~')) THEN NULL
ELSE p."twin" END IS p."twin"))) THEN 0
ELSE 1 END AS "changes",
CASE
WHEN FALSE THEN 1
ELSE 0 END AS "begun", (((CASE
WHEN t.code IS NULL THEN 1
WHEN t.t_code IS NULL THEN 2
WHEN length(t.code) > 500 THEN 4
WHEN t.action = 0
AND t.new_code IS NULL THEN 0
WHEN (p.id IS NULL
OR FALSE IS TRUE) THEN
CASE
WHEN t.action = 2
OR (t.action BETWEEN 3
AND 6)
OR (t.new_code <> t.code
AND t.action IN (0, 2)) THEN 8
ELSE 0 END
WHEN t.action = 1 THEN 16
ELSE 0 END |
CASE
WHEN t.new_code IS NULL THEN 0
WHEN (t.new_code <> t.code
AND t.action IN (0, 2)) THEN
CASE
WHEN
CASE
WHEN NOT (instr(t.new_code, char(0))
OR
CASE
WHEN t.new_code GLOB '*[^-]*' THEN NOT staging_is_text(CAST(t.new_code AS BLOB))
ELSE 0 END) THEN t.new_code END IS NULL THEN 32
WHEN length(t.new_code) > 500 THEN 64
ELSE 0 END
ELSE 0 END) |
CASE
WHEN t.action BETWEEN 0
AND 6 THEN 0
ELSE 128 END) |
CASE
WHEN NOT (t.action BETWEEN 3
AND 6) THEN ((((CASE
WHEN t."t_name" < x'' THEN 0
WHEN t."t_name" IS NULL THEN 0
WHEN (t."t_name" = x'') THEN 0
ELSE 256 END |
CASE
WHEN t."t_mail" < x'' THEN
CASE
WHEN length(t."t_mail") > 40 THEN 1024
ELSE 0 END
WHEN t."t_mail" IS NULL THEN 0
WHEN (t."t_mail" = x'') THEN 0
ELSE 512 END) | (CASE
WHEN t."t_kind" < x'' THEN (CASE
WHEN length(t."t_kind") < 1 THEN 4096
ELSE 0 END |
CASE
WHEN NOT staging_matches('^[a-z]+$', CAST(t."t_kind" AS BLOB)) THEN 8192
ELSE 0 END)
WHEN t."t_kind" IS NULL THEN 0
WHEN (t."t_kind" = x'') THEN 0
ELSE 2048 END |
CASE
WHEN t."t_size" < x'' THEN
CASE
WHEN NOT (((t."t_size" = 'S'
OR t."t_size" = 'M')
OR t."t_size" = 'L')) THEN 32768
ELSE 0 END
WHEN t."t_size" IS NULL THEN 0
WHEN (t."t_size" = x'') THEN 0
ELSE 16384 END)) | ((CASE
WHEN t."t_staff" < x'' THEN (CASE
WHEN (t."t_staff" < 0) THEN 262144
ELSE 0 END |
CASE
WHEN (1000 < t."t_staff") THEN 524288
ELSE 0 END)
WHEN t."t_staff" IS NULL THEN 0
WHEN (t."t_staff" = x'') THEN 0
ELSE
CASE
WHEN t."t_staff" = x'02' THEN 131072
ELSE 65536 END END |
CASE
WHEN t."t_rent" < x'' THEN
CASE
WHEN (CASE
WHEN CAST('99999.99' AS REAL) = CAST(t."t_rent" AS REAL) THEN staging_less('99999.99', t."t_rent")
ELSE CAST('99999.99' AS REAL) < CAST(t."t_rent" AS REAL) END) THEN 2097152
ELSE 0 END
WHEN t."t_rent" IS NULL THEN 0
WHEN (t."t_rent" = x'') THEN 0
ELSE 1048576 END) | (CASE
WHEN t."t_is_open" < x'' THEN 0
WHEN t."t_is_open" IS NULL THEN 0
WHEN (t."t_is_open" = x'') THEN 0
ELSE 4194304 END |
CASE
WHEN t."t_opened" < x'' THEN
CASE
WHEN (t."t_opened" < '2000-01-01') THEN 16777216
ELSE 0 END
WHEN t."t_opened" IS NULL THEN 0
WHEN (t."t_opened" = x'') THEN 0
ELSE 8388608 END))) | (((CASE
WHEN t."t_closed" < x'' THEN (0 |
CASE
WHEN ((p.id IS NULL
OR FALSE IS TRUE) IS NOT TRUE
AND NOT (t."t_closed" IS NOT NULL
AND (t."t_closed" IS p."closed"))) THEN 33554432
ELSE 0 END)
WHEN t."t_closed" IS NULL THEN 0
WHEN (t."t_closed" = x'') THEN (0 |
CASE
WHEN ((p.id IS NULL
OR FALSE IS TRUE) IS NOT TRUE
AND p."closed" IS NOT NULL) THEN 33554432
ELSE 0 END)
ELSE 67108864 END |
CASE
WHEN t."t_seen" < x'' THEN 0
WHEN t."t_seen" IS NULL THEN 0
WHEN (t."t_seen" = x'') THEN 0
ELSE 134217728 END) | (CASE
WHEN t."s_area" IS NULL THEN
CASE
WHEN TRUE THEN 268435456
ELSE 0 END
WHEN (t."s_area" = '~NULL~') THEN
CASE
WHEN TRUE THEN 268435456
ELSE 0 END
WHEN ("r_area"."is_active") THEN 0
ELSE 536870912 END |
CASE
WHEN t."s_parent" IS NULL THEN 0
WHEN (t."s_parent" = '~NULL~') THEN 0
WHEN (("r_parent"."is_active")
OR ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE)) THEN 0
ELSE 1073741824 END)) |
CASE
WHEN t."s_twin" IS NULL THEN 0
WHEN (t."s_twin" = '~NULL~') THEN 0
WHEN (("r_twin"."is_active")
OR ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE)) THEN 0
ELSE 2147483648 END))
ELSE 0 END) AS "x_0",
CASE
WHEN t."t_name" < x'' THEN t."t_name"
WHEN (t."t_name" IS NULL
OR (t."t_name" = x'')) THEN NULL
ELSE p."name" END AS "v_name",
CASE
WHEN t."t_mail" < x'' THEN t."t_mail"
WHEN (t."t_mail" IS NULL
OR (t."t_mail" = x'')) THEN NULL
ELSE p."mail" END AS "v_mail",
CASE
WHEN (t."t_kind" < x''
AND (length(t."t_kind") < 1
OR NOT staging_matches('^[a-z]+$', CAST(t."t_kind" AS BLOB))) IS NOT TRUE) THEN t."t_kind"
WHEN (t."t_kind" IS NULL
OR (t."t_kind" = x'')) THEN NULL
ELSE p."kind" END AS "v_kind",
CASE
WHEN (t."t_size" < x''
AND (p."size" IS NULL)) THEN t."t_size"
ELSE p."size" END AS "v_size",
CASE
WHEN t."t_staff" < x'' THEN t."t_staff"
WHEN (t."t_staff" IS NULL
OR (t."t_staff" = x'')) THEN NULL
ELSE p."staff" END AS "v_staff",
CASE
WHEN t."t_rent" < x'' THEN t."t_rent"
WHEN (t."t_rent" IS NULL
OR (t."t_rent" = x'')) THEN NULL
ELSE p."rent" END AS "v_rent",
CASE
WHEN (t."t_is_open" < x''
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END AS "v_is_open",
CASE
WHEN t."t_opened" < x'' THEN t."t_opened"
WHEN (t."t_opened" IS NULL
OR (t."t_opened" = x'')) THEN NULL
ELSE p."opened" END AS "v_opened",
CASE
WHEN (t."t_closed" < x''
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_closed"
ELSE p."closed" END AS "v_closed",
CASE
WHEN t."t_seen" < x'' THEN t."t_seen"
WHEN (t."t_seen" IS NULL
OR (t."t_seen" = x'')) THEN NULL
ELSE p."seen" END AS "v_seen",
CASE
WHEN ((t."s_area" = '~NULL~') IS NOT TRUE
AND ("r_area"."is_active")) THEN "r_area"."id"
WHEN (t."s_area" IS NULL
OR (t."s_area" = '~NULL~')) THEN NULL
ELSE p."area" END AS "v_area",
CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND (("r_parent"."is_active")
OR ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_parent"."is_active" IS TRUE
OR "b_parent"."code" IS NOT NULL
AND "r_parent"."id" IS NOT NULL THEN "r_parent"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_parent"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_parent"."comes", 0) = 0 THEN "n_parent"."id" END
WHEN (t."s_parent" IS NULL
OR (t."s_parent" = '~NULL~')) THEN NULL
ELSE p."parent" END AS "v_parent",
CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND (("r_twin"."is_active")
OR ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE))) THEN
CASE
WHEN "r_twin"."is_active" IS TRUE
OR "b_twin"."code" IS NOT NULL
AND "r_twin"."id" IS NOT NULL THEN "r_twin"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_twin"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_twin"."comes", 0) = 0 THEN "n_twin"."id" END
WHEN (t."s_twin" IS NULL
OR (t."s_twin" = '~NULL~')) THEN NULL
ELSE p."twin" END AS "v_twin",
CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE) THEN t."s_parent" END AS "l_parent",
CASE
WHEN ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE)
AND
CASE
WHEN "r_parent"."is_active" IS TRUE
OR "b_parent"."code" IS NOT NULL
AND "r_parent"."id" IS NOT NULL THEN "r_parent"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_parent"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_parent"."comes", 0) = 0 THEN "n_parent"."id" END IS NULL THEN 1
ELSE 0 END AS "w_parent",
CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE) THEN t."s_twin" END AS "l_twin",
CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND ("b_twin"."code" IS NOT NULL
OR "n_twin"."code" IS NOT NULL)
AND "r_twin"."is_active" IS NOT TRUE)
AND
CASE
WHEN "r_twin"."is_active" IS TRUE
OR "b_twin"."code" IS NOT NULL
AND "r_twin"."id" IS NOT NULL THEN "r_twin"."id"
WHEN (p.id IS NOT NULL
AND t.new_code = t."s_twin"
AND (t.action = 0
OR t.action = 2
AND p.is_active)) THEN p.id
WHEN COALESCE("b_twin"."comes", 0) = 0 THEN "n_twin"."id" END IS NULL THEN 2
ELSE 0 END AS "w_twin"
FROM (SELECT s.id AS row_id, s.import_status AS status, NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN s.new_code IS NOT NULL THEN NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') END AS new_code, COALESCE(s.import_action, 0) AS action,
CASE
WHEN s.code >= x'' THEN
CASE
WHEN NOT (instr(NULLIF(trim(s."code", ' \t\r
\xa0'), ''), char(0))
OR
CASE
WHEN NULLIF(trim(s."code", ' \t\r
\xa0'), '') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS BLOB))
ELSE 0 END) THEN NULLIF(trim(s."code", ' \t\r
\xa0'), '') END
ELSE
CASE
WHEN NOT (instr(s.code, char(0))
OR
CASE
WHEN s.code GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s.code AS BLOB))
ELSE 0 END) THEN s.code END END AS t_code,
CASE
WHEN s."name" >= x'' THEN
CASE
WHEN s."name" IS NOT NULL THEN
CASE trim(s."name", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."name", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."name", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."name", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."name", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."name", char(0))
OR
CASE
WHEN s."name" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."name" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."name" < '!'
OR s."name" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."name" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."name", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."name", ' \t\r
\xa0') END
ELSE trim(s."name", ' \t\r
\xa0') END AS "t_name",
CASE
WHEN s."mail" >= x'' THEN
CASE
WHEN s."mail" IS NOT NULL THEN
CASE trim(s."mail", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."mail", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."mail", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."mail", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."mail", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."mail", char(0))
OR
CASE
WHEN s."mail" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."mail" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."mail" < '!'
OR s."mail" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."mail" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."mail", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."mail", ' \t\r
\xa0') END
ELSE trim(s."mail", ' \t\r
\xa0') END AS "t_mail",
CASE
WHEN s."kind" >= x'' THEN
CASE
WHEN s."kind" IS NOT NULL THEN
CASE trim(s."kind", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."kind", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."kind", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."kind", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."kind", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."kind", char(0))
OR
CASE
WHEN s."kind" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."kind" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."kind" < '!'
OR s."kind" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."kind" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."kind", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."kind", ' \t\r
\xa0') END
ELSE trim(s."kind", ' \t\r
\xa0') END AS "t_kind",
CASE
WHEN s."size" >= x'' THEN
CASE
WHEN s."size" IS NOT NULL THEN
CASE trim(s."size", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN NOT (instr(trim(s."size", ' \t\r
\xa0'), char(0))
OR
CASE
WHEN trim(s."size", ' \t\r
\xa0') GLOB '*[^-]*' THEN NOT staging_is_text(CAST(trim(s."size", ' \t\r
\xa0') AS BLOB))
ELSE 0 END) THEN trim(s."size", ' \t\r
\xa0') END, x'01') END END
WHEN (instr(s."size", char(0))
OR
CASE
WHEN s."size" GLOB '*[^-]*' THEN NOT staging_is_text(CAST(s."size" AS BLOB))
ELSE 0 END) THEN x'01'
WHEN s."size" < '!'
OR s."size" BETWEEN '~NULL~'
AND '~NULL~¡'
OR s."size" BETWEEN '\xa0'
AND '¡' THEN
CASE trim(s."size", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE trim(s."size", ' \t\r
\xa0') END
ELSE trim(s."size", ' \t\r
\xa0') END AS "t_size",
CASE
WHEN s."staff" <> '-98765432101234567890'
AND CAST(CAST(s."staff" AS INTEGER) AS TEXT) = s."staff" THEN CAST(s."staff" AS INTEGER)
ELSE
CASE
WHEN s."staff" IS NOT NULL THEN
CASE trim(s."staff", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '-98765432101234567890' THEN x''
ELSE COALESCE(CASE
WHEN CAST(CAST(trim(s."staff", ' \t\r
\xa0') AS INTEGER) AS TEXT) = trim(s."staff", ' \t\r
\xa0') THEN CAST(trim(s."staff", ' \t\r
\xa0') AS INTEGER)
ELSE staging_integer(CAST(trim(s."staff", ' \t\r
\xa0') AS BLOB)) END,
CASE
WHEN length(trim(s."staff", ' \t\r
\xa0')) > 18
AND ltrim(ltrim(trim(s."staff", ' \t\r
\xa0'), '-'), '0123456789') = '' THEN x'02'
ELSE x'01' END) END END END AS "t_staff",
CASE
WHEN s."rent" <> '-98765432101234567890'
AND
CASE
WHEN s."rent" GLOB '[1-9]*.*[1-9]'
AND s."rent" NOT GLOB '*[^0-9.]*'
AND s."rent" NOT GLOB '*.*.*'
AND length(s."rent") <= 40
AND instr(s."rent", char(0)) = 0 THEN 1
ELSE CAST(CAST(s."rent" AS INTEGER) AS TEXT) = s."rent" END THEN s."rent"
ELSE
CASE
WHEN s."rent" IS NOT NULL THEN
CASE trim(s."rent", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '-98765432101234567890' THEN x''
ELSE COALESCE(CASE
WHEN
CASE
WHEN trim(s."rent", ' \t\r
\xa0') GLOB '[1-9]*.*[1-9]'
AND trim(s."rent", ' \t\r
\xa0') NOT GLOB '*[^0-9.]*'
AND trim(s."rent", ' \t\r
\xa0') NOT GLOB '*.*.*'
AND length(trim(s."rent", ' \t\r
\xa0')) <= 40
AND instr(trim(s."rent", ' \t\r
\xa0'), char(0)) = 0 THEN 1
ELSE CAST(CAST(trim(s."rent", ' \t\r
\xa0') AS INTEGER) AS TEXT) = trim(s."rent", ' \t\r
\xa0') END THEN trim(s."rent", ' \t\r
\xa0')
ELSE staging_decimal(CAST(trim(s."rent", ' \t\r
\xa0') AS BLOB)) END, x'01') END END END AS "t_rent",
CASE s."is_open"
WHEN '~NULL~' THEN x''
WHEN 'true' THEN 1
WHEN 'false' THEN 0
WHEN '1' THEN 1
WHEN '0' THEN 0
WHEN 'yes' THEN 1
WHEN 'no' THEN 0
ELSE
CASE
WHEN s."is_open" IS NOT NULL THEN
CASE trim(s."is_open", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '~NULL~' THEN x''
ELSE COALESCE(CASE
WHEN lower(trim(s."is_open", ' \t\r
\xa0')) IN ('true', '1', 'yes', 'y', 't') THEN 1
WHEN lower(trim(s."is_open", ' \t\r
\xa0')) IN ('false', '0', 'no', 'n', 'f') THEN 0 END, x'01') END END END AS "t_is_open",
CASE
WHEN s."opened" <> '5555-11-22T12:34:56'
AND date(s."opened", '+0 days') = s."opened"
AND s."opened" >= '0001' THEN s."opened"
ELSE
CASE
WHEN s."opened" IS NOT NULL THEN
CASE trim(s."opened", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '5555-11-22T12:34:56' THEN x''
ELSE COALESCE(CASE
WHEN date(trim(s."opened", ' \t\r
\xa0'), '+0 days') = trim(s."opened", ' \t\r
\xa0')
AND trim(s."opened", ' \t\r
\xa0') >= '0001' THEN trim(s."opened", ' \t\r
\xa0')
ELSE NULL END, x'01') END END END AS "t_opened",
CASE
WHEN s."closed" <> '5555-11-22T12:34:56'
AND date(s."closed", '+0 days') = s."closed"
AND s."closed" >= '0001' THEN s."closed"
ELSE
CASE
WHEN s."closed" IS NOT NULL THEN
CASE trim(s."closed", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '5555-11-22T12:34:56' THEN x''
ELSE COALESCE(CASE
WHEN date(trim(s."closed", ' \t\r
\xa0'), '+0 days') = trim(s."closed", ' \t\r
\xa0')
AND trim(s."closed", ' \t\r
\xa0') >= '0001' THEN trim(s."closed", ' \t\r
\xa0')
ELSE NULL END, x'01') END END END AS "t_closed",
CASE
WHEN s."seen" <> '5555-11-22T12:34:56'
AND datetime(s."seen", '+0 days') = replace(s."seen", 'T', ' ')
AND s."seen" >= '0001' THEN replace(s."seen", 'T', ' ') || '.000000'
ELSE
CASE
WHEN s."seen" IS NOT NULL THEN
CASE trim(s."seen", ' \t\r
\xa0')
WHEN '' THEN NULL
WHEN '5555-11-22T12:34:56' THEN x''
ELSE COALESCE(CASE
WHEN datetime(trim(s."seen", ' \t\r
\xa0'), '+0 days') = replace(trim(s."seen", ' \t\r
\xa0'), 'T', ' ')
AND trim(s."seen", ' \t\r
\xa0') >= '0001' THEN replace(trim(s."seen", ' \t\r
\xa0'), 'T', ' ') || '.000000'
ELSE staging_instant(CAST(trim(s."seen", ' \t\r
\xa0') AS BLOB)) END, x'01') END END END AS "t_seen", NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS "s_parent", NULLIF(trim(s."twin", ' \t\r
\xa0'), '') AS "s_twin"
FROM "stg_part" s
WHERE s.import_status = 0 LIMIT -1 OFFSET 0) t
LEFT
JOIN "mdm_part" p ON p.code = t.code
LEFT
JOIN "mdm_area" "r_area" ON "r_area"."code" = t."s_area"
LEFT
JOIN "mdm_part" "r_parent" ON "r_parent"."code" = t."s_parent"
LEFT
JOIN "mdm_part" "r_twin" ON "r_twin"."code" = t."s_twin"
LEFT
JOIN (SELECT NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code, max(CASE
WHEN s.new_code IS NULL
OR (NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> ''
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')) IS NOT TRUE
OR COALESCE(s.import_action, 0) = 1
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')) THEN 1
ELSE 0 END) AS comes
FROM "stg_part" s
WHERE s.import_status = 0
AND (COALESCE(s.import_action, 0) NOT BETWEEN 2
AND 6)
GROUP BY 1) "b_parent" ON "b_parent"."code" = t."s_parent"
LEFT
JOIN (SELECT NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN count(*) = 1 THEN max(p.id) END AS id
FROM "stg_part" s
JOIN "mdm_part" p ON p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')
WHERE s.import_status = 0
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_parent" ON "n_parent"."code" = t."s_parent"
LEFT
JOIN (SELECT NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code, max(CASE
WHEN s.new_code IS NULL
OR (NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> ''
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')) IS NOT TRUE
OR COALESCE(s.import_action, 0) = 1
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')) THEN 1
ELSE 0 END) AS comes
FROM "stg_part" s
WHERE s.import_status = 0
AND (COALESCE(s.import_action, 0) NOT BETWEEN 2
AND 6)
GROUP BY 1) "b_twin" ON "b_twin"."code" = t."s_twin"
LEFT
JOIN (SELECT NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN count(*) = 1 THEN max(p.id) END AS id
FROM "stg_part" s
JOIN "mdm_part" p ON p.code = NULLIF(trim(s."code", ' \t\r
\xa0'), '')
WHERE s.import_status = 0
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_twin" ON "n_twin"."code" = t."s_twin" LIMIT -1 OFFSET 0) j;

-- 464 worktable: create_table
CREATE TABLE temp."work_4_again" ("code" TEXT);

-- 465 duplicates: find_duplicates
INSERT INTO temp."work_4_again" (code)
SELECT w.code
FROM temp."work_4" w
WHERE w.code IS NOT NULL
GROUP BY w.code HAVING count(*) > 1;

-- 466 order: special
SELECT COALESCE(max(CASE
WHEN (w.action BETWEEN 3
AND 6) THEN 1
ELSE 0 END), 0), count(w.new_code), COALESCE(max(CASE
WHEN w.outcome = 5 THEN 1
ELSE 0 END), 0)
FROM temp."work_4" w;

-- 467 reject: say
UPDATE temp."work_4" AS w
SET outcome = 4, error = w.error | 8192, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Rule: this does not hold: opened is at most closed (' || staging_shown(CAST('opened: ' || COALESCE(CAST(w."v_opened" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND (TRUE
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND (w."v_closed" IS NOT NULL)
AND NOT COALESCE((NOT (w."v_closed" < w."v_opened")), FALSE));

-- 468 reject: say
UPDATE temp."work_4" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((TRUE
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND TRUE
AND NOT COALESCE((NOT (w."v_staff" < 1)), FALSE))
AND (w.message IS NULL
OR replace(w.message, ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').'), '') = w.message));

-- 469 worktable: create_table
CREATE TABLE temp."work_4_edges" ("row_id" bigint, "target" bigint, "field" bigint, "gives" bigint, "firm" bigint);

-- 470 worktable: create_table
CREATE TABLE temp."work_4_lost" ("row_id" bigint, "field" bigint, "firm" bigint, "round" bigint);

-- 471 cascade: find_references
INSERT INTO temp."work_4_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 0, -3, 1
FROM temp."work_4" w
LEFT
JOIN temp."work_4" o ON o.code = w."l_parent"
AND NOT (o.action = 2
OR (o.action BETWEEN 3
AND 6))
AND o.outcome IN (1, 2, 3)
WHERE w."l_parent" IS NOT NULL
AND (w."l_parent" = w.code) IS NOT TRUE
AND (w."l_parent" = w.new_code
AND EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.id = w.target_id
AND (p.is_active
OR w.action = 0))) IS NOT TRUE;

-- 472 cascade: find_references
INSERT INTO temp."work_4_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 1, 1001, 0
FROM temp."work_4" w
LEFT
JOIN temp."work_4" o ON o.code = w."l_twin"
AND NOT (o.action = 2
OR (o.action BETWEEN 3
AND 6))
AND o.outcome IN (1, 2, 3)
WHERE w."l_twin" IS NOT NULL
AND (w."l_twin" = w.code) IS NOT TRUE
AND (w."l_twin" = w.new_code
AND EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.id = w.target_id
AND (p.is_active
OR w.action = 0))) IS NOT TRUE;

-- 473 worktable: create_table
CREATE TABLE temp."work_4_u0" ("row_id" bigint, "taken" TEXT);

-- 474 unique: find_new_values
INSERT INTO temp."work_4_u0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM temp."work_4" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_mail" IS p."mail");

-- 475 worktable: create_table
CREATE TABLE temp."work_4_u1" ("row_id" bigint, "taken" INTEGER);

-- 476 unique: find_new_values
INSERT INTO temp."work_4_u1" (row_id, taken)
SELECT w.row_id, w."v_twin"
FROM temp."work_4" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_twin" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_twin" IS p."twin");

-- 477 worktable: create_table
CREATE TABLE temp."work_4_m1" ("row_id" bigint, "taken" TEXT);

-- 478 unique: find_newcomers
INSERT INTO temp."work_4_m1" (row_id, taken)
SELECT w.row_id, w."l_twin"
FROM temp."work_4" w
WHERE w.outcome IN (1, 2, 3)
AND (w.waits & 2) <> 0;

-- 479 worktable: create_table
CREATE TABLE temp."work_4_r1" ("row_id" bigint, "taken" INTEGER);

-- 480 unique: find_new_values
INSERT INTO temp."work_4_r1" (row_id, taken)
SELECT w.row_id,
CASE
WHEN w.target_id IS NOT NULL
AND w.new_code = w."l_twin"
AND (w.action = 0
OR w.action = 2
AND p.is_active) THEN
CASE
WHEN EXISTS (SELECT 1
FROM temp."work_4" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_4" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_4" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END
FROM temp."work_4" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE
CASE
WHEN w.target_id IS NOT NULL
AND w.new_code = w."l_twin"
AND (w.action = 0
OR w.action = 2
AND p.is_active) THEN
CASE
WHEN EXISTS (SELECT 1
FROM temp."work_4" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_4" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_4" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END IS NOT NULL
AND w.outcome = 4
AND w.error & 4096 = 0
AND NOT (CASE
WHEN w.target_id IS NOT NULL
AND w.new_code = w."l_twin"
AND (w.action = 0
OR w.action = 2
AND p.is_active) THEN
CASE
WHEN EXISTS (SELECT 1
FROM temp."work_4" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_4" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_4" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END IS p."twin");

-- 481 worktable: create_table
CREATE TABLE temp."work_4_s1" ("row_id" bigint);

-- 482 unique: find_sharers
INSERT INTO temp."work_4_s1" (row_id)
SELECT w.row_id
FROM temp."work_4" w
WHERE w.outcome = 4
AND w.error & 4096 = 0
AND (w."v_twin" IS NULL
OR w."v_twin" = w.target_id
AND w.new_code = w."l_twin")
AND w."l_twin" IN (SELECT o."l_twin"
FROM temp."work_4" o
WHERE o.outcome IN (1, 2)
AND (o.waits & 2) <> 0);

-- 483 worktable: create_table
CREATE TABLE temp."work_4_r0" ("row_id" bigint, "taken" TEXT);

-- 484 unique: find_new_values
INSERT INTO temp."work_4_r0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM temp."work_4" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome = 4
AND w.error & 4096 = 0
AND NOT (w."v_mail" IS p."mail");

-- 485 worktable: create_table
CREATE TABLE temp."work_4_traders" ("row_id" bigint);

-- 486 order: find_traders
INSERT INTO temp."work_4_traders" (row_id)
SELECT e."row_id"
FROM temp."work_4_edges" e
JOIN temp."work_4" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 487 order: find_traders
INSERT INTO temp."work_4_traders" (row_id)
SELECT e."target"
FROM temp."work_4_edges" e
JOIN temp."work_4" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 488 order: some_wait
SELECT 1
FROM temp."work_4" w
WHERE w.waits <> 0 LIMIT 1;

-- 489 order: put
UPDATE temp."work_4" AS w
SET turn = -2, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_4") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_4" w
WHERE w.outcome = 4) moved
WHERE moved.row_id = w.row_id;

-- 490 brake: totals
SELECT w.outcome, count(*)
FROM temp."work_4" w
WHERE w.outcome < 8
GROUP BY w.outcome;

-- 491 brake: members_touched
SELECT (SELECT count(*)
FROM "mdm_part" p
WHERE p.is_active), COALESCE(sum(touched.changed), 0), COALESCE(sum(touched.removed), 0)
FROM (SELECT
CASE
WHEN w.outcome = 2 THEN 1
ELSE 0 END AS changed,
CASE
WHEN w.outcome IN (6, 7) THEN 1
ELSE 0 END AS removed
FROM temp."work_4" w
JOIN "mdm_part" p ON p.id = w.target_id
AND p.is_active) touched;

-- 492 order: last_turn
SELECT w.turn, (SELECT min(first.seq)
FROM temp."work_4" first), w.seq
FROM temp."work_4" w
ORDER BY w.seq DESC LIMIT 1;

-- 493 order: turns
SELECT COALESCE(w.turn, 0), min(w.seq), max(w.seq)
FROM temp."work_4" w
GROUP BY 1;

-- 494
SELECT name
FROM sqlite_temp_master
WHERE type = 'table'
AND name LIKE 'work_4%' ESCAPE '\';

-- 495 worktable: drop_table
DROP TABLE IF EXISTS temp."work_4";

-- 496 worktable: drop_table
DROP TABLE IF EXISTS temp."work_4_again";

-- 497 worktable: drop_table
DROP TABLE IF EXISTS temp."work_4_edges";

-- 498 worktable: drop_table
DROP TABLE IF EXISTS temp."work_4_lost";

-- 499 worktable: drop_table
DROP TABLE IF EXISTS temp."work_4_u0";

-- 500 worktable: drop_table
DROP TABLE IF EXISTS temp."work_4_u1";

-- 501 worktable: drop_table
DROP TABLE IF EXISTS temp."work_4_m1";

-- 502 worktable: drop_table
DROP TABLE IF EXISTS temp."work_4_r1";

-- 503 worktable: drop_table
DROP TABLE IF EXISTS temp."work_4_s1";

-- 504 worktable: drop_table
DROP TABLE IF EXISTS temp."work_4_r0";

-- 505 worktable: drop_table
DROP TABLE IF EXISTS temp."work_4_traders";
