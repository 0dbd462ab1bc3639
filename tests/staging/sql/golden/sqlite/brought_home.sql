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
-- 125 is in_one_transaction 125;
-- 126 is in_one_transaction 126;
-- 127 is in_one_transaction 127;
-- 128 is in_one_transaction 128;
-- 129 is in_one_transaction 129;
-- 130 is in_one_transaction 130;
-- 131 is in_one_transaction 131;
-- 132 is in_one_transaction 132;
-- 133 is in_one_transaction 133;
-- 134 is in_one_transaction 134;
-- 135 is in_one_transaction 135;
-- 136 is in_one_transaction 136;
-- 137 is in_one_transaction 137;
-- 138 is in_one_transaction 138;
-- 139 is in_one_transaction 139;
-- 140 is in_one_transaction 140;
-- 141 is in_one_transaction 141;
-- 142 is in_one_transaction 142;
-- 143 is in_one_transaction 143;
-- 144 is in_one_transaction 144;
-- 145 is in_one_transaction 145;
-- 146 is in_one_transaction 146;
-- 147 is in_one_transaction 147;
-- 148 is in_one_transaction 148;
-- 149 is in_one_transaction 149;
-- 150 is in_one_transaction 150;
-- 151 is in_one_transaction 151;
-- 152 is in_one_transaction 152;
-- 153 is in_one_transaction 153;
-- 154 is in_one_transaction 154;
-- 155 is in_one_transaction 155;
-- 156 is in_one_transaction 156;
-- 157 is in_one_transaction 157;
-- 158 is in_one_transaction 158;
-- 159 is in_one_transaction 159;
-- 160 is in_one_transaction 160;
-- 161 is in_one_transaction 161;
-- 162 is in_one_transaction 162;
-- 163 is in_one_transaction 163;
-- 164 is in_one_transaction 164;
-- 165 is in_one_transaction 165;
-- 166 is in_one_transaction 33;
-- 167 is in_one_transaction 167;
-- 168 is in_one_transaction 168;
-- 169 is in_one_transaction 34;
-- 170 is in_one_transaction 35;
-- 171 is in_one_transaction 36;
-- 172 is in_one_transaction 37;
-- 173 is in_one_transaction 38;
-- 174 is in_one_transaction 39;
-- 175 is in_one_transaction 175;
-- 176 is in_one_transaction 176;
-- 177 is in_one_transaction 177;
-- 178 is in_one_transaction 178;
-- 179 is in_one_transaction 179;
-- 180 is in_one_transaction 180;
-- 181 is in_one_transaction 181;
-- 182 is in_one_transaction 182;
-- 183 is in_one_transaction 183;
-- 184 is in_one_transaction 1;
-- 185 is in_one_transaction 2;

-- 186 classify: extent
SELECT COALESCE(min(s.id), 0), COALESCE(max(s.id), 0), count(*)
FROM "stg_area" s
WHERE s.import_status = 0;

-- 187 worktable: create_table
CREATE TABLE temp."work_2" ("seq" INTEGER PRIMARY KEY, "row_id" bigint, "code" TEXT, "action" smallint, "new_code" TEXT, "target_id" bigint, "outcome" smallint, "turn" smallint, "waits" bigint, "error" bigint, "message" TEXT, "v_name" TEXT);

