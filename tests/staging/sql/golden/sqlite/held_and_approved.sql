-- 1 is in_one_transaction 1;
-- 2 is in_one_transaction 2;

-- 3 classify: extent
SELECT COALESCE(min(s.id), 0), COALESCE(max(s.id), 0), count(*)
FROM "stg_part" s
WHERE s.import_status = 0
AND s.batch_tag = 'monday';
-- 4 is in_one_transaction 4;

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
WHERE s.import_status = 0
AND s.batch_tag = 'monday' LIMIT -1 OFFSET 0) t
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
AND s.batch_tag = 'monday'
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
AND s.batch_tag = 'monday'
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
AND s.batch_tag = 'monday'
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
AND s.batch_tag = 'monday'
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_twin" ON "n_twin"."code" = t."s_twin" LIMIT -1 OFFSET 0) j;
-- 6 is in_one_transaction 6;
-- 7 is in_one_transaction 7;
-- 8 is in_one_transaction 12;
-- 9 is in_one_transaction 69;
-- 10 is in_one_transaction 70;
-- 11 is in_one_transaction 71;
-- 12 is in_one_transaction 72;

-- 13 cascade: find_references
INSERT INTO temp."work_1_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 0, -3, 1
FROM temp."work_1" w
LEFT
JOIN temp."work_1" o ON o.code = w."l_parent"
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

-- 14 cascade: find_references
INSERT INTO temp."work_1_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 1, 1001, 0
FROM temp."work_1" w
LEFT
JOIN temp."work_1" o ON o.code = w."l_twin"
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
-- 15 is in_one_transaction 89;
-- 16 is in_one_transaction 90;
-- 17 is in_one_transaction 94;
-- 18 is in_one_transaction 95;
-- 19 is in_one_transaction 96;
-- 20 is in_one_transaction 97;
-- 21 is in_one_transaction 110;
-- 22 is in_one_transaction 111;
-- 23 is in_one_transaction 112;
-- 24 is in_one_transaction 113;
-- 25 is in_one_transaction 114;
-- 26 is in_one_transaction 115;
-- 27 is in_one_transaction 116;
-- 28 is in_one_transaction 117;
-- 29 is in_one_transaction 118;
-- 30 is in_one_transaction 119;
-- 31 is in_one_transaction 122;
-- 32 is in_one_transaction 123;
-- 33 is in_one_transaction 124;

-- 34 hold: hold_rows
UPDATE "stg_part" AS s
SET import_status = 3, batch_id = 910
FROM temp."work_1" w
WHERE w.outcome < 8
AND s.id = w.row_id
AND s.import_status = 0;
-- 35 is in_one_transaction 33;
-- 36 is in_one_transaction 34;
-- 37 is in_one_transaction 35;
-- 38 is in_one_transaction 175;
-- 39 is in_one_transaction 176;
-- 40 is in_one_transaction 177;
-- 41 is in_one_transaction 178;
-- 42 is in_one_transaction 179;
-- 43 is in_one_transaction 180;
-- 44 is in_one_transaction 181;
-- 45 is in_one_transaction 182;
-- 46 is in_one_transaction 183;
-- 47 is in_one_transaction 1;
-- 48 is in_one_transaction 2;

-- 49 classify: extent
SELECT COALESCE(min(s.id), 0), COALESCE(max(s.id), 0), count(*)
FROM "stg_part" s
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id IN (SELECT value
FROM json_each('[36]')));

-- 50 worktable: create_table
CREATE TABLE temp."work_2" ("seq" INTEGER PRIMARY KEY, "row_id" bigint, "code" TEXT, "action" smallint, "new_code" TEXT, "target_id" bigint, "outcome" smallint, "turn" smallint, "waits" bigint, "error" bigint, "message" TEXT, "v_name" TEXT, "v_mail" TEXT, "v_kind" TEXT, "v_size" TEXT, "v_staff" INTEGER, "v_rent" TEXT, "v_is_open" INTEGER, "v_opened" TEXT, "v_closed" TEXT, "v_seen" TEXT, "v_area" INTEGER, "v_parent" INTEGER, "v_twin" INTEGER, "l_parent" TEXT, "l_twin" TEXT);

