-- 1 is in_one_transaction 1;
-- 2 is in_one_transaction 2;
-- 3 is in_one_transaction 3;
-- 4 is in_one_transaction 4;
-- 5 is in_one_transaction 5;
-- 6 is in_one_transaction 6;
-- 7 is in_one_transaction 7;
-- 8 is in_one_transaction 1;
-- 9 is in_one_transaction 2;
-- 10 is in_one_transaction 3;
-- 11 is in_one_transaction 4;
-- 12 is in_one_transaction 12;
-- 13 is in_one_transaction 13;
-- 14 is in_one_transaction 14;
-- 15 is in_one_transaction 15;
-- 16 is in_one_transaction 16;
-- 17 is in_one_transaction 17;
-- 18 is in_one_transaction 18;
-- 19 is in_one_transaction 15;
-- 20 is in_one_transaction 20;
-- 21 is in_one_transaction 21;
-- 22 is in_one_transaction 22;
-- 23 is in_one_transaction 15;
-- 24 is in_one_transaction 24;
-- 25 is in_one_transaction 25;
-- 26 is in_one_transaction 26;
-- 27 is in_one_transaction 27;
-- 28 is in_one_transaction 28;
-- 29 is in_one_transaction 29;
-- 30 is in_one_transaction 30;
-- 31 is in_one_transaction 31;
-- 32 is in_one_transaction 32;
-- 33 is in_one_transaction 15;
-- 34 is in_one_transaction 34;
-- 35 is in_one_transaction 35;
-- 36 is in_one_transaction 36;
-- 37 is in_one_transaction 37;
-- 38 is in_one_transaction 38;
-- 39 is in_one_transaction 39;
-- 40 is in_one_transaction 15;
-- 41 is in_one_transaction 41;
-- 42 is in_one_transaction 42;
-- 43 is in_one_transaction 43;
-- 44 is in_one_transaction 44;
-- 45 is in_one_transaction 45;
-- 46 is in_one_transaction 46;
-- 47 is in_one_transaction 47;
-- 48 is in_one_transaction 48;
-- 49 is in_one_transaction 49;
-- 50 is in_one_transaction 50;
-- 51 is in_one_transaction 51;
-- 52 is in_one_transaction 52;
-- 53 is in_one_transaction 53;
-- 54 is in_one_transaction 54;
-- 55 is in_one_transaction 55;
-- 56 is in_one_transaction 56;
-- 57 is in_one_transaction 57;
-- 58 is in_one_transaction 58;
-- 59 is in_one_transaction 15;
-- 60 is in_one_transaction 60;
-- 61 is in_one_transaction 15;
-- 62 is in_one_transaction 62;
-- 63 is in_one_transaction 12;
-- 64 is in_one_transaction 64;
-- 65 is in_one_transaction 14;
-- 66 is in_one_transaction 15;
-- 67 is in_one_transaction 16;
-- 68 is in_one_transaction 17;
-- 69 is in_one_transaction 18;
-- 70 is in_one_transaction 15;
-- 71 is in_one_transaction 20;
-- 72 is in_one_transaction 21;
-- 73 is in_one_transaction 22;
-- 74 is in_one_transaction 15;
-- 75 is in_one_transaction 24;
-- 76 is in_one_transaction 25;
-- 77 is in_one_transaction 26;
-- 78 is in_one_transaction 27;
-- 79 is in_one_transaction 28;
-- 80 is in_one_transaction 29;
-- 81 is in_one_transaction 30;
-- 82 is in_one_transaction 31;
-- 83 is in_one_transaction 32;
-- 84 is in_one_transaction 15;
-- 85 is in_one_transaction 34;
-- 86 is in_one_transaction 35;
-- 87 is in_one_transaction 36;
-- 88 is in_one_transaction 37;
-- 89 is in_one_transaction 38;
-- 90 is in_one_transaction 39;
-- 91 is in_one_transaction 15;
-- 92 is in_one_transaction 41;
-- 93 is in_one_transaction 42;
-- 94 is in_one_transaction 43;
-- 95 is in_one_transaction 44;
-- 96 is in_one_transaction 45;
-- 97 is in_one_transaction 46;
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
-- 111 is in_one_transaction 15;
-- 112 is in_one_transaction 112;
-- 113 is in_one_transaction 113;
-- 114 is in_one_transaction 15;
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
-- 130 is in_one_transaction 15;
-- 131 is in_one_transaction 131;
-- 132 is in_one_transaction 132;
-- 133 is in_one_transaction 133;
-- 134 is in_one_transaction 134;
-- 135 is in_one_transaction 135;
-- 136 is in_one_transaction 136;
-- 137 is in_one_transaction 137;
-- 138 is in_one_transaction 15;
-- 139 is in_one_transaction 112;
-- 140 is in_one_transaction 140;
-- 141 is in_one_transaction 15;
-- 142 is in_one_transaction 115;
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
-- 166 is in_one_transaction 166;
-- 167 is in_one_transaction 15;
-- 168 is in_one_transaction 16;
-- 169 is in_one_transaction 169;
-- 170 is in_one_transaction 170;
-- 171 is in_one_transaction 1;
-- 172 is in_one_transaction 2;
-- 173 is in_one_transaction 3;
-- 174 is in_one_transaction 4;
-- 175 is in_one_transaction 5;
-- 176 is in_one_transaction 176;
-- 177 is in_one_transaction 177;
-- 178 is in_one_transaction 1;
-- 179 is in_one_transaction 2;
-- 180 is in_one_transaction 3;
-- 181 is in_one_transaction 4;
-- 182 is in_one_transaction 5;
-- 183 is in_one_transaction 183;
-- 184 is in_one_transaction 184;
-- 185 is in_one_transaction 185;
-- 186 is in_one_transaction 186;
-- 187 is in_one_transaction 187;
-- 188 is in_one_transaction 188;
-- 189 is in_one_transaction 189;
-- 190 is in_one_transaction 190;
-- 191 is in_one_transaction 191;
-- 192 is in_one_transaction 192;
-- 193 is in_one_transaction 193;
-- 194 is in_one_transaction 194;
-- 195 is in_one_transaction 195;
-- 196 is in_one_transaction 196;
-- 197 is in_one_transaction 197;
-- 198 is in_one_transaction 198;
-- 199 is in_one_transaction 199;
-- 200 is in_one_transaction 200;
-- 201 is in_one_transaction 201;
-- 202 is in_one_transaction 202;
-- 203 is in_one_transaction 203;
-- 204 is in_one_transaction 204;
-- 205 is in_one_transaction 205;
-- 206 is in_one_transaction 206;
-- 207 is in_one_transaction 207;
-- 208 is in_one_transaction 208;
-- 209 is in_one_transaction 209;
-- 210 is in_one_transaction 210;
-- 211 is in_one_transaction 211;
-- 212 is in_one_transaction 212;
-- 213 is in_one_transaction 213;
-- 214 is in_one_transaction 214;
-- 215 is in_one_transaction 215;
-- 216 is in_one_transaction 216;
-- 217 is in_one_transaction 52;
-- 218 is in_one_transaction 53;
-- 219 is in_one_transaction 54;
-- 220 is in_one_transaction 220;
-- 221 is in_one_transaction 221;
-- 222 is in_one_transaction 55;
-- 223 is in_one_transaction 223;
-- 224 is in_one_transaction 224;
-- 225 is in_one_transaction 225;
-- 226 is in_one_transaction 226;
-- 227 is in_one_transaction 56;
-- 228 is in_one_transaction 228;
-- 229 is in_one_transaction 229;
-- 230 is in_one_transaction 57;
-- 231 is in_one_transaction 231;
-- 232 is in_one_transaction 58;
-- 233 is in_one_transaction 233;
-- 234 is in_one_transaction 234;
-- 235 is in_one_transaction 1;
-- 236 is in_one_transaction 2;
-- 237 is in_one_transaction 3;
-- 238 is in_one_transaction 4;
-- 239 is in_one_transaction 5;
-- 240 is in_one_transaction 1;
-- 241 is in_one_transaction 2;
-- 242 is in_one_transaction 3;
-- 243 is in_one_transaction 4;
-- 244 is in_one_transaction 5;
-- 245 is in_one_transaction 6;

