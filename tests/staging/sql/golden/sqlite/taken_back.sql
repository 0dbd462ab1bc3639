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

-- 186 undo: count_kept
SELECT count(DISTINCT h.member_id)
FROM "hst_part" h
WHERE h.batch_id = 910;

-- 187 worktable: create_table
CREATE TABLE temp."work_2_undo" ("seq" bigint, "member_id" bigint, "history_id" bigint, "left_batch_id" bigint, "kind" smallint, "conflict" smallint);

-- 188 undo: find_undone
INSERT INTO temp."work_2_undo" (seq, member_id, history_id, left_batch_id, kind, conflict)
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
ELSE (p.updated_batch_id IS h.was_updated_batch_id) END AS as_before,
CASE
WHEN last.action = 'deleted'
OR p.id IS NULL THEN (last.action = 'deleted'
AND p.id IS NULL)
ELSE (p.updated_batch_id IS 910) END AS as_left
FROM (SELECT member_id, min(id) AS first_id, max(id) AS last_id
FROM "hst_part"
WHERE batch_id = 910
GROUP BY member_id) ends
JOIN "hst_part" h ON h.id = ends.first_id
JOIN "hst_part" last ON last.id = ends.last_id
LEFT
JOIN "mdm_part" p ON p.id = ends.member_id) compared
WHERE NOT compared.as_before;

-- 189 worktable: create_index
CREATE INDEX temp."work_2_undo_member_id" ON "work_2_undo" ("member_id");

-- 190 undo: mark_conflicts
UPDATE temp."work_2_undo" AS u
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
FROM temp."work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = q.id
AND o.conflict = 0
AND (o.kind = 3
OR NOT (oh."was_code" IS q."code"))));

-- 191 undo: mark_conflicts
UPDATE temp."work_2_undo" AS u
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
FROM temp."work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = q.id
AND o.conflict = 0
AND (o.kind = 3
OR NOT (oh."was_mail" IS q."mail"))));

-- 192 undo: mark_conflicts
UPDATE temp."work_2_undo" AS u
SET conflict = 4
FROM "hst_part" h
LEFT
JOIN "mdm_part" p ON p.id = h.member_id
WHERE h.id = u.history_id
AND u.conflict = 0
AND u.kind IN (1, 2)
AND h."was_area" IS NOT NULL
AND (u.kind = 1
OR NOT (h."was_area" IS p."area")
OR (h.was_is_active
AND NOT p.is_active))
AND NOT (1 = 0)
AND NOT EXISTS (SELECT 1
FROM "mdm_area" r
WHERE r.id = h."was_area"
AND (r.is_active
OR NOT h.was_is_active)
AND 1 = 1);

-- 193 undo: mark_conflicts
UPDATE temp."work_2_undo" AS u
SET conflict = 4
FROM "hst_part" h
LEFT
JOIN "mdm_part" p ON p.id = h.member_id
WHERE h.id = u.history_id
AND u.conflict = 0
AND u.kind IN (1, 2)
AND h."was_parent" IS NOT NULL
AND (u.kind = 1
OR NOT (h."was_parent" IS p."parent")
OR (h.was_is_active
AND NOT p.is_active))
AND NOT (EXISTS (SELECT 1
FROM temp."work_2_undo" o
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
FROM temp."work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = r.id
AND o.conflict = 0
AND (1 = 1)));

-- 194 undo: mark_conflicts
UPDATE temp."work_2_undo" AS u
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
FROM temp."work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = q.id
AND o.conflict = 0
AND (o.kind = 3
OR NOT (oh."was_twin" IS q."twin"))));

-- 195 undo: mark_conflicts
UPDATE temp."work_2_undo" AS u
SET conflict = 4
FROM "hst_part" h
LEFT
JOIN "mdm_part" p ON p.id = h.member_id
WHERE h.id = u.history_id
AND u.conflict = 0
AND u.kind IN (1, 2)
AND h."was_twin" IS NOT NULL
AND (u.kind = 1
OR NOT (h."was_twin" IS p."twin")
OR (h.was_is_active
AND NOT p.is_active))
AND NOT (EXISTS (SELECT 1
FROM temp."work_2_undo" o
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
FROM temp."work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = r.id
AND o.conflict = 0
AND (1 = 1)));

-- 196 undo: mark_conflicts
UPDATE temp."work_2_undo" AS u
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
FROM temp."work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = q.id
AND o.conflict = 0
AND (o.kind = 3
OR NOT (oh."was_parent" IS q."parent")
OR (u.kind = 2
AND NOT oh.was_is_active)))));

-- 197 undo: mark_conflicts
UPDATE temp."work_2_undo" AS u
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
FROM temp."work_2_undo" o
JOIN "hst_part" oh ON oh.id = o.history_id
WHERE o.member_id = q.id
AND o.conflict = 0
AND (o.kind = 3
OR NOT (oh."was_twin" IS q."twin")
OR (u.kind = 2
AND NOT oh.was_is_active)))));

