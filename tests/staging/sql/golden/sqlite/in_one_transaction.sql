
-- 1
SELECT name
FROM sqlite_temp_master
WHERE type = 'table'
AND name LIKE 'work\_batch\_%' ESCAPE '\';

-- 2
SELECT name
FROM main.sqlite_master
WHERE type = 'table'
AND name LIKE 'work\_batch\_%' ESCAPE '\';

-- 3 classify: extent
SELECT COALESCE(min(s.id), 0), COALESCE(max(s.id), 0), count(*)
FROM "stg_part" s
WHERE s.import_status = 0;

-- 4 worktable: create_table
CREATE TABLE temp."work_1" ("seq" INTEGER PRIMARY KEY, "row_id" bigint, "code" TEXT, "action" smallint, "new_code" TEXT, "target_id" bigint, "outcome" smallint, "turn" smallint, "waits" bigint, "error" bigint, "message" TEXT, "v_name" TEXT, "v_mail" TEXT, "v_kind" TEXT, "v_size" TEXT, "v_staff" INTEGER, "v_rent" TEXT, "v_is_open" INTEGER, "v_opened" TEXT, "v_closed" TEXT, "v_seen" TEXT, "v_area" INTEGER, "v_parent" INTEGER, "v_twin" INTEGER, "l_parent" TEXT, "l_twin" TEXT);