-- 51 classify: classify
INSERT INTO temp."work_2" ("row_id", "code", "action", "new_code", "target_id", "outcome", "waits", "error", "message", "v_name", "v_mail", "v_kind", "v_size", "v_staff", "v_rent", "v_is_open", "v_opened", "v_closed", "v_seen", "v_area", "v_parent", "v_twin", "l_parent", "l_twin")
SELECT j."row_id", j."code", j."action", j."new_code", j."target_id",
CASE
WHEN j.status = 1 THEN 8
WHEN j.status <> 3 THEN 9
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
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id IN (SELECT value
FROM json_each('[36]'))) LIMIT -1 OFFSET 0) t
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
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id IN (SELECT value
FROM json_each('[36]')))
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
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id IN (SELECT value
FROM json_each('[36]')))
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
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id IN (SELECT value
FROM json_each('[36]')))
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
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id IN (SELECT value
FROM json_each('[36]')))
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(trim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(trim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_twin" ON "n_twin"."code" = t."s_twin" LIMIT -1 OFFSET 0) j;

-- 52 worktable: create_table
CREATE TABLE temp."work_2_again" ("code" TEXT);

-- 53 duplicates: find_duplicates
INSERT INTO temp."work_2_again" (code)
SELECT w.code
FROM temp."work_2" w
WHERE w.code IS NOT NULL
GROUP BY w.code HAVING count(*) > 1;

-- 54 order: special
SELECT COALESCE(max(CASE
WHEN (w.action BETWEEN 3
AND 6) THEN 1
ELSE 0 END), 0), count(w.new_code), COALESCE(max(CASE
WHEN w.outcome = 5 THEN 1
ELSE 0 END), 0)
FROM temp."work_2" w;

-- 55 reject: say
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

-- 56 reject: say
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

-- 57 worktable: create_table
CREATE TABLE temp."work_2_edges" ("row_id" bigint, "target" bigint, "field" bigint, "gives" bigint, "firm" bigint);

-- 58 worktable: create_table
CREATE TABLE temp."work_2_lost" ("row_id" bigint, "field" bigint, "firm" bigint, "round" bigint);

-- 59 cascade: find_references
INSERT INTO temp."work_2_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 0, -3, 1
FROM temp."work_2" w
LEFT
JOIN temp."work_2" o ON o.code = w."l_parent"
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

-- 60 cascade: find_references
INSERT INTO temp."work_2_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 1, 1001, 0
FROM temp."work_2" w
LEFT
JOIN temp."work_2" o ON o.code = w."l_twin"
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

-- 61 worktable: create_table
CREATE TABLE temp."work_2_u0" ("row_id" bigint, "taken" TEXT);

-- 62 unique: find_new_values
INSERT INTO temp."work_2_u0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM temp."work_2" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_mail" IS p."mail");

-- 63 worktable: create_table
CREATE TABLE temp."work_2_u1" ("row_id" bigint, "taken" INTEGER);

-- 64 unique: find_new_values
INSERT INTO temp."work_2_u1" (row_id, taken)
SELECT w.row_id, w."v_twin"
FROM temp."work_2" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_twin" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_twin" IS p."twin");

-- 65 worktable: create_table
CREATE TABLE temp."work_2_m1" ("row_id" bigint, "taken" TEXT);

-- 66 unique: find_newcomers
INSERT INTO temp."work_2_m1" (row_id, taken)
SELECT w.row_id, w."l_twin"
FROM temp."work_2" w
WHERE w.outcome IN (1, 2, 3)
AND (w.waits & 2) <> 0;

-- 67 worktable: create_table
CREATE TABLE temp."work_2_r1" ("row_id" bigint, "taken" INTEGER);

-- 68 unique: find_new_values
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

-- 69 worktable: create_table
CREATE TABLE temp."work_2_s1" ("row_id" bigint);

-- 70 unique: find_sharers
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

-- 71 worktable: create_table
CREATE TABLE temp."work_2_r0" ("row_id" bigint, "taken" TEXT);

-- 72 unique: find_new_values
INSERT INTO temp."work_2_r0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM temp."work_2" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome = 4
AND w.error & 4096 = 0
AND NOT (w."v_mail" IS p."mail");

-- 73 worktable: create_table
CREATE TABLE temp."work_2_traders" ("row_id" bigint);

-- 74 order: find_traders
INSERT INTO temp."work_2_traders" (row_id)
SELECT e."row_id"
FROM temp."work_2_edges" e
JOIN temp."work_2" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 75 order: find_traders
INSERT INTO temp."work_2_traders" (row_id)
SELECT e."target"
FROM temp."work_2_edges" e
JOIN temp."work_2" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 76 order: some_wait
SELECT 1
FROM temp."work_2" w
WHERE w.waits <> 0 LIMIT 1;

-- 77 order: put
UPDATE temp."work_2" AS w
SET turn = -2, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM temp."work_2") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM temp."work_2" w
WHERE w.outcome = 4) moved
WHERE moved.row_id = w.row_id;

-- 78 order: last_turn
SELECT w.turn, (SELECT min(first.seq)
FROM temp."work_2" first), w.seq
FROM temp."work_2" w
ORDER BY w.seq DESC LIMIT 1;

-- 79 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM temp."work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome < 8
GROUP BY w.outcome;

-- 80 merge: mark_staged
UPDATE "stg_part" AS s
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
AND s.import_status = 3;

-- 81 members: resolve
UPDATE temp."work_2" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 1
AND 1
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 82 members: resolve
UPDATE temp."work_2" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 1
AND 1
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 83 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 911, NULL, '2026-03-02 12:00:00.000000', 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM temp."work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 84 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", is_active = (p.is_active
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
AND (((w."v_mail" IS p."mail")
AND (w."v_area" IS p."area"))
AND ((w."v_parent" IS p."parent")
AND (w."v_twin" IS p."twin")));

-- 85 members: count_existing
SELECT count(w.target_id)
FROM temp."work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (1, 2);
-- 86 is in_one_transaction 146;

-- 87 members: insert_members
INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", 1, '2026-03-02 12:00:00.000000', '2026-03-02 12:00:00.000000', 911, 911
FROM temp."work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code;

-- 88 history: note_new
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 911, '2026-03-02 12:00:00.000000', 'unknown', 9202
FROM "mdm_part" born
WHERE born.id > 9;

-- 89 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 911, NULL, '2026-03-02 12:00:00.000000', 9202, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM temp."work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id LIMIT -1 OFFSET 0) w ON p.id = w.target_id;

-- 90
SELECT name
FROM sqlite_temp_master
WHERE type = 'table'
AND name LIKE 'work_2%' ESCAPE '\';

-- 91 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2";

-- 92 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_again";

-- 93 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_edges";

-- 94 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_lost";

-- 95 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_u0";

-- 96 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_u1";

-- 97 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_m1";

-- 98 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_r1";

-- 99 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_s1";

-- 100 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_r0";

-- 101 worktable: drop_table
DROP TABLE IF EXISTS temp."work_2_traders";

-- 102
SELECT 1
FROM "stg_part" s
WHERE s.import_status = 3
AND s.batch_id = 910 LIMIT 1;