-- 198 undo: count_kinds
SELECT u.kind, count(*)
FROM temp."work_2_undo" u
WHERE u.conflict = 0
GROUP BY u.kind;

-- 199 undo: read_conflicts
SELECT COALESCE(p.code, h.was_code), u.conflict
FROM temp."work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
LEFT
JOIN "mdm_part" p ON p.id = u.member_id
WHERE u.conflict <> 0
ORDER BY 1;

-- 200 undo: change_places
SELECT 1
FROM temp."work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
JOIN "mdm_part" q ON q."code" = h."was_code"
WHERE u.conflict = 0
AND u.kind <> 3
AND q.id <> u.member_id LIMIT 1;

-- 201 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 911, h.was_updated_batch_id, '2026-03-02 12:00:00.000000', 9203, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN temp."work_2_undo" u ON u.member_id = p.id
JOIN "hst_part" h ON h.id = u.history_id
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 2;

-- 202 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_created_at", "was_created_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'deleted', 911, NULL, '2026-03-02 12:00:00.000000', 9203, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."created_at", p."created_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN temp."work_2_undo" u ON u.member_id = p.id
JOIN "hst_part" h ON h.id = u.history_id
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 3;

-- 203 undo: make_room
UPDATE "mdm_part" AS p
SET "code" = '~undo 2 ' || p.id
FROM temp."work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
WHERE p.id = u.member_id
AND u.conflict = 0
AND NOT (h."was_code" IS p."code");

-- 204 undo: make_room
UPDATE "mdm_part" AS p
SET "mail" = NULL
FROM temp."work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
WHERE p.id = u.member_id
AND u.conflict = 0
AND NOT (h."was_mail" IS p."mail");

-- 205 undo: make_room
UPDATE "mdm_part" AS p
SET "twin" = NULL
FROM temp."work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
WHERE p.id = u.member_id
AND u.conflict = 0
AND NOT (h."was_twin" IS p."twin");
-- 206 is 203;
-- 207 is 204;
-- 208 is 205;

-- 209 undo: revive
INSERT INTO "mdm_part" (id, "code", "name", "is_active", "updated_batch_id", "created_batch_id", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", created_at, updated_at)
SELECT u.member_id, h."was_code", h."was_name", h."was_is_active", h."was_updated_batch_id", h."was_created_batch_id", h."was_mail", h."was_kind", h."was_size", h."was_staff", h."was_rent", h."was_is_open", h."was_opened", h."was_closed", h."was_seen", h."was_area", h."was_parent", h."was_twin", COALESCE(h.was_created_at, '2026-03-02 12:00:00.000000'), '2026-03-02 12:00:00.000000'
FROM temp."work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 1;

-- 210 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 911, h.was_updated_batch_id, '2026-03-02 12:00:00.000000', 9203, 'unknown'
FROM "mdm_part" p
JOIN temp."work_2_undo" u ON u.member_id = p.id
JOIN "hst_part" h ON h.id = u.history_id
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 1;

-- 211 undo: restore
UPDATE "mdm_part" AS p
SET "code" = h."was_code", "name" = h."was_name", "is_active" = h."was_is_active", "updated_batch_id" = h."was_updated_batch_id", "mail" = h."was_mail", "kind" = h."was_kind", "size" = h."was_size", "staff" = h."was_staff", "rent" = h."was_rent", "is_open" = h."was_is_open", "opened" = h."was_opened", "closed" = h."was_closed", "seen" = h."was_seen", "area" = h."was_area", "parent" = h."was_parent", "twin" = h."was_twin", updated_at = '2026-03-02 12:00:00.000000'
FROM temp."work_2_undo" u
JOIN "hst_part" h ON h.id = u.history_id
WHERE p.id = u.member_id
AND u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 2
AND (p.updated_batch_id IS u.left_batch_id);

-- 212 history: note_new_codes
UPDATE "hst_part" AS h
SET new_code = p.code
FROM "mdm_part" p
WHERE h.change_set_id = 9203
AND h.id > 24
AND p.id = h.member_id
AND p.code <> h.was_code;

-- 213 undo: count_expected
SELECT count(*)
FROM temp."work_2_undo" u
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 1;

-- 214 undo: count_expected
SELECT count(*)
FROM temp."work_2_undo" u
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 2;

-- 215 undo: remove
DELETE
FROM "mdm_part" AS p
WHERE EXISTS (SELECT 1
FROM temp."work_2_undo" u
WHERE u.member_id = p.id
AND u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 3
AND (p.updated_batch_id IS u.left_batch_id));

-- 216 undo: count_expected
SELECT count(*)
FROM temp."work_2_undo" u
WHERE u.seq BETWEEN 0
AND 4611686018427387904
AND u.conflict = 0
AND u.kind = 3;

-- 217
SELECT name
FROM sqlite_temp_master
WHERE type = 'table'
AND name LIKE 'work_2%' ESCAPE '\';

-- 218 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_undo";