-- 5 classify: classify
INSERT INTO temp."work_1" ("row_id", "code", "action", "new_code", "target_id", "outcome", "waits", "error", "message", "v_name", "v_mail", "v_kind", "v_size", "v_staff", "v_rent", "v_is_open", "v_opened", "v_closed", "v_seen", "v_area", "v_parent", "v_twin", "l_parent", "l_twin")
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
OR FALSE IS TRUE)) THEN t."t_is_open"
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
OR FALSE IS TRUE)) THEN t."t_closed"
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
OR FALSE IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END AS "v_is_open",
CASE
WHEN t."t_opened" < x'' THEN t."t_opened"
WHEN (t."t_opened" = x'') THEN NULL
ELSE p."opened" END AS "v_opened",
CASE
WHEN (t."t_closed" < x''
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_closed"
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

-- 6 worktable: create_table
CREATE TABLE temp."work_1_again" ("code" TEXT);

-- 7 duplicates: find_duplicates
INSERT INTO temp."work_1_again" (code)
SELECT w.code
FROM temp."work_1" w
WHERE w.code IS NOT NULL
GROUP BY w.code HAVING count(*) > 1;

-- 8 worktable: create_table
CREATE TABLE temp."work_1_twice" ("code" TEXT, "kept" bigint, "alike" smallint);

-- 9 duplicates: compare_duplicates
INSERT INTO temp."work_1_twice" (code, kept, alike)
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
FROM temp."work_1" w
JOIN "stg_part" s ON s.id = w.row_id
WHERE w.code IN (SELECT a.code
FROM temp."work_1_again" a)
GROUP BY w.code;

-- 10 duplicates: supersede
UPDATE temp."work_1" AS w
SET outcome = 5, error = 0, message = NULL
FROM temp."work_1_twice" d
WHERE w.code = d.code
AND w.row_id <> d.kept
AND w.outcome < 8
AND d.alike = 1;

-- 11 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 2, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('code: ''' || staging_shown(CAST(w.code AS BLOB)) || ''' is in more than one row of the batch.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.code IN (SELECT d.code
FROM temp."work_1_twice" d
WHERE d.alike = 0));

-- 12 order: special
SELECT COALESCE(max(CASE
WHEN (w.action BETWEEN 3
AND 6) THEN 1
ELSE 0 END), 0), count(w.new_code), COALESCE(max(CASE
WHEN w.outcome = 5 THEN 1
ELSE 0 END), 0)
FROM temp."work_1" w;

-- 13 removals: forget_values
UPDATE temp."work_1" AS w
SET waits = 0, "l_parent" = NULL, "l_twin" = NULL, "v_name" = NULL, "v_mail" = NULL, "v_kind" = NULL, "v_size" = NULL, "v_staff" = NULL, "v_rent" = NULL, "v_is_open" = NULL, "v_opened" = NULL, "v_closed" = NULL, "v_seen" = NULL, "v_area" = NULL, "v_parent" = NULL, "v_twin" = NULL
WHERE (w.action BETWEEN 3
AND 6);

-- 14 removals: keep_values
UPDATE temp."work_1" AS w
SET "v_name" = p."name", "v_mail" = p."mail", "v_kind" = p."kind", "v_size" = p."size", "v_staff" = p."staff", "v_rent" = p."rent", "v_is_open" = p."is_open", "v_opened" = p."opened", "v_closed" = p."closed", "v_seen" = p."seen", "v_area" = p."area", "v_parent" = p."parent", "v_twin" = p."twin"
FROM "mdm_part" p
WHERE (w.action BETWEEN 3
AND 6)
AND p.id = w.target_id;

-- 15 worktable: create_table
CREATE TABLE temp."work_1_removed" ("id" bigint, "code" TEXT, "action" smallint, "active" smallint);

-- 16 removals: find_candidates
INSERT INTO temp."work_1_removed" (id, code, action, active)
SELECT p.id, p.code, w.action,
CASE
WHEN p.is_active THEN 1
ELSE 0 END
FROM temp."work_1" w
JOIN "mdm_part" p ON p.id = w.target_id
WHERE (w.action BETWEEN 3
AND 6)
AND w.outcome IN (3, 6, 7)
AND (w.action <> 3
OR w.outcome <> 3);

-- 17 worktable: create_index
CREATE INDEX temp."work_1_removed_id" ON "work_1_removed" ("id");

-- 18 worktable: create_table
CREATE TABLE temp."work_1_kept" ("id" bigint);

-- 19 worktable: create_table
CREATE TABLE temp."work_1_ties" ("id" bigint, "needs" bigint);

-- 20 removals: find_ties
INSERT INTO temp."work_1_ties" (id, needs)
SELECT DISTINCT c.id, y.id
FROM temp."work_1_removed" c
JOIN "mdm_part" p ON p."parent" = c.id
LEFT
JOIN temp."work_1_removed" y ON y.id = p.id
AND (c.action = 3
OR y.action IN (4, 6))
WHERE ((c.action = 3
AND p.is_active)
OR c.action = 4)
AND p.id <> c.id;

-- 21 removals: find_ties
INSERT INTO temp."work_1_ties" (id, needs)
SELECT DISTINCT c.id, y.id
FROM temp."work_1_removed" c
JOIN "mdm_part" p ON p."twin" = c.id
LEFT
JOIN temp."work_1_removed" y ON y.id = p.id
AND (c.action = 3
OR y.action IN (4, 6))
WHERE ((c.action = 3
AND p.is_active)
OR c.action = 4)
AND p.id <> c.id;

-- 22 worktable: create_index
CREATE INDEX temp."work_1_ties_needs" ON "work_1_ties" ("needs");

-- 23 removals: find_needed
INSERT INTO temp."work_1_kept" (id) WITH RECURSIVE kept (id) AS (SELECT tie.id
FROM temp."work_1_ties" tie
WHERE tie.needs IS NULL
UNION
SELECT tie.id
FROM kept
JOIN temp."work_1_ties" tie ON tie.needs = kept.id)
SELECT id
FROM kept;

-- 24 removals: keep_needed
DELETE
FROM temp."work_1_removed"
WHERE id IN (SELECT needed.id
FROM temp."work_1_kept" needed);

-- 25 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 256, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('code: ''' || staging_shown(CAST(w.code AS BLOB)) || ''' is still referred to by parent of Part.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.target_id IN (SELECT needed.id
FROM temp."work_1_kept" needed)
AND EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p."parent" = w.target_id
AND ((w.action = 3
AND p.is_active)
OR w.action = 4)
AND p.id <> w.target_id
AND NOT EXISTS (SELECT 1
FROM temp."work_1_removed" y
WHERE y.id = p.id
AND (w.action = 3
OR y.action IN (4, 6)))));

-- 26 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 256, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('code: ''' || staging_shown(CAST(w.code AS BLOB)) || ''' is still referred to by twin of Part.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.target_id IN (SELECT needed.id
FROM temp."work_1_kept" needed)
AND EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p."twin" = w.target_id
AND ((w.action = 3
AND p.is_active)
OR w.action = 4)
AND p.id <> w.target_id
AND NOT EXISTS (SELECT 1
FROM temp."work_1_removed" y
WHERE y.id = p.id
AND (w.action = 3
OR y.action IN (4, 6)))));

-- 27 removals: count_cleared
UPDATE temp."work_1" AS w
SET outcome = 6
WHERE w.action = 5
AND w.outcome = 3
AND (EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p."parent" = w.target_id)
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p."twin" = w.target_id));

-- 28 second_look: lose_a_reference
SELECT w.row_id
FROM temp."work_1" w
JOIN "mdm_part" p ON p.id = w.target_id
WHERE NOT (w.action BETWEEN 3
AND 6)
AND (p."parent" IN (SELECT g.id
FROM temp."work_1_removed" g
WHERE g.action IN (5, 6))
OR p."twin" IN (SELECT g.id
FROM temp."work_1_removed" g
WHERE g.action IN (5, 6))) LIMIT 1;

-- 29 worktable: create_table
CREATE TABLE temp."work_1_gone" ("id" bigint, "clears" bigint);

-- 30 second_look: remember
INSERT INTO temp."work_1_gone"
SELECT g.id,
CASE
WHEN g.action IN (5, 6) THEN 1
ELSE 0 END
FROM temp."work_1_removed" g;

-- 31 worktable: create_table
CREATE TABLE temp."work_1_superseded" ("row_id" bigint);

-- 32 second_look: remember
INSERT INTO temp."work_1_superseded"
SELECT w.row_id
FROM temp."work_1" w
WHERE w.outcome = 5;

-- 33
SELECT name
FROM sqlite_temp_master
WHERE type = 'table'
AND name LIKE 'work_1%' ESCAPE '\';

-- 34 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1";

-- 35 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_again";

-- 36 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_twice";

-- 37 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_removed";

-- 38 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_kept";

-- 39 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_ties";
-- 40 is 4;

-- 41 classify: classify
INSERT INTO temp."work_1" ("row_id", "code", "action", "new_code", "target_id", "outcome", "waits", "error", "message", "v_name", "v_mail", "v_kind", "v_size", "v_staff", "v_rent", "v_is_open", "v_opened", "v_closed", "v_seen", "v_area", "v_parent", "v_twin", "l_parent", "l_twin")
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
OR FALSE IS TRUE)) THEN t."t_is_open"
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
OR FALSE IS TRUE)) THEN t."t_closed"
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
AND (("r_parent"."is_active"
AND "r_parent"."id" NOT IN (SELECT id
FROM temp."work_1_gone"))
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
ELSE
CASE
WHEN p."parent" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."parent" END END IS
CASE
WHEN p."parent" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."parent" END)))
AND (CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND (("r_twin"."is_active"
AND "r_twin"."id" NOT IN (SELECT id
FROM temp."work_1_gone"))
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
ELSE
CASE
WHEN p."twin" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."twin" END END IS
CASE
WHEN p."twin" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."twin" END))) THEN 0
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
WHEN (("r_parent"."is_active"
AND "r_parent"."id" NOT IN (SELECT id
FROM temp."work_1_gone"))
OR ((t."s_parent" = '~NULL~') IS NOT TRUE
AND ("b_parent"."code" IS NOT NULL
OR "n_parent"."code" IS NOT NULL)
AND "r_parent"."is_active" IS NOT TRUE)) THEN 0
ELSE 1073741824 END)) |
CASE
WHEN t."s_twin" IS NULL THEN 0
WHEN (t."s_twin" = '~NULL~') THEN 0
WHEN (("r_twin"."is_active"
AND "r_twin"."id" NOT IN (SELECT id
FROM temp."work_1_gone"))
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
OR FALSE IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END AS "v_is_open",
CASE
WHEN t."t_opened" < x'' THEN t."t_opened"
WHEN (t."t_opened" = x'') THEN NULL
ELSE p."opened" END AS "v_opened",
CASE
WHEN (t."t_closed" < x''
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_closed"
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
AND (("r_parent"."is_active"
AND "r_parent"."id" NOT IN (SELECT id
FROM temp."work_1_gone"))
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
ELSE
CASE
WHEN p."parent" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."parent" END END AS "v_parent",
CASE
WHEN ((t."s_twin" = '~NULL~') IS NOT TRUE
AND (("r_twin"."is_active"
AND "r_twin"."id" NOT IN (SELECT id
FROM temp."work_1_gone"))
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
ELSE
CASE
WHEN p."twin" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."twin" END END AS "v_twin",
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
AND s.id NOT IN (SELECT row_id
FROM temp."work_1_superseded")
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
AND s.id NOT IN (SELECT row_id
FROM temp."work_1_superseded")
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
AND s.id NOT IN (SELECT row_id
FROM temp."work_1_superseded")
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
AND s.id NOT IN (SELECT row_id
FROM temp."work_1_superseded")
GROUP BY 1) "n_twin" ON "n_twin"."code" = t."s_twin" LIMIT -1 OFFSET 0) j;
-- 42 is 6;
-- 43 is 7;
-- 44 is 8;
-- 45 is 9;
-- 46 is 10;
-- 47 is 11;
-- 48 is 12;
-- 49 is 13;
-- 50 is 14;
-- 51 is 15;
-- 52 is 16;
-- 53 is 17;
-- 54 is 18;
-- 55 is 19;
-- 56 is 20;
-- 57 is 21;
-- 58 is 22;
-- 59 is 23;
-- 60 is 24;
-- 61 is 25;
-- 62 is 26;
-- 63 is 27;

-- 64 second_look: find_difference
SELECT 1
FROM (SELECT *
FROM temp."work_1_gone" EXCEPT
SELECT g.id,
CASE
WHEN g.action IN (5, 6) THEN 1
ELSE 0 END
FROM temp."work_1_removed" g) differs LIMIT 1;

-- 65 second_look: find_difference
SELECT 1
FROM (SELECT g.id,
CASE
WHEN g.action IN (5, 6) THEN 1
ELSE 0 END
FROM temp."work_1_removed" g EXCEPT
SELECT *
FROM temp."work_1_gone") differs LIMIT 1;

-- 66 second_look: find_difference
SELECT 1
FROM (SELECT *
FROM temp."work_1_superseded" EXCEPT
SELECT w.row_id
FROM temp."work_1" w
WHERE w.outcome = 5) differs LIMIT 1;

-- 67 second_look: find_difference
SELECT 1
FROM (SELECT w.row_id
FROM temp."work_1" w
WHERE w.outcome = 5 EXCEPT
SELECT *
FROM temp."work_1_superseded") differs LIMIT 1;

-- 68 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 512, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('new_code: ''' || staging_shown(CAST(w.new_code AS BLOB)) || ''' is wanted by another row of the batch.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.new_code IN (SELECT o.code
FROM temp."work_1" o
WHERE o.target_id IS NULL
AND o.action IN (0, 1)
AND o.new_code IS NULL
AND o.code IS NOT NULL
AND o.outcome <> 5)
OR w.new_code IN (SELECT o.new_code
FROM temp."work_1" o
WHERE o.new_code IS NOT NULL
AND o.outcome <> 5
GROUP BY o.new_code HAVING count(*) > 1));

-- 69 reject: say
UPDATE temp."work_1" AS w
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

-- 70 reject: say
UPDATE temp."work_1" AS w
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

-- 71 worktable: create_table
CREATE TABLE temp."work_1_edges" ("row_id" bigint, "target" bigint, "field" bigint, "gives" bigint, "firm" bigint);

-- 72 worktable: create_table
CREATE TABLE temp."work_1_lost" ("row_id" bigint, "field" bigint, "firm" bigint, "round" bigint);

-- 73 cascade: find_references
INSERT INTO temp."work_1_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, COALESCE(o.row_id, n.row_id), 0, -3, 1
FROM temp."work_1" w
LEFT
JOIN temp."work_1" o ON o.code = w."l_parent"
AND NOT (o.action = 2
OR (o.action BETWEEN 3
AND 6))
AND o.outcome IN (1, 2, 3)
LEFT
JOIN (SELECT x.row_id, x.new_code
FROM temp."work_1" x
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

-- 74 cascade: find_references
INSERT INTO temp."work_1_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, COALESCE(o.row_id, n.row_id), 1, 1001, 0
FROM temp."work_1" w
LEFT
JOIN temp."work_1" o ON o.code = w."l_twin"
AND NOT (o.action = 2
OR (o.action BETWEEN 3
AND 6))
AND o.outcome IN (1, 2, 3)
LEFT
JOIN (SELECT x.row_id, x.new_code
FROM temp."work_1" x
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

-- 75 cascade: find_holders
INSERT INTO temp."work_1_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, -1, -3, 1
FROM temp."work_1" w
JOIN "mdm_part" p ON p.code = w.new_code
LEFT
JOIN temp."work_1" o ON o.target_id = p.id
AND o.new_code IS NOT NULL
AND o.outcome = 2
WHERE w.new_code IS NOT NULL
AND w.outcome NOT IN (5, 8, 9);

-- 76 worktable: create_index
CREATE INDEX temp."work_1_edges_target" ON "work_1_edges" ("target");

-- 77 cascade: find_lost
INSERT INTO temp."work_1_lost" (row_id, field, firm, round) WITH RECURSIVE lost (row_id, field, gives, firm) AS (SELECT e.row_id, e.field, e.gives, e.firm
FROM temp."work_1_edges" e
WHERE e.target IS NULL
UNION
SELECT e.row_id, e.field, e.gives, e.firm
FROM lost l
JOIN temp."work_1_edges" e ON e.target = l.row_id
WHERE l.firm = 1
OR e.field = l.gives)
SELECT DISTINCT l.row_id, l.field, l.firm, 1
FROM lost l
WHERE NOT EXISTS (SELECT 1
FROM temp."work_1_lost" before
WHERE before.row_id = l.row_id
AND before.field = l.field);

-- 78 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 16384, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('parent: ''' || staging_shown(CAST(w."l_parent" AS BLOB)) || ''' is a row of this batch that was rejected.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 0
AND l.round = 1));

-- 79 reject: say
UPDATE temp."work_1" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: twin: ''' || staging_shown(CAST(w."l_twin" AS BLOB)) || ''' is a row of this batch that was rejected.')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1
AND l.round = 1))
AND (w.message IS NULL
OR replace(w.message, ('Warning: twin: ''' || staging_shown(CAST(w."l_twin" AS BLOB)) || ''' is a row of this batch that was rejected.'), '') = w.message));

-- 80 reject: skip_field
UPDATE temp."work_1" AS w
SET "v_twin" = NULL, "l_twin" = NULL, waits = (w.waits & ~2)
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1
AND l.round = 1))
AND w.target_id IS NULL;

-- 81 reject: skip_field
UPDATE temp."work_1" AS w
SET "v_twin" =
CASE
WHEN p."twin" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."twin" END, "l_twin" = NULL, waits = (w.waits & ~2), outcome =
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
AND (w."v_parent" IS
CASE
WHEN p."parent" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."parent" END))))) THEN 3
ELSE w.outcome END
FROM "mdm_part" p
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1
AND l.round = 1))
AND p.id = w.target_id;

-- 82 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 512, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('new_code: ''' || staging_shown(CAST(w.new_code AS BLOB)) || ''' is the code of another member.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = -1
AND l.round = 1));

-- 83 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 4096, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('mail: ''' || staging_shown(CAST(w."v_mail" AS BLOB)) || ''' is taken by another member or row.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1000
AND l.round = 1));

-- 84 reject: say
UPDATE temp."work_1" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: twin: ''' || staging_shown(CAST(COALESCE((SELECT r.code
FROM "mdm_part" r
WHERE r.id = w."v_twin"), w."l_twin") AS BLOB)) || ''' is taken by another member or row.')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1001
AND l.round = 1))
AND (w.message IS NULL
OR replace(w.message, ('Warning: twin: ''' || staging_shown(CAST(COALESCE((SELECT r.code
FROM "mdm_part" r
WHERE r.id = w."v_twin"), w."l_twin") AS BLOB)) || ''' is taken by another member or row.'), '') = w.message));

-- 85 reject: skip_field
UPDATE temp."work_1" AS w
SET "v_twin" = NULL, "l_twin" = NULL, waits = (w.waits & ~2)
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1001
AND l.round = 1))
AND w.target_id IS NULL;

-- 86 reject: skip_field
UPDATE temp."work_1" AS w
SET "v_twin" =
CASE
WHEN p."twin" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."twin" END, "l_twin" = NULL, waits = (w.waits & ~2), outcome =
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
AND (w."v_parent" IS
CASE
WHEN p."parent" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."parent" END))))) THEN 3
ELSE w.outcome END
FROM "mdm_part" p
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1001
AND l.round = 1))
AND p.id = w.target_id;

-- 87 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 8192, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Rule: this does not hold: opened is at most closed (' || staging_shown(CAST('opened: ' || COALESCE(CAST(w."v_opened" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.firm = 0
AND l.round = 1)
AND w.error = 0
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND (w."v_closed" IS NOT NULL)
AND NOT COALESCE((NOT (w."v_closed" < w."v_opened")), FALSE));

-- 88 reject: say
UPDATE temp."work_1" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
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

-- 89 worktable: create_table
CREATE TABLE temp."work_1_u0" ("row_id" bigint, "taken" TEXT);

-- 90 unique: find_new_values
INSERT INTO temp."work_1_u0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM temp."work_1" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_mail" IS p."mail");

-- 91 worktable: create_index
CREATE INDEX temp."work_1_u0_taken" ON "work_1_u0" ("taken");

-- 92 unique: find_equals
INSERT INTO temp."work_1_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, NULL, 1000, 1000, 1
FROM temp."work_1_u0" n
JOIN temp."work_1" w ON w.row_id = n.row_id
WHERE n.taken IN (SELECT rival.taken
FROM temp."work_1_u0" rival
GROUP BY rival.taken HAVING count(*) > 1);

-- 93 unique: find_value_holders
INSERT INTO temp."work_1_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 1000, 1000, 1
FROM temp."work_1_u0" n
JOIN temp."work_1" w ON w.row_id = n.row_id
JOIN "mdm_part" p ON p."mail" = n.taken
LEFT
JOIN temp."work_1" o ON o.target_id = p.id
AND o.outcome IN (2, 3)
AND NOT (o."v_mail" IS p."mail")
WHERE TRUE
AND p.id NOT IN (SELECT g.id
FROM temp."work_1_removed" g
WHERE g.action IN (4, 6));

-- 94 worktable: create_table
CREATE TABLE temp."work_1_u1" ("row_id" bigint, "taken" INTEGER);

-- 95 unique: find_new_values
INSERT INTO temp."work_1_u1" (row_id, taken)
SELECT w.row_id, w."v_twin"
FROM temp."work_1" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_twin" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_twin" IS p."twin");

-- 96 worktable: create_table
CREATE TABLE temp."work_1_m1" ("row_id" bigint, "taken" TEXT);

-- 97 unique: find_newcomers
INSERT INTO temp."work_1_m1" (row_id, taken)
SELECT w.row_id, w."l_twin"
FROM temp."work_1" w
WHERE w.outcome IN (1, 2, 3)
AND (w.waits & 2) <> 0;

-- 98 cascade: find_lost
INSERT INTO temp."work_1_lost" (row_id, field, firm, round) WITH RECURSIVE lost (row_id, field, gives, firm) AS (SELECT e.row_id, e.field, e.gives, e.firm
FROM temp."work_1_edges" e
WHERE e.target IS NULL
UNION
SELECT e.row_id, e.field, e.gives, e.firm
FROM lost l
JOIN temp."work_1_edges" e ON e.target = l.row_id
WHERE l.firm = 1
OR e.field = l.gives)
SELECT DISTINCT l.row_id, l.field, l.firm, 2
FROM lost l
WHERE NOT EXISTS (SELECT 1
FROM temp."work_1_lost" before
WHERE before.row_id = l.row_id
AND before.field = l.field);

-- 99 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 16384, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('parent: ''' || staging_shown(CAST(w."l_parent" AS BLOB)) || ''' is a row of this batch that was rejected.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 0
AND l.round = 2));

-- 100 reject: say
UPDATE temp."work_1" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: twin: ''' || staging_shown(CAST(w."l_twin" AS BLOB)) || ''' is a row of this batch that was rejected.')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1
AND l.round = 2))
AND (w.message IS NULL
OR replace(w.message, ('Warning: twin: ''' || staging_shown(CAST(w."l_twin" AS BLOB)) || ''' is a row of this batch that was rejected.'), '') = w.message));

-- 101 reject: skip_field
UPDATE temp."work_1" AS w
SET "v_twin" = NULL, "l_twin" = NULL, waits = (w.waits & ~2)
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1
AND l.round = 2))
AND w.target_id IS NULL;

-- 102 reject: skip_field
UPDATE temp."work_1" AS w
SET "v_twin" =
CASE
WHEN p."twin" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."twin" END, "l_twin" = NULL, waits = (w.waits & ~2), outcome =
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
AND (w."v_parent" IS
CASE
WHEN p."parent" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."parent" END))))) THEN 3
ELSE w.outcome END
FROM "mdm_part" p
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1
AND l.round = 2))
AND p.id = w.target_id;

-- 103 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 512, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('new_code: ''' || staging_shown(CAST(w.new_code AS BLOB)) || ''' is the code of another member.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = -1
AND l.round = 2));

-- 104 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 4096, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('mail: ''' || staging_shown(CAST(w."v_mail" AS BLOB)) || ''' is taken by another member or row.')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1000
AND l.round = 2));

-- 105 reject: say
UPDATE temp."work_1" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: twin: ''' || staging_shown(CAST(COALESCE((SELECT r.code
FROM "mdm_part" r
WHERE r.id = w."v_twin"), w."l_twin") AS BLOB)) || ''' is taken by another member or row.')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1001
AND l.round = 2))
AND (w.message IS NULL
OR replace(w.message, ('Warning: twin: ''' || staging_shown(CAST(COALESCE((SELECT r.code
FROM "mdm_part" r
WHERE r.id = w."v_twin"), w."l_twin") AS BLOB)) || ''' is taken by another member or row.'), '') = w.message));

-- 106 reject: skip_field
UPDATE temp."work_1" AS w
SET "v_twin" = NULL, "l_twin" = NULL, waits = (w.waits & ~2)
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1001
AND l.round = 2))
AND w.target_id IS NULL;

-- 107 reject: skip_field
UPDATE temp."work_1" AS w
SET "v_twin" =
CASE
WHEN p."twin" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."twin" END, "l_twin" = NULL, waits = (w.waits & ~2), outcome =
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
AND (w."v_parent" IS
CASE
WHEN p."parent" NOT IN (SELECT id
FROM temp."work_1_gone"
WHERE clears = 1) THEN p."parent" END))))) THEN 3
ELSE w.outcome END
FROM "mdm_part" p
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.field = 1001
AND l.round = 2))
AND p.id = w.target_id;

-- 108 reject: say
UPDATE temp."work_1" AS w
SET outcome = 4, error = w.error | 8192, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Rule: this does not hold: opened is at most closed (' || staging_shown(CAST('opened: ' || COALESCE(CAST(w."v_opened" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND (w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.firm = 0
AND l.round = 2)
AND w.error = 0
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND (w."v_closed" IS NOT NULL)
AND NOT COALESCE((NOT (w."v_closed" < w."v_opened")), FALSE));

-- 109 reject: say
UPDATE temp."work_1" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((w.row_id IN (SELECT l.row_id
FROM temp."work_1_lost" l
WHERE l.firm = 0
AND l.round = 2)
AND w.error = 0
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND TRUE
AND NOT COALESCE((NOT (w."v_staff" < 1)), FALSE))
AND (w.message IS NULL
OR replace(w.message, ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' || staging_shown(CAST('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty') AS BLOB)) || ').'), '') = w.message));

-- 110 worktable: create_table
CREATE TABLE temp."work_1_r1" ("row_id" bigint, "taken" INTEGER);

-- 111 unique: find_new_values
INSERT INTO temp."work_1_r1" (row_id, taken)
SELECT w.row_id,
CASE
WHEN w.target_id IS NOT NULL
AND w.new_code = w."l_twin"
AND (w.action = 0
OR w.action = 2
AND p.is_active) THEN
CASE
WHEN EXISTS (SELECT 1
FROM temp."work_1" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_1" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_1" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END
FROM temp."work_1" w
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
FROM temp."work_1" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_1" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_1" x
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
FROM temp."work_1" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM temp."work_1" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM temp."work_1" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END IS p."twin");

-- 112 worktable: create_table
CREATE TABLE temp."work_1_s1" ("row_id" bigint);

-- 113 unique: find_sharers
INSERT INTO temp."work_1_s1" (row_id)
SELECT w.row_id
FROM temp."work_1" w
WHERE w.outcome = 4
AND w.error & 4096 = 0
AND (w."v_twin" IS NULL
OR w."v_twin" = w.target_id
AND w.new_code = w."l_twin")
AND w."l_twin" IN (SELECT o."l_twin"
FROM temp."work_1" o
WHERE o.outcome IN (1, 2)
AND (o.waits & 2) <> 0);

-- 114 worktable: create_table
CREATE TABLE temp."work_1_r0" ("row_id" bigint, "taken" TEXT);

-- 115 unique: find_new_values
INSERT INTO temp."work_1_r0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM temp."work_1" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome = 4
AND w.error & 4096 = 0
AND NOT (w."v_mail" IS p."mail");

-- 116 worktable: create_table
CREATE TABLE temp."work_1_traders" ("row_id" bigint);

-- 117 order: find_traders
INSERT INTO temp."work_1_traders" (row_id)
SELECT e."row_id"
FROM temp."work_1_edges" e
JOIN temp."work_1" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 118 order: find_traders
INSERT INTO temp."work_1_traders" (row_id)
SELECT e."target"
FROM temp."work_1_edges" e
JOIN temp."work_1" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 119 order: some_wait
SELECT 1
FROM temp."work_1" w
WHERE w.waits <> 0 LIMIT 1;

-- 120 order: put
UPDATE temp."work_1" AS w
SET turn = 2, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_1") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_1" w
WHERE w.outcome IN (1, 2)
AND (w.new_code IS NOT NULL
OR w.row_id IN (SELECT trader.row_id
FROM temp."work_1_traders" trader)
OR w.waits <> 0)) moved
WHERE moved.row_id = w.row_id;

-- 121 order: put
UPDATE temp."work_1" AS w
SET turn = -1, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_1") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_1" w
WHERE w.outcome IN (6, 7)) moved
WHERE moved.row_id = w.row_id;

-- 122 order: put
UPDATE temp."work_1" AS w
SET turn = -2, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_1") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_1" w
WHERE w.outcome = 4) moved
WHERE moved.row_id = w.row_id;

-- 123 brake: totals
SELECT w.outcome, count(*)
FROM temp."work_1" w
WHERE w.outcome < 8
GROUP BY w.outcome;

-- 124 brake: members_touched
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
FROM temp."work_1" w
JOIN "mdm_part" p ON p.id = w.target_id
AND p.is_active) touched;

-- 125 order: last_turn
SELECT w.turn, (SELECT min(first.seq)
FROM temp."work_1" first), w.seq
FROM temp."work_1" w
ORDER BY w.seq DESC LIMIT 1;

-- 126 order: turns
SELECT COALESCE(w.turn, 0), min(w.seq), max(w.seq)
FROM temp."work_1" w
GROUP BY 1;

-- 127 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM temp."work_1" w
WHERE w.seq BETWEEN 38
AND 47
AND w.outcome < 8
GROUP BY w.outcome;

-- 128 merge: mark_staged
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
FROM temp."work_1" w
WHERE w.seq BETWEEN 38
AND 47
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 129 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome < 8
GROUP BY w.outcome;

-- 130 merge: mark_staged
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
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 131 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'cleared', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
WHERE p."parent" IN (SELECT w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.action IN (5, 6)
AND w.outcome IN (6, 7))
AND p.id NOT IN (SELECT w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7);

-- 132 removing: write_members
UPDATE "mdm_part" AS p
SET "parent" = NULL, updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
WHERE p."parent" IN (SELECT w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.action IN (5, 6)
AND w.outcome IN (6, 7))
AND p.id NOT IN (SELECT w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7);

-- 133 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'cleared', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
WHERE p."twin" IN (SELECT w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.action IN (5, 6)
AND w.outcome IN (6, 7))
AND p.id NOT IN (SELECT w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7);

-- 134 removing: write_members
UPDATE "mdm_part" AS p
SET "twin" = NULL, updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
WHERE p."twin" IN (SELECT w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.action IN (5, 6)
AND w.outcome IN (6, 7))
AND p.id NOT IN (SELECT w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7);

-- 135 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'deactivated', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN temp."work_1" w ON w.target_id = p.id
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 6
AND p.is_active;

-- 136 removing: write_members
UPDATE "mdm_part" AS p
SET is_active = 0, updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
WHERE p.is_active
AND p.id IN (SELECT w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 6);

-- 137 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_created_at", "was_created_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'deleted', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."created_at", p."created_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN temp."work_1" w ON w.target_id = p.id
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7;

-- 138 removing: delete_members
DELETE
FROM "mdm_part"
WHERE id IN (SELECT w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 35
AND 37
AND w.outcome = 7);

-- 139 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM temp."work_1" w
WHERE w.seq BETWEEN 1
AND 25
AND w.outcome < 8
GROUP BY w.outcome;

-- 140 merge: mark_staged
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
FROM temp."work_1" w
WHERE w.seq BETWEEN 1
AND 25
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 141 members: resolve
UPDATE temp."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 1
AND 25
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 142 members: resolve
UPDATE temp."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 1
AND 25
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 143 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 1
AND 25
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 144 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 1
AND 25
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN temp."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 145 members: count_existing
SELECT count(w.target_id)
FROM temp."work_1" w
WHERE w.seq BETWEEN 1
AND 25
AND w.outcome IN (1, 2);

-- 146 history: last_id
SELECT COALESCE(max(id), 0)
FROM "mdm_part";

-- 147 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM temp."work_1" w
WHERE w.seq BETWEEN 1
AND 25
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 148 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 910, '2026-03-01 12:00:00.000000', 'unknown', 9202
FROM "mdm_part" born
WHERE born.id > 9;

-- 149 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 1
AND 25
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 150 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
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
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome < 8
ORDER BY w.row_id LIMIT -1 OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 0;

-- 152 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 153 members: free
UPDATE "mdm_part" AS p
SET "mail" = NULL
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 2
AND p.id = w.target_id
AND p."mail" IS NOT NULL
AND NOT (w."v_mail" IS p."mail");

-- 154 members: free
UPDATE "mdm_part" AS p
SET "twin" = NULL
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 2
AND p.id = w.target_id
AND p."twin" IS NOT NULL
AND NOT (w."v_twin" IS p."twin");

-- 155 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 0, '2026-03-01 12:00:00.000000', '2026-03-01 12:00:00.000000', 910, 910
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 156 members: note_ids
UPDATE temp."work_1" AS w
SET target_id = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 1
AND w.target_id IS NULL
AND p.code = w.code;

-- 157 members: resolve
UPDATE temp."work_1" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 27
AND 34
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 158 members: resolve
UPDATE temp."work_1" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 27
AND 34
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 159 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN temp."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 160 members: count_existing
SELECT count(w.target_id)
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome IN (1, 2);

-- 161 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "mail" = w."v_mail", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", "area" = w."v_area", "parent" = w."v_parent", "twin" = w."v_twin", is_active = (p.is_active
OR w.action <> 2), updated_at = '2026-03-01 12:00:00.000000', updated_batch_id = 910
FROM (SELECT w.seq, w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome IN (1, 2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) m
JOIN temp."work_1" w ON w.seq = m.seq
WHERE p.id = m.target_id
AND NOT (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 162 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 910, NULL, '2026-03-01 12:00:00.000000', 9202, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 163 renames: give_codes
UPDATE "mdm_part" AS p
SET code = ' ' || p.id
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 2
AND w.new_code IS NOT NULL
AND p.id = w.target_id;

-- 164 renames: give_codes
UPDATE "mdm_part" AS p
SET code = w.new_code
FROM temp."work_1" w
WHERE w.seq BETWEEN 27
AND 34
AND w.outcome = 2
AND w.new_code IS NOT NULL
AND p.id = w.target_id;

-- 165 history: note_new_codes
UPDATE "hst_part" AS h
SET new_code = p.code
FROM "mdm_part" p
WHERE h.change_set_id = 9202
AND h.id > 9
AND p.id = h.member_id
AND p.code <> h.was_code;
-- 166 is 33;

-- 167 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_gone";

-- 168 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_superseded";
-- 169 is 34;
-- 170 is 35;
-- 171 is 36;
-- 172 is 37;
-- 173 is 38;
-- 174 is 39;

-- 175 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_edges";

-- 176 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_lost";

-- 177 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_u0";

-- 178 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_u1";

-- 179 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_m1";

-- 180 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_r1";

-- 181 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_s1";

-- 182 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_r0";

-- 183 worktable: drop_table
DROP TABLE IF EXISTS temp."work_1_traders";
