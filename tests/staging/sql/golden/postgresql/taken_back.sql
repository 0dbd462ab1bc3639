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

-- 246 undo: count_kept
SELECT count(DISTINCT h.member_id)
FROM "hst_part" h
WHERE h.batch_id = 910;
-- 247 is in_one_transaction 1;
-- 248 is in_one_transaction 2;
-- 249 is in_one_transaction 3;
-- 250 is in_one_transaction 4;

-- 251 worktable: create_table
CREATE UNLOGGED TABLE "work_2_undo" ("seq" bigint, "member_id" bigint, "history_id" bigint, "left_batch_id" bigint, "kind" smallint, "conflict" smallint);

-- 252 undo: find_undone
INSERT INTO "work_2_undo" (seq, member_id, history_id, left_batch_id, kind, conflict)
SELECT row_number() OVER (ORDER BY compared.kind, compared.member_id), compared.member_id, compared.history_id, compared.left_batch_id, compared.kind,
CASE
WHEN compared.as_left THEN 0
ELSE 1 END
FROM (SELECT ends.member_id, h.id AS history_id, 910 AS left_batch_id,
CASE
WHEN h.action = 'inserted' THEN 3
WHEN p.id IS NULL THEN 1
ELSE 2 END AS kind,
CASE
WHEN h.action = 'inserted'
OR p.id IS NULL THEN (h.action = 'inserted'
AND p.id IS NULL)
ELSE (p.updated_batch_id IS NOT DISTINCT
FROM h.was_updated_batch_id) END AS as_before,
CASE
WHEN last.action = 'deleted'
OR p.id IS NULL THEN (last.action = 'deleted'
AND p.id IS NULL)
ELSE (p.updated_batch_id IS NOT DISTINCT
FROM 910) END AS as_left
FROM (SELECT member_id, min(id) AS first_id, max(id) AS last_id
FROM "hst_part"
WHERE batch_id = 910
GROUP BY member_id) ends
JOIN "hst_part" h ON h.id = ends.first_id
JOIN "hst_part" last ON last.id = ends.last_id
LEFT
JOIN "mdm_part" p ON p.id = ends.member_id) compared
WHERE NOT compared.as_before;

-- 253 worktable: create_index
CREATE INDEX "work_2_undo_member_id" ON "work_2_undo" USING hash ("member_id");
-- 254 is in_one_transaction 15;

-- 255 worktable: analyze_table
ANALYZE "work_2_undo";

-- 256 undo: mark_conflicts
UPDATE "work_2_undo" AS u
SET conflict = 2
FROM "hst_part" h
LEFT
JOIN "mdm_part" p ON p.id = h.member_id
WHERE h.id = u.history_id
AND u.conflict = 0
AND u.kind IN (1, 2)
AND EXISTS (SELECT 1
FROM "mdm_part" q
WHERE q."code" = h."was_code"
AND q.id <> u.member_id
AND NOT EXISTS (SELECT 1
FROM "work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = q.id
AND o.conflict = 0
AND (o.kind = 3
OR NOT (oh."was_code" IS NOT DISTINCT
FROM q."code"))));

-- 257 undo: mark_conflicts
UPDATE "work_2_undo" AS u
SET conflict = 3
FROM "hst_part" h
LEFT
JOIN "mdm_part" p ON p.id = h.member_id
WHERE h.id = u.history_id
AND u.conflict = 0
AND u.kind IN (1, 2)
AND EXISTS (SELECT 1
FROM "mdm_part" q
WHERE q."mail" = h."was_mail"
AND q.id <> u.member_id
AND NOT EXISTS (SELECT 1
FROM "work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = q.id
AND o.conflict = 0
AND (o.kind = 3
OR NOT (oh."was_mail" IS NOT DISTINCT
FROM q."mail"))));

-- 258 undo: mark_conflicts
UPDATE "work_2_undo" AS u
SET conflict = 4
FROM "hst_part" h
LEFT
JOIN "mdm_part" p ON p.id = h.member_id
WHERE h.id = u.history_id
AND u.conflict = 0
AND u.kind IN (1, 2)
AND h."was_area" IS NOT NULL
AND (u.kind = 1
OR NOT (h."was_area" IS NOT DISTINCT
FROM p."area")
OR (h.was_is_active
AND NOT p.is_active))
AND NOT (1 = 0)
AND NOT EXISTS (SELECT 1
FROM "mdm_area" r
WHERE r.id = h."was_area"
AND (r.is_active
OR NOT h.was_is_active)
AND 1 = 1);