-- 188 classify: classify
INSERT INTO temp."work_2" ("row_id", "code", "action", "new_code", "target_id", "outcome", "waits", "error", "message", "v_name")
SELECT j."row_id", j."code", j."action", j."new_code", j."target_id",
CASE
WHEN j.status = 1 THEN 8
WHEN j.status <> 0 THEN 9
WHEN (j."x_0" <> 0) THEN 4
WHEN j.removal <> 0 THEN j.removal
WHEN j.target_id IS NULL
OR j.begun = 1 THEN 1
WHEN j.changes = 1
OR 0 <> 0 THEN 2
ELSE 3 END, 0,
CASE
WHEN (j."x_0" <> 0) THEN (((CASE
WHEN j.x_0 & 1 <> 0 THEN 1
ELSE 0 END |
CASE
WHEN j.x_0 & 290 <> 0 THEN 8
ELSE 0 END) | (CASE
WHEN j.x_0 & 68 <> 0 THEN 16
ELSE 0 END |
CASE
WHEN j.x_0 & 8 <> 0 THEN 128
ELSE 0 END)) | (CASE
WHEN j.x_0 & 16 <> 0 THEN 64
ELSE 0 END |
CASE
WHEN j.x_0 & 128 <> 0 THEN 1024
ELSE 0 END))
ELSE 0 END,
CASE
WHEN (j."x_0" <> 0) THEN (SELECT rtrim(((((CASE
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
ELSE '' END))) ||
CASE
WHEN j.x_0 & 256 <> 0 THEN ('name: ''' || staging_shown(CAST(NULLIF(trim(s."name", ' \t\r
\xa0'), '') AS BLOB)) || ''' is not readable text.') || ' '
ELSE '' END))
FROM "stg_area" s
WHERE s.id = j.row_id) END, j."v_name"
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
AND ((t."t_name" IS p."name")
OR (CASE
WHEN t."t_name" < x'' THEN t."t_name"
WHEN (t."t_name" = x'') THEN NULL
ELSE p."name" END IS p."name")) THEN 0
ELSE 1 END AS "changes",
CASE
WHEN FALSE THEN 1
ELSE 0 END AS "begun", (((CASE
WHEN t.code IS NULL THEN 1
WHEN t.t_code IS NULL THEN 2
WHEN length(t.code) > 500 THEN 4
WHEN t.action = 0
AND t.new_code IS NULL THEN 0
WHEN (p.id IS NULL) THEN
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
AND 6) THEN
CASE
WHEN t."t_name" < x'' THEN 0
WHEN t."t_name" IS NULL THEN 0
WHEN (t."t_name" = x'') THEN 0
ELSE 256 END
ELSE 0 END) AS "x_0",
CASE
WHEN t."t_name" < x'' THEN t."t_name"
WHEN (t."t_name" = x'') THEN NULL
ELSE p."name" END AS "v_name"
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
\xa0') END AS "t_name"
FROM "stg_area" s
WHERE s.import_status = 0 LIMIT -1 OFFSET 0) t
LEFT
JOIN "mdm_area" p ON p.code = t.code LIMIT -1 OFFSET 0) j;

-- 189 worktable: create_table
CREATE TABLE temp."work_2_again" ("code" TEXT);

-- 190 duplicates: find_duplicates
INSERT INTO temp."work_2_again" (code)
SELECT w.code
FROM temp."work_2" w
WHERE w.code IS NOT NULL
GROUP BY w.code HAVING count(*) > 1;

-- 191 order: special
SELECT COALESCE(max(CASE
WHEN (w.action BETWEEN 3
AND 6) THEN 1
ELSE 0 END), 0), count(w.new_code), COALESCE(max(CASE
WHEN w.outcome = 5 THEN 1
ELSE 0 END), 0)
FROM temp."work_2" w;

-- 192 order: last_turn
SELECT w.turn, (SELECT min(first.seq)
FROM temp."work_2" first), w.seq
FROM temp."work_2" w
ORDER BY w.seq DESC LIMIT 1;

-- 193 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM temp."work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome < 8
GROUP BY w.outcome;

-- 194 merge: mark_staged
UPDATE "stg_area" AS s
SET import_status =
CASE
WHEN w.outcome = 4 THEN 2
ELSE 1 END, batch_id = 911, error_code = w.error, error_message = w.message, import_outcome =
CASE w.outcome
WHEN 1 THEN 'inserted'
WHEN 2 THEN 'updated'
WHEN 3 THEN 'unchanged'
WHEN 4 THEN 'rejected'
WHEN 5 THEN 'superseded'
WHEN 6 THEN 'deactivated'
WHEN 7 THEN 'deleted' END
FROM (SELECT w.row_id, w.outcome, w.error, w.message
FROM temp."work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 195 history: note
INSERT INTO "hst_area" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id")
SELECT p.id, 'updated', 911, NULL, '2026-03-02 12:00:00.000000', 9203, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id"
FROM "mdm_area" p
JOIN (SELECT w.seq, w.target_id
FROM temp."work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 196 members: update_members
UPDATE "mdm_area" AS p
SET "name" = w."v_name", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-02 12:00:00.000000', updated_batch_id = 911
FROM (SELECT w.seq, w.target_id
FROM temp."work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN temp."work_2" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND TRUE;

-- 197 history: last_id
SELECT COALESCE(max(id), 0)
FROM "mdm_area";

-- 198 members: insert_members
INSERT INTO "mdm_area" ("code", "name", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", 1, '2026-03-02 12:00:00.000000', '2026-03-02 12:00:00.000000', 911, 911
FROM temp."work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 199 history: note_new
INSERT INTO "hst_area" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 911, '2026-03-02 12:00:00.000000', 'unknown', 9203
FROM "mdm_area" born
WHERE born.id > 2;

-- 200 history: note
INSERT INTO "hst_area" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 911, NULL, '2026-03-02 12:00:00.000000', 9203, 'unknown'
FROM "mdm_area" p
JOIN (SELECT w.seq, w.target_id
FROM temp."work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 201
SELECT name
FROM sqlite_temp_master
WHERE type = 'table'
AND name LIKE 'work_2%' ESCAPE '\';

-- 202 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2";

-- 203 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_again";

-- 204 late: glance
SELECT 1
FROM (SELECT NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS "s_parent"
FROM "stg_part" s
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)) v
WHERE EXISTS (SELECT 1
FROM "mdm_area" p
WHERE p.code = v."s_area"
AND p.is_active
AND (p.updated_batch_id IN (901)
OR p.created_batch_id IN (901)))
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = v."s_parent"
AND p.is_active
AND (p.updated_batch_id IN (901)
OR p.created_batch_id IN (901))) LIMIT 1;

-- 205 late: many_wait
SELECT 1
FROM "stg_part" s
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416) LIMIT 1 OFFSET 300;

-- 206 late: bring_home
UPDATE "stg_part" AS s
SET "import_status" = 0, "error_code" = 0, "error_message" = NULL, "import_outcome" = NULL, "batch_id" = NULL
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)
AND s.id IN (WITH RECURSIVE waiting AS MATERIALIZED (SELECT *
FROM (SELECT s.id, NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code, s.batch_id AS batch, NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS "s_parent", max(s.id) OVER (PARTITION BY NULLIF(trim(s."code", ' \t\r
\xa0'), '')) AS newest
FROM "stg_part" s
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)) latest
WHERE latest.id = latest.newest), fresh AS MATERIALIZED (SELECT v.*
FROM waiting v
LEFT
JOIN "mdm_part" p ON p.code = v.code
LEFT
JOIN (SELECT NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code
FROM "stg_part" s
WHERE s.import_status = 0
UNION
SELECT NULLIF(trim(s."code", ' \t\r
\xa0'), '')
FROM "stg_part" s
WHERE s.import_status = 3) delivered ON delivered.code = v.code
WHERE delivered.code IS NULL
AND (p.updated_batch_id > v.batch) IS NOT TRUE), edges AS MATERIALIZED (SELECT v.id AS id, v.code AS code, v."s_parent" AS target
FROM fresh v
WHERE NOT (v."s_parent" IS NULL
OR v."s_parent" = '~NULL~'
OR v."s_parent" = v.code
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = v."s_parent"
AND p.is_active))), stuck (id, code) AS (SELECT v.id, v.code
FROM fresh v
WHERE NOT ((v."s_area" IS NULL
OR v."s_area" = '~NULL~'
OR 1 = 0
OR EXISTS (SELECT 1
FROM "mdm_area" p
WHERE p.code = v."s_area"
AND p.is_active)))
UNION
SELECT e.id, e.code
FROM edges e
LEFT
JOIN fresh v ON v.code = e.target
WHERE v.id IS NULL
UNION
SELECT e.id, e.code
FROM stuck
JOIN edges e ON e.target = stuck.code), free AS MATERIALIZED (SELECT v.*
FROM fresh v
LEFT
JOIN stuck ON stuck.id = v.id
WHERE stuck.id IS NULL), home (id, code) AS (SELECT v.id, v.code
FROM free v
WHERE (EXISTS (SELECT 1
FROM "mdm_area" p
WHERE p.code = v."s_area"
AND p.is_active
AND (p.updated_batch_id IN (901)
OR p.created_batch_id IN (901)))
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = v."s_parent"
AND p.is_active
AND (p.updated_batch_id IN (901)
OR p.created_batch_id IN (901))))
UNION
SELECT v.id, v.code
FROM home
JOIN edges e ON e.target = home.code
JOIN free v ON v.id = e.id)
SELECT id
FROM home);

-- 207 late: glance
SELECT 1
FROM (SELECT NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS "s_parent"
FROM "stg_part" s
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)) v
WHERE EXISTS (SELECT 1
FROM "mdm_area" p
WHERE p.code = v."s_area"
AND p.is_active
AND (p.updated_batch_id IN (902)
OR p.created_batch_id IN (902)))
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = v."s_parent"
AND p.is_active
AND (p.updated_batch_id IN (902)
OR p.created_batch_id IN (902))) LIMIT 1;

-- 208 late: glance
SELECT 1
FROM (SELECT NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS "s_parent"
FROM "stg_part" s
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)) v
WHERE EXISTS (SELECT 1
FROM "mdm_area" p
WHERE p.code = v."s_area"
AND p.is_active
AND (p.updated_batch_id IN (901, 911)
OR p.created_batch_id IN (901, 911)))
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = v."s_parent"
AND p.is_active
AND (p.updated_batch_id IN (901, 911)
OR p.created_batch_id IN (901, 911))) LIMIT 1;
-- 209 is 205;

-- 210 late: bring_home
UPDATE "stg_part" AS s
SET "import_status" = 0, "error_code" = 0, "error_message" = NULL, "import_outcome" = NULL, "batch_id" = NULL
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)
AND s.id IN (WITH RECURSIVE waiting AS MATERIALIZED (SELECT *
FROM (SELECT s.id, NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code, s.batch_id AS batch, NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS "s_parent", max(s.id) OVER (PARTITION BY NULLIF(trim(s."code", ' \t\r
\xa0'), '')) AS newest
FROM "stg_part" s
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)) latest
WHERE latest.id = latest.newest), fresh AS MATERIALIZED (SELECT v.*
FROM waiting v
LEFT
JOIN "mdm_part" p ON p.code = v.code
LEFT
JOIN (SELECT NULLIF(trim(s."code", ' \t\r
\xa0'), '') AS code
FROM "stg_part" s
WHERE s.import_status = 0
UNION
SELECT NULLIF(trim(s."code", ' \t\r
\xa0'), '')
FROM "stg_part" s
WHERE s.import_status = 3) delivered ON delivered.code = v.code
WHERE delivered.code IS NULL
AND (p.updated_batch_id > v.batch) IS NOT TRUE), edges AS MATERIALIZED (SELECT v.id AS id, v.code AS code, v."s_parent" AS target
FROM fresh v
WHERE NOT (v."s_parent" IS NULL
OR v."s_parent" = '~NULL~'
OR v."s_parent" = v.code
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = v."s_parent"
AND p.is_active))), stuck (id, code) AS (SELECT v.id, v.code
FROM fresh v
WHERE NOT ((v."s_area" IS NULL
OR v."s_area" = '~NULL~'
OR 1 = 0
OR EXISTS (SELECT 1
FROM "mdm_area" p
WHERE p.code = v."s_area"
AND p.is_active)))
UNION
SELECT e.id, e.code
FROM edges e
LEFT
JOIN fresh v ON v.code = e.target
WHERE v.id IS NULL
UNION
SELECT e.id, e.code
FROM stuck
JOIN edges e ON e.target = stuck.code), free AS MATERIALIZED (SELECT v.*
FROM fresh v
LEFT
JOIN stuck ON stuck.id = v.id
WHERE stuck.id IS NULL), home (id, code) AS (SELECT v.id, v.code
FROM free v
WHERE (EXISTS (SELECT 1
FROM "mdm_area" p
WHERE p.code = v."s_area"
AND p.is_active
AND (p.updated_batch_id IN (901, 911)
OR p.created_batch_id IN (901, 911)))
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = v."s_parent"
AND p.is_active
AND (p.updated_batch_id IN (901, 911)
OR p.created_batch_id IN (901, 911))))
UNION
SELECT v.id, v.code
FROM home
JOIN edges e ON e.target = home.code
JOIN free v ON v.id = e.id)
SELECT id
FROM home);

-- 211 late: glance
SELECT 1
FROM (SELECT NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS "s_parent"
FROM "stg_part" s
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)) v
WHERE EXISTS (SELECT 1
FROM "mdm_area" p
WHERE p.code = v."s_area"
AND p.is_active
AND (p.updated_batch_id IN (910)
OR p.created_batch_id IN (910)))
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = v."s_parent"
AND p.is_active
AND (p.updated_batch_id IN (910)
OR p.created_batch_id IN (910))) LIMIT 1;
-- 212 is 208;
-- 213 is 205;
-- 214 is 210;

-- 215 late: glance
SELECT 1
FROM (SELECT NULLIF(trim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(trim(s."parent", ' \t\r
\xa0'), '') AS "s_parent"
FROM "stg_part" s
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)) v
WHERE EXISTS (SELECT 1
FROM "mdm_area" p
WHERE p.code = v."s_area"
AND p.is_active
AND (p.updated_batch_id IN (911)
OR p.created_batch_id IN (911)))
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = v."s_parent"
AND p.is_active
AND (p.updated_batch_id IN (911)
OR p.created_batch_id IN (911))) LIMIT 1;