-- 246 classify: extent
SELECT COALESCE(min(s.id), 0), COALESCE(max(s.id), 0), count(*)
FROM "stg_area" s
WHERE s.import_status = 0;
-- 247 is in_one_transaction 1;
-- 248 is in_one_transaction 2;
-- 249 is in_one_transaction 3;
-- 250 is in_one_transaction 4;

-- 251 worktable: create_table
CREATE UNLOGGED TABLE "work_2" ("seq" bigint GENERATED BY DEFAULT AS IDENTITY, "row_id" bigint, "row_version" tid, "code" text, "action" smallint, "new_code" text, "target_id" bigint, "outcome" smallint, "turn" smallint, "waits" bigint, "error" bigint, "message" text, "v_name" text);

-- 252 classify: classify
INSERT INTO "work_2" ("row_id", "row_version", "code", "action", "new_code", "target_id", "outcome", "waits", "error", "message", "v_name")
SELECT j."row_id", j."row_version", j."code", j."action", j."new_code", j."target_id",
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
WHEN j.x_0 & 2 <> 0 THEN ('code: ''' ||
CASE
WHEN length(NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text END || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 4 <> 0 THEN ('code: ''' ||
CASE
WHEN length(NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text END || ''' is longer than 500 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8 <> 0 THEN ('code: ''' ||
CASE
WHEN length(NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text END || ''' does not exist.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 16 <> 0 THEN ('code: ''' ||
CASE
WHEN length(NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."code", ' \t\r
\xa0'), '')::text END || ''' exists already.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 32 <> 0 THEN ('new_code: ''' ||
CASE
WHEN length(NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '')::text END || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 64 <> 0 THEN ('new_code: ''' ||
CASE
WHEN length(NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '')::text END || ''' is longer than 500 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 128 <> 0 THEN ('import_action: ''' ||
CASE
WHEN length(COALESCE(s.import_action, 0)::text) > 80 THEN left(COALESCE(s.import_action, 0)::text, 80) || '…'
ELSE COALESCE(s.import_action, 0)::text END || ''' is not an import action.') || ' '
ELSE '' END))) ||
CASE
WHEN j.x_0 & 256 <> 0 THEN ('name: ''' ||
CASE
WHEN length(NULLIF(btrim(s."name", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."name", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."name", ' \t\r
\xa0'), '')::text END || ''' is not readable text.') || ' '
ELSE '' END))
FROM "stg_area" s
WHERE s.id = j.row_id) END, j."v_name"
FROM (SELECT t."row_id" AS "row_id", t."row_version" AS "row_version", t."code" AS "code", t."status" AS "status", t."action" AS "action",
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
AND ((t."t_name" IS NOT DISTINCT
FROM p."name")
OR (CASE
WHEN t."t_name" IS NOT NULL THEN t."t_name"
WHEN (t."s_name" = '~NULL~') THEN NULL
ELSE p."name" END IS NOT DISTINCT
FROM p."name")) THEN 0
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
WHEN t.new_code IS NULL THEN 32
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
WHEN t."t_name" IS NOT NULL THEN 0
WHEN t."s_name" IS NULL THEN 0
WHEN (t."s_name" = '~NULL~') THEN 0
ELSE 256 END
ELSE 0 END) AS "x_0",
CASE
WHEN t."t_name" IS NOT NULL THEN t."t_name"
WHEN (t."s_name" = '~NULL~') THEN NULL
ELSE p."name" END AS "v_name"
FROM (SELECT raw.*, raw.code AS t_code,
CASE
WHEN raw."s_name" <> '~NULL~' THEN raw."s_name" END AS "t_name"
FROM (SELECT s.id AS row_id, s.import_status AS status, s.ctid AS row_version, NULLIF(btrim(s."code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN s.new_code IS NOT NULL THEN NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') END AS new_code, COALESCE(s.import_action, 0) AS action, NULLIF(btrim(s."name", ' \t\r
\xa0'), '') AS "s_name"
FROM "stg_area" s
WHERE s.import_status = 0 OFFSET 0) raw OFFSET 0) t
LEFT
JOIN "mdm_area" p ON p.code = t.code OFFSET 0) j;

-- 253 worktable: create_index
CREATE INDEX "work_2_seq" ON "work_2" ("seq");
-- 254 is in_one_transaction 15;

-- 255 worktable: analyze_table
ANALYZE "work_2";

-- 256 worktable: create_table
CREATE UNLOGGED TABLE "work_2_again" ("code" text);

-- 257 duplicates: find_duplicates
INSERT INTO "work_2_again" (code)
SELECT w.code
FROM "work_2" w
WHERE w.code IS NOT NULL
GROUP BY w.code HAVING count(*) > 1;

-- 258 order: special
SELECT COALESCE(max(CASE
WHEN (w.action BETWEEN 3
AND 6) THEN 1
ELSE 0 END), 0), count(w.new_code), COALESCE(max(CASE
WHEN w.outcome = 5 THEN 1
ELSE 0 END), 0)
FROM "work_2" w;
-- 259 is in_one_transaction 15;
-- 260 is 255;
-- 261 is in_one_transaction 1;
-- 262 is in_one_transaction 2;
-- 263 is in_one_transaction 3;
-- 264 is in_one_transaction 4;
-- 265 is in_one_transaction 5;

-- 266 order: last_turn
SELECT w.turn, (SELECT min(first.seq)
FROM "work_2" first), w.seq
FROM "work_2" w
ORDER BY w.seq DESC LIMIT 1;
-- 267 is in_one_transaction 1;
-- 268 is in_one_transaction 2;
-- 269 is in_one_transaction 3;
-- 270 is in_one_transaction 4;
-- 271 is in_one_transaction 5;

-- 272 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM "work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome < 8
GROUP BY w.outcome;

-- 273 merge: mark_staged
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
FROM (SELECT w.row_id, w.outcome, w.error, w.message, w.row_version
FROM "work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome < 8
ORDER BY w.row_id OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0
AND s.ctid = w.row_version;

-- 274 history: note
INSERT INTO "hst_area" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id")
SELECT p.id, 'updated', 911, NULL, '2026-03-02 12:00:00+00:00'::timestamptz, 9203, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id"
FROM "mdm_area" p
JOIN (SELECT w.seq, w.target_id
FROM "work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id OFFSET 0) w ON p.id = w.target_id;

-- 275 members: update_members
UPDATE "mdm_area" AS p
SET "name" = w."v_name", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-02 12:00:00+00:00'::timestamptz, updated_batch_id = 911
FROM (SELECT w.seq, w.target_id
FROM "work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id OFFSET 0) m
JOIN "work_2" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND TRUE;

-- 276 history: insert_noted
WITH new AS (INSERT INTO "mdm_area" ("code", "name", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", true, '2026-03-02 12:00:00+00:00'::timestamptz, '2026-03-02 12:00:00+00:00'::timestamptz, 911, 911
FROM "work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code
RETURNING id) INSERT INTO "hst_area" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 911, '2026-03-02 12:00:00+00:00'::timestamptz, 'unknown', 9203
FROM new born;

-- 277 history: note
INSERT INTO "hst_area" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 911, NULL, '2026-03-02 12:00:00+00:00'::timestamptz, 9203, 'unknown'
FROM "mdm_area" p
JOIN (SELECT w.seq, w.target_id
FROM "work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id OFFSET 0) w ON p.id = w.target_id;

-- 278
SELECT relname
FROM pg_class
WHERE relkind = 'r'
AND pg_table_is_visible(oid)
AND relname LIKE E'work_2%';

-- 279 worktable: drop_table
DROP TABLE IF EXISTS "work_2";

-- 280 worktable: drop_table
DROP TABLE IF EXISTS "work_2_again";
-- 281 is in_one_transaction 1;
-- 282 is in_one_transaction 2;
-- 283 is in_one_transaction 3;
-- 284 is in_one_transaction 4;
-- 285 is in_one_transaction 5;
-- 286 is in_one_transaction 1;
-- 287 is in_one_transaction 2;
-- 288 is in_one_transaction 3;
-- 289 is in_one_transaction 4;

-- 290 late: glance
SELECT 1
FROM (SELECT NULLIF(btrim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(btrim(s."parent", ' \t\r
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

-- 291 late: many_wait
SELECT 1
FROM "stg_part" s
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416) LIMIT 1 OFFSET 300;

-- 292 late: bring_home
UPDATE "stg_part" AS s
SET "import_status" = 0, "error_code" = 0, "error_message" = NULL, "import_outcome" = NULL, "batch_id" = NULL
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)
AND s.id IN (WITH RECURSIVE waiting AS MATERIALIZED (SELECT *
FROM (SELECT s.id, NULLIF(btrim(s."code", ' \t\r
\xa0'), '') AS code, s.batch_id AS batch, NULLIF(btrim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(btrim(s."parent", ' \t\r
\xa0'), '') AS "s_parent", max(s.id) OVER (PARTITION BY NULLIF(btrim(s."code", ' \t\r
\xa0'), '')) AS newest
FROM "stg_part" s
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)) latest
WHERE latest.id = latest.newest), fresh AS MATERIALIZED (SELECT v.*
FROM waiting v
LEFT
JOIN "mdm_part" p ON p.code = v.code
LEFT
JOIN (SELECT NULLIF(btrim(s."code", ' \t\r
\xa0'), '') AS code
FROM "stg_part" s
WHERE s.import_status = 0
UNION
SELECT NULLIF(btrim(s."code", ' \t\r
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
-- 293 is in_one_transaction 1;
-- 294 is in_one_transaction 2;
-- 295 is in_one_transaction 3;
-- 296 is in_one_transaction 4;

-- 297 late: glance
SELECT 1
FROM (SELECT NULLIF(btrim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(btrim(s."parent", ' \t\r
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

-- 298 late: glance
SELECT 1
FROM (SELECT NULLIF(btrim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(btrim(s."parent", ' \t\r
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
-- 299 is 291;

-- 300 late: bring_home
UPDATE "stg_part" AS s
SET "import_status" = 0, "error_code" = 0, "error_message" = NULL, "import_outcome" = NULL, "batch_id" = NULL
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)
AND s.id IN (WITH RECURSIVE waiting AS MATERIALIZED (SELECT *
FROM (SELECT s.id, NULLIF(btrim(s."code", ' \t\r
\xa0'), '') AS code, s.batch_id AS batch, NULLIF(btrim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(btrim(s."parent", ' \t\r
\xa0'), '') AS "s_parent", max(s.id) OVER (PARTITION BY NULLIF(btrim(s."code", ' \t\r
\xa0'), '')) AS newest
FROM "stg_part" s
WHERE s."import_status" = 2
AND s."error_code" IN (32, 16384, 16416)) latest
WHERE latest.id = latest.newest), fresh AS MATERIALIZED (SELECT v.*
FROM waiting v
LEFT
JOIN "mdm_part" p ON p.code = v.code
LEFT
JOIN (SELECT NULLIF(btrim(s."code", ' \t\r
\xa0'), '') AS code
FROM "stg_part" s
WHERE s.import_status = 0
UNION
SELECT NULLIF(btrim(s."code", ' \t\r
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
-- 301 is in_one_transaction 1;
-- 302 is in_one_transaction 2;
-- 303 is in_one_transaction 3;
-- 304 is in_one_transaction 4;

-- 305 late: glance
SELECT 1
FROM (SELECT NULLIF(btrim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(btrim(s."parent", ' \t\r
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
-- 306 is 298;
-- 307 is 291;
-- 308 is 300;
-- 309 is in_one_transaction 1;
-- 310 is in_one_transaction 2;
-- 311 is in_one_transaction 3;
-- 312 is in_one_transaction 4;

-- 313 late: glance
SELECT 1
FROM (SELECT NULLIF(btrim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(btrim(s."parent", ' \t\r
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