-- 259 undo: mark_conflicts
UPDATE "work_2_undo" AS u
SET conflict = 4
FROM "hst_part" h
LEFT
JOIN "mdm_part" p ON p.id = h.member_id
WHERE h.id = u.history_id
AND u.conflict = 0
AND u.kind IN (1, 2)
AND h."was_parent" IS NOT NULL
AND (u.kind = 1
OR NOT (h."was_parent" IS NOT DISTINCT
FROM p."parent")
OR (h.was_is_active
AND NOT p.is_active))
AND NOT (EXISTS (SELECT 1
FROM "work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = h."was_parent"
AND o.conflict = 0
AND (o.kind <> 3)))
AND NOT EXISTS (SELECT 1
FROM "mdm_part" r
WHERE r.id = h."was_parent"
AND (r.is_active
OR NOT h.was_is_active)
AND NOT EXISTS (SELECT 1
FROM "work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = r.id
AND o.conflict = 0
AND (1 = 1)));

-- 260 undo: mark_conflicts
UPDATE "work_2_undo" AS u
SET conflict = 3
FROM "hst_part" h
LEFT
JOIN "mdm_part" p ON p.id = h.member_id
WHERE h.id = u.history_id
AND u.conflict = 0
AND u.kind IN (1, 2)
AND EXISTS (SELECT 1
FROM "mdm_part" q
WHERE q."twin" = h."was_twin"
AND q.id <> u.member_id
AND NOT EXISTS (SELECT 1
FROM "work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = q.id
AND o.conflict = 0
AND (o.kind = 3
OR NOT (oh."was_twin" IS NOT DISTINCT
FROM q."twin"))));

-- 261 undo: mark_conflicts
UPDATE "work_2_undo" AS u
SET conflict = 4
FROM "hst_part" h
LEFT
JOIN "mdm_part" p ON p.id = h.member_id
WHERE h.id = u.history_id
AND u.conflict = 0
AND u.kind IN (1, 2)
AND h."was_twin" IS NOT NULL
AND (u.kind = 1
OR NOT (h."was_twin" IS NOT DISTINCT
FROM p."twin")
OR (h.was_is_active
AND NOT p.is_active))
AND NOT (EXISTS (SELECT 1
FROM "work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = h."was_twin"
AND o.conflict = 0
AND (o.kind <> 3)))
AND NOT EXISTS (SELECT 1
FROM "mdm_part" r
WHERE r.id = h."was_twin"
AND (r.is_active
OR NOT h.was_is_active)
AND NOT EXISTS (SELECT 1
FROM "work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = r.id
AND o.conflict = 0
AND (1 = 1)));

-- 262 undo: mark_conflicts
UPDATE "work_2_undo" AS u
SET conflict = 5
FROM "hst_part" h
LEFT
JOIN "mdm_part" p ON p.id = h.member_id
WHERE h.id = u.history_id
AND u.conflict = 0
AND (u.kind = 3
OR (u.kind = 2
AND p.is_active
AND NOT h.was_is_active))
AND EXISTS (SELECT 1
FROM "mdm_part" q
WHERE q."parent" = u.member_id
AND q.id <> u.member_id
AND (u.kind = 3
OR q.is_active)
AND NOT (EXISTS (SELECT 1
FROM "work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = q.id
AND o.conflict = 0
AND (o.kind = 3
OR NOT (oh."was_parent" IS NOT DISTINCT
FROM q."parent")
OR (u.kind = 2
AND NOT oh.was_is_active)))));

-- 263 undo: mark_conflicts
UPDATE "work_2_undo" AS u
SET conflict = 5
FROM "hst_part" h
LEFT
JOIN "mdm_part" p ON p.id = h.member_id
WHERE h.id = u.history_id
AND u.conflict = 0
AND (u.kind = 3
OR (u.kind = 2
AND p.is_active
AND NOT h.was_is_active))
AND EXISTS (SELECT 1
FROM "mdm_part" q
WHERE q."twin" = u.member_id
AND q.id <> u.member_id
AND (u.kind = 3
OR q.is_active)
AND NOT (EXISTS (SELECT 1
FROM "work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = q.id
AND o.conflict = 0
AND (o.kind = 3
OR NOT (oh."was_twin" IS NOT DISTINCT
FROM q."twin")
OR (u.kind = 2
AND NOT oh.was_is_active)))));

-- 264 undo: count_kinds
SELECT u.kind, count(*)
FROM "work_2_undo" u
WHERE u.conflict = 0
GROUP BY u.kind;

-- 265 undo: read_conflicts
SELECT COALESCE(p.code, h.was_code), u.conflict
FROM "work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
LEFT
JOIN "mdm_part" p ON p.id = u.member_id
WHERE u.conflict <> 0
ORDER BY 1;
-- 266 is in_one_transaction 1;
-- 267 is in_one_transaction 2;
-- 268 is in_one_transaction 3;
-- 269 is in_one_transaction 4;
-- 270 is in_one_transaction 5;

-- 271 undo: change_places
SELECT 1
FROM "work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
JOIN "mdm_part" q ON q."code" = h."was_code"
WHERE u.conflict = 0
AND u.kind <> 3
AND q.id <> u.member_id LIMIT 1;
-- 272 is in_one_transaction 1;
-- 273 is in_one_transaction 2;
-- 274 is in_one_transaction 3;
-- 275 is in_one_transaction 4;
-- 276 is in_one_transaction 5;

-- 277 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 911, h.was_updated_batch_id, '2026-03-02 12:00:00+00:00'::timestamptz, 9203, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN "work_2_undo" u ON u.member_id = p.id
JOIN "hst_part" h ON h.id = u.history_id
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 2;

-- 278 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_created_at", "was_created_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'deleted', 911, NULL, '2026-03-02 12:00:00+00:00'::timestamptz, 9203, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."created_at", p."created_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN "work_2_undo" u ON u.member_id = p.id
JOIN "hst_part" h ON h.id = u.history_id
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 3;

-- 279 undo: make_room
UPDATE "mdm_part" AS p
SET "code" = '~undo 2 ' || p.id
FROM "work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
WHERE p.id = u.member_id
AND u.conflict = 0
AND NOT (h."was_code" IS NOT DISTINCT
FROM p."code");

-- 280 undo: make_room
UPDATE "mdm_part" AS p
SET "mail" = NULL
FROM "work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
WHERE p.id = u.member_id
AND u.conflict = 0
AND NOT (h."was_mail" IS NOT DISTINCT
FROM p."mail");

-- 281 undo: make_room
UPDATE "mdm_part" AS p
SET "twin" = NULL
FROM "work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
WHERE p.id = u.member_id
AND u.conflict = 0
AND NOT (h."was_twin" IS NOT DISTINCT
FROM p."twin");
-- 282 is 279;
-- 283 is 280;
-- 284 is 281;

-- 285 undo: revive
INSERT INTO "mdm_part" (id, "code", "name", "is_active", "updated_batch_id", "created_batch_id", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", created_at, updated_at)
SELECT u.member_id, h."was_code", h."was_name", h."was_is_active", h."was_updated_batch_id", h."was_created_batch_id", h."was_mail", h."was_kind", h."was_size", h."was_staff", h."was_rent", h."was_is_open", h."was_opened", h."was_closed", h."was_seen", h."was_area", h."was_parent", h."was_twin", COALESCE(h.was_created_at, '2026-03-02 12:00:00+00:00'::timestamptz), '2026-03-02 12:00:00+00:00'::timestamptz
FROM "work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 1;

-- 286 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 911, h.was_updated_batch_id, '2026-03-02 12:00:00+00:00'::timestamptz, 9203, 'unknown'
FROM "mdm_part" p
JOIN "work_2_undo" u ON u.member_id = p.id
JOIN "hst_part" h ON h.id = u.history_id
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 1;

-- 287 undo: restore
UPDATE "mdm_part" AS p
SET "code" = h."was_code", "name" = h."was_name", "is_active" = h."was_is_active", "updated_batch_id" = h."was_updated_batch_id", "mail" = h."was_mail", "kind" = h."was_kind", "size" = h."was_size", "staff" = h."was_staff", "rent" = h."was_rent", "is_open" = h."was_is_open", "opened" = h."was_opened", "closed" = h."was_closed", "seen" = h."was_seen", "area" = h."was_area", "parent" = h."was_parent", "twin" = h."was_twin", updated_at = '2026-03-02 12:00:00+00:00'::timestamptz
FROM "work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
WHERE p.id = u.member_id
AND u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 2
AND (p.updated_batch_id IS NOT DISTINCT
FROM u.left_batch_id);

-- 288 history: note_new_codes
UPDATE "hst_part" AS h
SET new_code = p.code
FROM "mdm_part" p
WHERE h.change_set_id = 9203
AND h.id > 24
AND p.id = h.member_id
AND p.code <> h.was_code;

-- 289 undo: count_expected
SELECT count(*)
FROM "work_2_undo" u
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 1;

-- 290 undo: count_expected
SELECT count(*)
FROM "work_2_undo" u
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 2;

-- 291 undo: remove
DELETE
FROM "mdm_part" AS p
WHERE EXISTS (SELECT 1
FROM "work_2_undo" u
WHERE u.member_id = p.id
AND u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 3
AND (p.updated_batch_id IS NOT DISTINCT
FROM u.left_batch_id));

-- 292 undo: count_expected
SELECT count(*)
FROM "work_2_undo" u
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 3;

-- 293
SELECT relname
FROM pg_class
WHERE relkind = 'r'
AND pg_table_is_visible(oid)
AND relname LIKE E'work_2%';

-- 294 worktable: drop_table
DROP TABLE IF EXISTS "work_2_undo";
-- 295 is in_one_transaction 1;
-- 296 is in_one_transaction 2;
-- 297 is in_one_transaction 3;
-- 298 is in_one_transaction 4;
-- 299 is in_one_transaction 5;
