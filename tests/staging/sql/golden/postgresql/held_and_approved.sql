-- 1 is in_one_transaction 1;
-- 2 is in_one_transaction 2;
-- 3 is in_one_transaction 3;
-- 4 is in_one_transaction 4;
-- 5 is in_one_transaction 5;
-- 6 is in_one_transaction 6;

-- 7 classify: extent
SELECT COALESCE(min(s.id), 0), COALESCE(max(s.id), 0), count(*)
FROM "stg_part" s
WHERE s.import_status = 0
AND s.batch_tag = 'monday';
-- 8 is in_one_transaction 1;
-- 9 is in_one_transaction 2;
-- 10 is in_one_transaction 3;
-- 11 is in_one_transaction 4;
-- 12 is in_one_transaction 12;

-- 13 classify: classify
INSERT INTO "work_1" ("row_id", "row_version", "code", "action", "new_code", "target_id", "outcome", "waits", "error", "message", "v_name", "v_mail", "v_kind", "v_size", "v_staff", "v_rent", "v_is_open", "v_opened", "v_closed", "v_seen", "v_area", "v_parent", "v_twin", "l_parent", "l_twin")
SELECT j."row_id", j."row_version", j."code", j."action", j."new_code", j."target_id",
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
ELSE '' END))) || (((CASE
WHEN j.x_0 & 256 <> 0 THEN ('name: ''' ||
CASE
WHEN length(NULLIF(btrim(s."name", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."name", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."name", ' \t\r
\xa0'), '')::text END || ''' is not readable text.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 512 <> 0 THEN ('mail: ''' ||
CASE
WHEN length(NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text END || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 1024 <> 0 THEN ('mail: ''' ||
CASE
WHEN length(NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text END || ''' is longer than 40 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2048 <> 0 THEN ('Warning: kind: ''' ||
CASE
WHEN length(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text END || ''' is not readable text.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 4096 <> 0 THEN ('Warning: kind: ''' ||
CASE
WHEN length(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text END || ''' is shorter than 1 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8192 <> 0 THEN ('Warning: kind: ''' ||
CASE
WHEN length(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text END || ''' does not match ^[a-z]+$.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 16384 <> 0 THEN ('size: ''' ||
CASE
WHEN length(NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text END || ''' is not readable text.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 32768 <> 0 THEN ('size: ''' ||
CASE
WHEN length(NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text END || ''' is not one of S, M, L.') || ' '
ELSE '' END)))) || ((((CASE
WHEN j.x_0 & 65536 <> 0 THEN ('staff: ''' ||
CASE
WHEN length(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text END || ''' is not a whole number.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 131072 <> 0 THEN ('staff: ''' ||
CASE
WHEN length(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text END || ''' is a larger whole number than can be stored.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 262144 <> 0 THEN ('staff: ''' ||
CASE
WHEN length(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text END || ''' is below 0.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 524288 <> 0 THEN ('staff: ''' ||
CASE
WHEN length(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text END || ''' is above 1000.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 1048576 <> 0 THEN ('rent: ''' ||
CASE
WHEN length(NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text END || ''' is not a decimal number of at most 40 digits on each side of the point.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2097152 <> 0 THEN ('rent: ''' ||
CASE
WHEN length(NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text END || ''' is above 99999.99.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 4194304 <> 0 THEN ('is_open: ''' ||
CASE
WHEN length(NULLIF(btrim(s."is_open", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."is_open", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."is_open", ' \t\r
\xa0'), '')::text END || ''' is not yes or no.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8388608 <> 0 THEN ('opened: ''' ||
CASE
WHEN length(NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text END || ''' is not a date (YYYY-MM-DD).') || ' '
ELSE '' END))) || (((CASE
WHEN j.x_0 & 16777216 <> 0 THEN ('opened: ''' ||
CASE
WHEN length(NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text END || ''' is below 2000-01-01.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 33554432 <> 0 THEN ('closed: ''' ||
CASE
WHEN length(NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text END || ''' is not what is stored, which may not change.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 67108864 <> 0 THEN ('closed: ''' ||
CASE
WHEN length(NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text END || ''' is not a date (YYYY-MM-DD).') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 134217728 <> 0 THEN ('seen: ''' ||
CASE
WHEN length(NULLIF(btrim(s."seen", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."seen", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."seen", ' \t\r
\xa0'), '')::text END || ''' is not a date and time (YYYY-MM-DDTHH:MM:SS).') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 268435456 <> 0 THEN 'area is required and would have no value.' || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 536870912 <> 0 THEN ('area: ''' ||
CASE
WHEN length(NULLIF(btrim(s."area", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."area", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."area", ' \t\r
\xa0'), '')::text END || ''' is not an active member of Area.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 1073741824 <> 0 THEN ('parent: ''' ||
CASE
WHEN length(NULLIF(btrim(s."parent", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."parent", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."parent", ' \t\r
\xa0'), '')::text END || ''' is not an active member of Part.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2147483648 <> 0 THEN ('Warning: twin: ''' ||
CASE
WHEN length(NULLIF(btrim(s."twin", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."twin", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."twin", ' \t\r
\xa0'), '')::text END || ''' is not an active member of Part.') || ' '
ELSE '' END))))))
FROM "stg_part" s
WHERE s.id = j.row_id) END, j."v_name", j."v_mail", j."v_kind", j."v_size", j."v_staff", j."v_rent", j."v_is_open", j."v_opened", j."v_closed", j."v_seen", j."v_area", j."v_parent", j."v_twin", j."l_parent", j."l_twin"
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
AND ((((((t."t_name" IS NOT DISTINCT
FROM p."name")
OR (CASE
WHEN t."t_name" IS NOT NULL THEN t."t_name"
WHEN (t."s_name" = '~NULL~') THEN NULL
ELSE p."name" END IS NOT DISTINCT
FROM p."name"))
AND ((t."t_mail" IS NOT DISTINCT
FROM p."mail")
OR (CASE
WHEN t."t_mail" IS NOT NULL THEN t."t_mail"
WHEN (t."s_mail" = '~NULL~') THEN NULL
ELSE p."mail" END IS NOT DISTINCT
FROM p."mail")))
AND (((t."t_kind" IS NOT DISTINCT
FROM p."kind")
OR (CASE
WHEN (t."t_kind" IS NOT NULL
AND (length(t."t_kind") < 1
OR NOT (t."t_kind" ~ '^[a-z]+$')) IS NOT TRUE) THEN t."t_kind"
WHEN (t."s_kind" = '~NULL~') THEN NULL
ELSE p."kind" END IS NOT DISTINCT
FROM p."kind"))
AND ((t."t_size" IS NOT DISTINCT
FROM p."size")
OR (CASE
WHEN (t."t_size" IS NOT NULL
AND (p."size" IS NULL)) THEN t."t_size"
ELSE p."size" END IS NOT DISTINCT
FROM p."size"))))
AND ((((t."t_staff" IS NOT DISTINCT
FROM p."staff")
OR (CASE
WHEN t."t_staff" IS NOT NULL THEN t."t_staff"
WHEN (t."s_staff" = '-98765432101234567890') THEN NULL
ELSE p."staff" END IS NOT DISTINCT
FROM p."staff"))
AND ((t."t_rent" IS NOT DISTINCT
FROM p."rent")
OR (CASE
WHEN t."t_rent" IS NOT NULL THEN t."t_rent"
WHEN (t."s_rent" IS NULL
OR (t."s_rent" = '-98765432101234567890')) THEN NULL
ELSE p."rent" END IS NOT DISTINCT
FROM p."rent")))
AND (((t."t_is_open" IS NOT DISTINCT
FROM p."is_open")
OR (CASE
WHEN (t."t_is_open" IS NOT NULL
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END IS NOT DISTINCT
FROM p."is_open"))
AND ((t."t_opened" IS NOT DISTINCT
FROM p."opened")
OR (CASE
WHEN t."t_opened" IS NOT NULL THEN t."t_opened"
WHEN (t."s_opened" = '5555-11-22T12:34:56') THEN NULL
ELSE p."opened" END IS NOT DISTINCT
FROM p."opened")))))
AND (((((t."t_closed" IS NOT DISTINCT
FROM p."closed")
OR (CASE
WHEN (t."t_closed" IS NOT NULL
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_closed"
ELSE p."closed" END IS NOT DISTINCT
FROM p."closed"))
AND ((t."t_seen" IS NOT DISTINCT
FROM p."seen")
OR (CASE
WHEN t."t_seen" IS NOT NULL THEN t."t_seen"
WHEN (t."s_seen" = '5555-11-22T12:34:56') THEN NULL
ELSE p."seen" END IS NOT DISTINCT
FROM p."seen")))
AND ((CASE
WHEN ((t."s_area" = '~NULL~') IS NOT TRUE
AND ("r_area"."is_active")) THEN "r_area"."id"
WHEN (t."s_area" = '~NULL~') THEN NULL
ELSE p."area" END IS NOT DISTINCT
FROM p."area")
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
ELSE p."parent" END IS NOT DISTINCT
FROM p."parent")))
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
ELSE p."twin" END IS NOT DISTINCT
FROM p."twin"))) THEN 0
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
AND 6) THEN ((((CASE
WHEN t."t_name" IS NOT NULL THEN 0
WHEN t."s_name" IS NULL THEN 0
WHEN (t."s_name" = '~NULL~') THEN 0
ELSE 256 END |
CASE
WHEN t."t_mail" IS NOT NULL THEN
CASE
WHEN length(t."t_mail") > 40 THEN 1024
ELSE 0 END
WHEN t."s_mail" IS NULL THEN 0
WHEN (t."s_mail" = '~NULL~') THEN 0
ELSE 512 END) | (CASE
WHEN t."t_kind" IS NOT NULL THEN (CASE
WHEN length(t."t_kind") < 1 THEN 4096
ELSE 0 END |
CASE
WHEN NOT (t."t_kind" ~ '^[a-z]+$') THEN 8192
ELSE 0 END)
WHEN t."s_kind" IS NULL THEN 0
WHEN (t."s_kind" = '~NULL~') THEN 0
ELSE 2048 END |
CASE
WHEN t."t_size" IS NOT NULL THEN
CASE
WHEN NOT (((t."t_size" = 'S'::text
OR t."t_size" = 'M'::text)
OR t."t_size" = 'L'::text)) THEN 32768
ELSE 0 END
WHEN t."s_size" IS NULL THEN 0
WHEN (t."s_size" = '~NULL~') THEN 0
ELSE 16384 END)) | ((CASE
WHEN t."t_staff" IS NOT NULL THEN (CASE
WHEN (t."t_staff" < '0'::bigint) THEN 262144
ELSE 0 END |
CASE
WHEN ('1000'::bigint < t."t_staff") THEN 524288
ELSE 0 END)
WHEN t."s_staff" IS NULL THEN 0
WHEN (t."s_staff" = '-98765432101234567890') THEN 0
ELSE
CASE
WHEN length(t."s_staff") > 18
AND ltrim(ltrim(t."s_staff", '-'), '0123456789') = '' THEN 131072
ELSE 65536 END END |
CASE
WHEN t."t_rent" IS NOT NULL THEN
CASE
WHEN ('99999.99'::numeric < t."t_rent") THEN 2097152
ELSE 0 END
WHEN t."s_rent" IS NULL THEN 0
WHEN (t."s_rent" = '-98765432101234567890') THEN 0
ELSE 1048576 END) | (CASE
WHEN t."t_is_open" IS NOT NULL THEN 0
WHEN t."s_is_open" IS NULL THEN 0
WHEN (t."s_is_open" = '~NULL~') THEN 0
ELSE 4194304 END |
CASE
WHEN t."t_opened" IS NOT NULL THEN
CASE
WHEN (t."t_opened" < '2000-01-01'::date) THEN 16777216
ELSE 0 END
WHEN t."s_opened" IS NULL THEN 0
WHEN (t."s_opened" = '5555-11-22T12:34:56') THEN 0
ELSE 8388608 END))) | (((CASE
WHEN t."t_closed" IS NOT NULL THEN (0 |
CASE
WHEN ((p.id IS NULL
OR FALSE IS TRUE) IS NOT TRUE
AND NOT (t."t_closed" IS NOT NULL
AND (t."t_closed" IS NOT DISTINCT
FROM p."closed"))) THEN 33554432
ELSE 0 END)
WHEN t."s_closed" IS NULL THEN 0
WHEN (t."s_closed" = '5555-11-22T12:34:56') THEN (0 |
CASE
WHEN ((p.id IS NULL
OR FALSE IS TRUE) IS NOT TRUE
AND p."closed" IS NOT NULL) THEN 33554432
ELSE 0 END)
ELSE 67108864 END |
CASE
WHEN t."t_seen" IS NOT NULL THEN 0
WHEN t."s_seen" IS NULL THEN 0
WHEN (t."s_seen" = '5555-11-22T12:34:56') THEN 0
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
WHEN t."t_name" IS NOT NULL THEN t."t_name"
WHEN (t."s_name" = '~NULL~') THEN NULL
ELSE p."name" END AS "v_name",
CASE
WHEN t."t_mail" IS NOT NULL THEN t."t_mail"
WHEN (t."s_mail" = '~NULL~') THEN NULL
ELSE p."mail" END AS "v_mail",
CASE
WHEN (t."t_kind" IS NOT NULL
AND (length(t."t_kind") < 1
OR NOT (t."t_kind" ~ '^[a-z]+$')) IS NOT TRUE) THEN t."t_kind"
WHEN (t."s_kind" = '~NULL~') THEN NULL
ELSE p."kind" END AS "v_kind",
CASE
WHEN (t."t_size" IS NOT NULL
AND (p."size" IS NULL)) THEN t."t_size"
ELSE p."size" END AS "v_size",
CASE
WHEN t."t_staff" IS NOT NULL THEN t."t_staff"
WHEN (t."s_staff" = '-98765432101234567890') THEN NULL
ELSE p."staff" END AS "v_staff",
CASE
WHEN t."t_rent" IS NOT NULL THEN t."t_rent"
WHEN (t."s_rent" IS NULL
OR (t."s_rent" = '-98765432101234567890')) THEN NULL
ELSE p."rent" END AS "v_rent",
CASE
WHEN (t."t_is_open" IS NOT NULL
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END AS "v_is_open",
CASE
WHEN t."t_opened" IS NOT NULL THEN t."t_opened"
WHEN (t."s_opened" = '5555-11-22T12:34:56') THEN NULL
ELSE p."opened" END AS "v_opened",
CASE
WHEN (t."t_closed" IS NOT NULL
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_closed"
ELSE p."closed" END AS "v_closed",
CASE
WHEN t."t_seen" IS NOT NULL THEN t."t_seen"
WHEN (t."s_seen" = '5555-11-22T12:34:56') THEN NULL
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
FROM (SELECT raw.*, raw.code AS t_code,
CASE
WHEN raw."s_name" <> '~NULL~' THEN raw."s_name" END AS "t_name",
CASE
WHEN raw."s_mail" <> '~NULL~' THEN raw."s_mail" END AS "t_mail",
CASE
WHEN raw."s_kind" <> '~NULL~' THEN raw."s_kind" END AS "t_kind",
CASE
WHEN raw."s_size" <> '~NULL~' THEN raw."s_size" END AS "t_size",
CASE
WHEN raw."s_staff" <> '-98765432101234567890' THEN
CASE
WHEN length(raw."s_staff") <= 18 THEN
CASE
WHEN raw."s_staff" ~ '^-?[0-9]+$' THEN raw."s_staff"::bigint END
WHEN length(raw."s_staff") <= 100
AND raw."s_staff" ~ '^-?[0-9]+$' THEN
CASE
WHEN raw."s_staff"::numeric BETWEEN -9223372036854775807 - 1
AND 9223372036854775807 THEN raw."s_staff"::bigint END END END AS "t_staff",
CASE
WHEN raw."s_rent" <> '-98765432101234567890' THEN
CASE
WHEN length(raw."s_rent") <= 40 THEN
CASE
WHEN raw."s_rent" ~ '^-?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)$' THEN raw."s_rent"::numeric
WHEN raw."s_rent" ~ '^-?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]{1,2})?$' THEN
CASE
WHEN abs(raw."s_rent"::numeric) < 1e40
AND scale(trim_scale(raw."s_rent"::numeric)) <= 40 THEN raw."s_rent"::numeric END END
WHEN length(raw."s_rent") <= 100
AND raw."s_rent" ~ '^-?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]{1,2})?$' THEN
CASE
WHEN abs(raw."s_rent"::numeric) < 1e40
AND scale(trim_scale(raw."s_rent"::numeric)) <= 40 THEN raw."s_rent"::numeric END END END AS "t_rent",
CASE
WHEN raw."s_is_open" <> '~NULL~' THEN
CASE
WHEN lower(raw."s_is_open") IN ('true', '1', 'yes', 'y', 't') THEN true
WHEN lower(raw."s_is_open") IN ('false', '0', 'no', 'n', 'f') THEN false END END AS "t_is_open",
CASE
WHEN raw."s_opened" <> '5555-11-22T12:34:56' THEN
CASE
WHEN NULL::date IS NOT NULL
AND length(raw."s_opened") = 10 THEN NULL::date
WHEN raw."s_opened" ~ '^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-9]))$' THEN
CASE
WHEN left(raw."s_opened", 4) <> '0000'
AND (substr(raw."s_opened", 6, 5) <> '02-29'
OR (left(raw."s_opened", 4)::int % 4 = 0
AND (left(raw."s_opened", 4)::int % 100 <> 0
OR left(raw."s_opened", 4)::int % 400 = 0))) THEN raw."s_opened"::date END END END AS "t_opened",
CASE
WHEN raw."s_closed" <> '5555-11-22T12:34:56' THEN
CASE
WHEN NULL::date IS NOT NULL
AND length(raw."s_closed") = 10 THEN NULL::date
WHEN raw."s_closed" ~ '^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-9]))$' THEN
CASE
WHEN left(raw."s_closed", 4) <> '0000'
AND (substr(raw."s_closed", 6, 5) <> '02-29'
OR (left(raw."s_closed", 4)::int % 4 = 0
AND (left(raw."s_closed", 4)::int % 100 <> 0
OR left(raw."s_closed", 4)::int % 400 = 0))) THEN raw."s_closed"::date END END END AS "t_closed",
CASE
WHEN raw."s_seen" <> '5555-11-22T12:34:56' THEN
CASE
WHEN NULL::date IS NOT NULL THEN
CASE
WHEN length(raw."s_seen") = 10 THEN NULL::date::timestamp AT TIME ZONE 'UTC'
WHEN substr(raw."s_seen", 11) ~ '^[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,6})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?$' THEN (raw."s_seen" ||
CASE
WHEN length(raw."s_seen") = 10 THEN 'T00:00Z'
WHEN substr(raw."s_seen", 17) ~ '[Z+-]' THEN ''
ELSE 'Z' END)::timestamptz END
WHEN raw."s_seen" ~ '^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-9]))(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,6})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?)?$' THEN
CASE
WHEN left(raw."s_seen", 4) <> '0000'
AND (substr(raw."s_seen", 6, 5) <> '02-29'
OR (left(raw."s_seen", 4)::int % 4 = 0
AND (left(raw."s_seen", 4)::int % 100 <> 0
OR left(raw."s_seen", 4)::int % 400 = 0))) THEN
CASE
WHEN (raw."s_seen" ||
CASE
WHEN length(raw."s_seen") = 10 THEN 'T00:00Z'
WHEN substr(raw."s_seen", 17) ~ '[Z+-]' THEN ''
ELSE 'Z' END)::timestamptz >= '0001-01-01 00:00:00+00'
AND (raw."s_seen" ||
CASE
WHEN length(raw."s_seen") = 10 THEN 'T00:00Z'
WHEN substr(raw."s_seen", 17) ~ '[Z+-]' THEN ''
ELSE 'Z' END)::timestamptz < '10000-01-01 00:00:00+00' THEN (raw."s_seen" ||
CASE
WHEN length(raw."s_seen") = 10 THEN 'T00:00Z'
WHEN substr(raw."s_seen", 17) ~ '[Z+-]' THEN ''
ELSE 'Z' END)::timestamptz END END END END AS "t_seen"
FROM (SELECT s.id AS row_id, s.import_status AS status, s.ctid AS row_version, NULLIF(btrim(s."code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN s.new_code IS NOT NULL THEN NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') END AS new_code, COALESCE(s.import_action, 0) AS action, NULLIF(btrim(s."name", ' \t\r
\xa0'), '') AS "s_name", NULLIF(btrim(s."mail", ' \t\r
\xa0'), '') AS "s_mail", NULLIF(btrim(s."kind", ' \t\r
\xa0'), '') AS "s_kind", NULLIF(btrim(s."size", ' \t\r
\xa0'), '') AS "s_size", NULLIF(btrim(s."staff", ' \t\r
\xa0'), '') AS "s_staff", NULLIF(btrim(s."rent", ' \t\r
\xa0'), '') AS "s_rent", NULLIF(btrim(s."is_open", ' \t\r
\xa0'), '') AS "s_is_open", NULLIF(btrim(s."opened", ' \t\r
\xa0'), '') AS "s_opened", NULLIF(btrim(s."closed", ' \t\r
\xa0'), '') AS "s_closed", NULLIF(btrim(s."seen", ' \t\r
\xa0'), '') AS "s_seen", NULLIF(btrim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(btrim(s."parent", ' \t\r
\xa0'), '') AS "s_parent", NULLIF(btrim(s."twin", ' \t\r
\xa0'), '') AS "s_twin"
FROM "stg_part" s
WHERE s.import_status = 0
AND s.batch_tag = 'monday' OFFSET 0) raw OFFSET 0) t
LEFT
JOIN "mdm_part" p ON p.code = t.code
LEFT
JOIN "mdm_area" "r_area" ON "r_area"."code" = t."s_area"
LEFT
JOIN "mdm_part" "r_parent" ON "r_parent"."code" = t."s_parent"
LEFT
JOIN "mdm_part" "r_twin" ON "r_twin"."code" = t."s_twin"
LEFT
JOIN (SELECT NULLIF(btrim(s."code", ' \t\r
\xa0'), '') AS code, max(CASE
WHEN s.new_code IS NULL
OR (NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> ''
AND NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(btrim(s."code", ' \t\r
\xa0'), '')) IS NOT TRUE
OR COALESCE(s.import_action, 0) = 1
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = NULLIF(btrim(s."code", ' \t\r
\xa0'), '')) THEN 1
ELSE 0 END) AS comes
FROM "stg_part" s
WHERE s.import_status = 0
AND s.batch_tag = 'monday'
AND (COALESCE(s.import_action, 0) NOT BETWEEN 2
AND 6)
GROUP BY 1) "b_parent" ON "b_parent"."code" = t."s_parent"
LEFT
JOIN (SELECT NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN count(*) = 1 THEN max(p.id) END AS id
FROM "stg_part" s
JOIN "mdm_part" p ON p.code = NULLIF(btrim(s."code", ' \t\r
\xa0'), '')
WHERE s.import_status = 0
AND s.batch_tag = 'monday'
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(btrim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_parent" ON "n_parent"."code" = t."s_parent"
LEFT
JOIN (SELECT NULLIF(btrim(s."code", ' \t\r
\xa0'), '') AS code, max(CASE
WHEN s.new_code IS NULL
OR (NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> ''
AND NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(btrim(s."code", ' \t\r
\xa0'), '')) IS NOT TRUE
OR COALESCE(s.import_action, 0) = 1
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = NULLIF(btrim(s."code", ' \t\r
\xa0'), '')) THEN 1
ELSE 0 END) AS comes
FROM "stg_part" s
WHERE s.import_status = 0
AND s.batch_tag = 'monday'
AND (COALESCE(s.import_action, 0) NOT BETWEEN 2
AND 6)
GROUP BY 1) "b_twin" ON "b_twin"."code" = t."s_twin"
LEFT
JOIN (SELECT NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN count(*) = 1 THEN max(p.id) END AS id
FROM "stg_part" s
JOIN "mdm_part" p ON p.code = NULLIF(btrim(s."code", ' \t\r
\xa0'), '')
WHERE s.import_status = 0
AND s.batch_tag = 'monday'
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(btrim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_twin" ON "n_twin"."code" = t."s_twin" OFFSET 0) j;
-- 14 is in_one_transaction 14;
-- 15 is in_one_transaction 15;
-- 16 is in_one_transaction 16;
-- 17 is in_one_transaction 17;
-- 18 is in_one_transaction 18;
-- 19 is in_one_transaction 27;
-- 20 is in_one_transaction 103;
-- 21 is in_one_transaction 104;
-- 22 is in_one_transaction 105;
-- 23 is in_one_transaction 106;

-- 24 cascade: find_references
INSERT INTO "work_1_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 0, -3, 1
FROM "work_1" w
LEFT
JOIN "work_1" o ON o.code = w."l_parent"
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

-- 25 cascade: find_references
INSERT INTO "work_1_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 1, 1001, 0
FROM "work_1" w
LEFT
JOIN "work_1" o ON o.code = w."l_twin"
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
-- 26 is in_one_transaction 127;
-- 27 is in_one_transaction 128;
-- 28 is in_one_transaction 134;
-- 29 is in_one_transaction 135;
-- 30 is in_one_transaction 136;
-- 31 is in_one_transaction 137;
-- 32 is in_one_transaction 154;
-- 33 is in_one_transaction 155;
-- 34 is in_one_transaction 156;
-- 35 is in_one_transaction 157;
-- 36 is in_one_transaction 158;
-- 37 is in_one_transaction 159;
-- 38 is in_one_transaction 160;
-- 39 is in_one_transaction 161;
-- 40 is in_one_transaction 162;
-- 41 is in_one_transaction 163;
-- 42 is in_one_transaction 166;
-- 43 is in_one_transaction 15;
-- 44 is in_one_transaction 16;
-- 45 is in_one_transaction 169;
-- 46 is in_one_transaction 170;
-- 47 is in_one_transaction 1;
-- 48 is in_one_transaction 2;
-- 49 is in_one_transaction 3;
-- 50 is in_one_transaction 4;
-- 51 is in_one_transaction 5;
-- 52 is in_one_transaction 1;
-- 53 is in_one_transaction 2;
-- 54 is in_one_transaction 3;
-- 55 is in_one_transaction 4;
-- 56 is in_one_transaction 5;

-- 57 hold: hold_rows
UPDATE "stg_part" AS s
SET import_status = 3, batch_id = 910
FROM "work_1" w
WHERE w.outcome < 8
AND s.id = w.row_id
AND s.import_status = 0;
-- 58 is in_one_transaction 52;
-- 59 is in_one_transaction 53;
-- 60 is in_one_transaction 54;
-- 61 is in_one_transaction 220;
-- 62 is in_one_transaction 223;
-- 63 is in_one_transaction 224;
-- 64 is in_one_transaction 225;
-- 65 is in_one_transaction 226;
-- 66 is in_one_transaction 228;
-- 67 is in_one_transaction 231;
-- 68 is in_one_transaction 233;
-- 69 is in_one_transaction 234;
-- 70 is in_one_transaction 1;
-- 71 is in_one_transaction 2;
-- 72 is in_one_transaction 3;
-- 73 is in_one_transaction 4;
-- 74 is in_one_transaction 5;
-- 75 is in_one_transaction 1;
-- 76 is in_one_transaction 2;
-- 77 is in_one_transaction 3;
-- 78 is in_one_transaction 4;
-- 79 is in_one_transaction 5;
-- 80 is in_one_transaction 6;

-- 81 classify: extent
SELECT COALESCE(min(s.id), 0), COALESCE(max(s.id), 0), count(*)
FROM "stg_part" s
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id = ANY('{36}'::int2[]::bigint[]));
-- 82 is in_one_transaction 1;
-- 83 is in_one_transaction 2;
-- 84 is in_one_transaction 3;
-- 85 is in_one_transaction 4;

-- 86 worktable: create_table
CREATE UNLOGGED TABLE "work_2" ("seq" bigint GENERATED BY DEFAULT AS IDENTITY, "row_id" bigint, "row_version" tid, "code" text, "action" smallint, "new_code" text, "target_id" bigint, "outcome" smallint, "turn" smallint, "waits" bigint, "error" bigint, "message" text, "v_name" text, "v_mail" text, "v_kind" text, "v_size" text, "v_staff" bigint, "v_rent" numeric, "v_is_open" boolean, "v_opened" date, "v_closed" date, "v_seen" timestamptz, "v_area" bigint, "v_parent" bigint, "v_twin" bigint, "l_parent" text, "l_twin" text);

-- 87 classify: classify
INSERT INTO "work_2" ("row_id", "row_version", "code", "action", "new_code", "target_id", "outcome", "waits", "error", "message", "v_name", "v_mail", "v_kind", "v_size", "v_staff", "v_rent", "v_is_open", "v_opened", "v_closed", "v_seen", "v_area", "v_parent", "v_twin", "l_parent", "l_twin")
SELECT j."row_id", j."row_version", j."code", j."action", j."new_code", j."target_id",
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
ELSE '' END))) || (((CASE
WHEN j.x_0 & 256 <> 0 THEN ('name: ''' ||
CASE
WHEN length(NULLIF(btrim(s."name", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."name", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."name", ' \t\r
\xa0'), '')::text END || ''' is not readable text.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 512 <> 0 THEN ('mail: ''' ||
CASE
WHEN length(NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text END || ''' is not readable text.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 1024 <> 0 THEN ('mail: ''' ||
CASE
WHEN length(NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."mail", ' \t\r
\xa0'), '')::text END || ''' is longer than 40 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2048 <> 0 THEN ('Warning: kind: ''' ||
CASE
WHEN length(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text END || ''' is not readable text.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 4096 <> 0 THEN ('Warning: kind: ''' ||
CASE
WHEN length(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text END || ''' is shorter than 1 characters.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8192 <> 0 THEN ('Warning: kind: ''' ||
CASE
WHEN length(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."kind", ' \t\r
\xa0'), '')::text END || ''' does not match ^[a-z]+$.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 16384 <> 0 THEN ('size: ''' ||
CASE
WHEN length(NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text END || ''' is not readable text.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 32768 <> 0 THEN ('size: ''' ||
CASE
WHEN length(NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."size", ' \t\r
\xa0'), '')::text END || ''' is not one of S, M, L.') || ' '
ELSE '' END)))) || ((((CASE
WHEN j.x_0 & 65536 <> 0 THEN ('staff: ''' ||
CASE
WHEN length(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text END || ''' is not a whole number.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 131072 <> 0 THEN ('staff: ''' ||
CASE
WHEN length(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text END || ''' is a larger whole number than can be stored.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 262144 <> 0 THEN ('staff: ''' ||
CASE
WHEN length(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text END || ''' is below 0.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 524288 <> 0 THEN ('staff: ''' ||
CASE
WHEN length(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."staff", ' \t\r
\xa0'), '')::text END || ''' is above 1000.') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 1048576 <> 0 THEN ('rent: ''' ||
CASE
WHEN length(NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text END || ''' is not a decimal number of at most 40 digits on each side of the point.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2097152 <> 0 THEN ('rent: ''' ||
CASE
WHEN length(NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."rent", ' \t\r
\xa0'), '')::text END || ''' is above 99999.99.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 4194304 <> 0 THEN ('is_open: ''' ||
CASE
WHEN length(NULLIF(btrim(s."is_open", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."is_open", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."is_open", ' \t\r
\xa0'), '')::text END || ''' is not yes or no.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 8388608 <> 0 THEN ('opened: ''' ||
CASE
WHEN length(NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text END || ''' is not a date (YYYY-MM-DD).') || ' '
ELSE '' END))) || (((CASE
WHEN j.x_0 & 16777216 <> 0 THEN ('opened: ''' ||
CASE
WHEN length(NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."opened", ' \t\r
\xa0'), '')::text END || ''' is below 2000-01-01.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 33554432 <> 0 THEN ('closed: ''' ||
CASE
WHEN length(NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text END || ''' is not what is stored, which may not change.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 67108864 <> 0 THEN ('closed: ''' ||
CASE
WHEN length(NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."closed", ' \t\r
\xa0'), '')::text END || ''' is not a date (YYYY-MM-DD).') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 134217728 <> 0 THEN ('seen: ''' ||
CASE
WHEN length(NULLIF(btrim(s."seen", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."seen", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."seen", ' \t\r
\xa0'), '')::text END || ''' is not a date and time (YYYY-MM-DDTHH:MM:SS).') || ' '
ELSE '' END)) || ((CASE
WHEN j.x_0 & 268435456 <> 0 THEN 'area is required and would have no value.' || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 536870912 <> 0 THEN ('area: ''' ||
CASE
WHEN length(NULLIF(btrim(s."area", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."area", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."area", ' \t\r
\xa0'), '')::text END || ''' is not an active member of Area.') || ' '
ELSE '' END) || (CASE
WHEN j.x_0 & 1073741824 <> 0 THEN ('parent: ''' ||
CASE
WHEN length(NULLIF(btrim(s."parent", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."parent", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."parent", ' \t\r
\xa0'), '')::text END || ''' is not an active member of Part.') || ' '
ELSE '' END ||
CASE
WHEN j.x_0 & 2147483648 <> 0 THEN ('Warning: twin: ''' ||
CASE
WHEN length(NULLIF(btrim(s."twin", ' \t\r
\xa0'), '')::text) > 80 THEN left(NULLIF(btrim(s."twin", ' \t\r
\xa0'), '')::text, 80) || '…'
ELSE NULLIF(btrim(s."twin", ' \t\r
\xa0'), '')::text END || ''' is not an active member of Part.') || ' '
ELSE '' END))))))
FROM "stg_part" s
WHERE s.id = j.row_id) END, j."v_name", j."v_mail", j."v_kind", j."v_size", j."v_staff", j."v_rent", j."v_is_open", j."v_opened", j."v_closed", j."v_seen", j."v_area", j."v_parent", j."v_twin", j."l_parent", j."l_twin"
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
AND ((((((t."t_name" IS NOT DISTINCT
FROM p."name")
OR (CASE
WHEN t."t_name" IS NOT NULL THEN t."t_name"
WHEN (t."s_name" = '~NULL~') THEN NULL
ELSE p."name" END IS NOT DISTINCT
FROM p."name"))
AND ((t."t_mail" IS NOT DISTINCT
FROM p."mail")
OR (CASE
WHEN t."t_mail" IS NOT NULL THEN t."t_mail"
WHEN (t."s_mail" = '~NULL~') THEN NULL
ELSE p."mail" END IS NOT DISTINCT
FROM p."mail")))
AND (((t."t_kind" IS NOT DISTINCT
FROM p."kind")
OR (CASE
WHEN (t."t_kind" IS NOT NULL
AND (length(t."t_kind") < 1
OR NOT (t."t_kind" ~ '^[a-z]+$')) IS NOT TRUE) THEN t."t_kind"
WHEN (t."s_kind" = '~NULL~') THEN NULL
ELSE p."kind" END IS NOT DISTINCT
FROM p."kind"))
AND ((t."t_size" IS NOT DISTINCT
FROM p."size")
OR (CASE
WHEN (t."t_size" IS NOT NULL
AND (p."size" IS NULL)) THEN t."t_size"
ELSE p."size" END IS NOT DISTINCT
FROM p."size"))))
AND ((((t."t_staff" IS NOT DISTINCT
FROM p."staff")
OR (CASE
WHEN t."t_staff" IS NOT NULL THEN t."t_staff"
WHEN (t."s_staff" = '-98765432101234567890') THEN NULL
ELSE p."staff" END IS NOT DISTINCT
FROM p."staff"))
AND ((t."t_rent" IS NOT DISTINCT
FROM p."rent")
OR (CASE
WHEN t."t_rent" IS NOT NULL THEN t."t_rent"
WHEN (t."s_rent" IS NULL
OR (t."s_rent" = '-98765432101234567890')) THEN NULL
ELSE p."rent" END IS NOT DISTINCT
FROM p."rent")))
AND (((t."t_is_open" IS NOT DISTINCT
FROM p."is_open")
OR (CASE
WHEN (t."t_is_open" IS NOT NULL
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END IS NOT DISTINCT
FROM p."is_open"))
AND ((t."t_opened" IS NOT DISTINCT
FROM p."opened")
OR (CASE
WHEN t."t_opened" IS NOT NULL THEN t."t_opened"
WHEN (t."s_opened" = '5555-11-22T12:34:56') THEN NULL
ELSE p."opened" END IS NOT DISTINCT
FROM p."opened")))))
AND (((((t."t_closed" IS NOT DISTINCT
FROM p."closed")
OR (CASE
WHEN (t."t_closed" IS NOT NULL
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_closed"
ELSE p."closed" END IS NOT DISTINCT
FROM p."closed"))
AND ((t."t_seen" IS NOT DISTINCT
FROM p."seen")
OR (CASE
WHEN t."t_seen" IS NOT NULL THEN t."t_seen"
WHEN (t."s_seen" = '5555-11-22T12:34:56') THEN NULL
ELSE p."seen" END IS NOT DISTINCT
FROM p."seen")))
AND ((CASE
WHEN ((t."s_area" = '~NULL~') IS NOT TRUE
AND ("r_area"."is_active")) THEN "r_area"."id"
WHEN (t."s_area" = '~NULL~') THEN NULL
ELSE p."area" END IS NOT DISTINCT
FROM p."area")
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
ELSE p."parent" END IS NOT DISTINCT
FROM p."parent")))
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
ELSE p."twin" END IS NOT DISTINCT
FROM p."twin"))) THEN 0
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
AND 6) THEN ((((CASE
WHEN t."t_name" IS NOT NULL THEN 0
WHEN t."s_name" IS NULL THEN 0
WHEN (t."s_name" = '~NULL~') THEN 0
ELSE 256 END |
CASE
WHEN t."t_mail" IS NOT NULL THEN
CASE
WHEN length(t."t_mail") > 40 THEN 1024
ELSE 0 END
WHEN t."s_mail" IS NULL THEN 0
WHEN (t."s_mail" = '~NULL~') THEN 0
ELSE 512 END) | (CASE
WHEN t."t_kind" IS NOT NULL THEN (CASE
WHEN length(t."t_kind") < 1 THEN 4096
ELSE 0 END |
CASE
WHEN NOT (t."t_kind" ~ '^[a-z]+$') THEN 8192
ELSE 0 END)
WHEN t."s_kind" IS NULL THEN 0
WHEN (t."s_kind" = '~NULL~') THEN 0
ELSE 2048 END |
CASE
WHEN t."t_size" IS NOT NULL THEN
CASE
WHEN NOT (((t."t_size" = 'S'::text
OR t."t_size" = 'M'::text)
OR t."t_size" = 'L'::text)) THEN 32768
ELSE 0 END
WHEN t."s_size" IS NULL THEN 0
WHEN (t."s_size" = '~NULL~') THEN 0
ELSE 16384 END)) | ((CASE
WHEN t."t_staff" IS NOT NULL THEN (CASE
WHEN (t."t_staff" < '0'::bigint) THEN 262144
ELSE 0 END |
CASE
WHEN ('1000'::bigint < t."t_staff") THEN 524288
ELSE 0 END)
WHEN t."s_staff" IS NULL THEN 0
WHEN (t."s_staff" = '-98765432101234567890') THEN 0
ELSE
CASE
WHEN length(t."s_staff") > 18
AND ltrim(ltrim(t."s_staff", '-'), '0123456789') = '' THEN 131072
ELSE 65536 END END |
CASE
WHEN t."t_rent" IS NOT NULL THEN
CASE
WHEN ('99999.99'::numeric < t."t_rent") THEN 2097152
ELSE 0 END
WHEN t."s_rent" IS NULL THEN 0
WHEN (t."s_rent" = '-98765432101234567890') THEN 0
ELSE 1048576 END) | (CASE
WHEN t."t_is_open" IS NOT NULL THEN 0
WHEN t."s_is_open" IS NULL THEN 0
WHEN (t."s_is_open" = '~NULL~') THEN 0
ELSE 4194304 END |
CASE
WHEN t."t_opened" IS NOT NULL THEN
CASE
WHEN (t."t_opened" < '2000-01-01'::date) THEN 16777216
ELSE 0 END
WHEN t."s_opened" IS NULL THEN 0
WHEN (t."s_opened" = '5555-11-22T12:34:56') THEN 0
ELSE 8388608 END))) | (((CASE
WHEN t."t_closed" IS NOT NULL THEN (0 |
CASE
WHEN ((p.id IS NULL
OR FALSE IS TRUE) IS NOT TRUE
AND NOT (t."t_closed" IS NOT NULL
AND (t."t_closed" IS NOT DISTINCT
FROM p."closed"))) THEN 33554432
ELSE 0 END)
WHEN t."s_closed" IS NULL THEN 0
WHEN (t."s_closed" = '5555-11-22T12:34:56') THEN (0 |
CASE
WHEN ((p.id IS NULL
OR FALSE IS TRUE) IS NOT TRUE
AND p."closed" IS NOT NULL) THEN 33554432
ELSE 0 END)
ELSE 67108864 END |
CASE
WHEN t."t_seen" IS NOT NULL THEN 0
WHEN t."s_seen" IS NULL THEN 0
WHEN (t."s_seen" = '5555-11-22T12:34:56') THEN 0
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
WHEN t."t_name" IS NOT NULL THEN t."t_name"
WHEN (t."s_name" = '~NULL~') THEN NULL
ELSE p."name" END AS "v_name",
CASE
WHEN t."t_mail" IS NOT NULL THEN t."t_mail"
WHEN (t."s_mail" = '~NULL~') THEN NULL
ELSE p."mail" END AS "v_mail",
CASE
WHEN (t."t_kind" IS NOT NULL
AND (length(t."t_kind") < 1
OR NOT (t."t_kind" ~ '^[a-z]+$')) IS NOT TRUE) THEN t."t_kind"
WHEN (t."s_kind" = '~NULL~') THEN NULL
ELSE p."kind" END AS "v_kind",
CASE
WHEN (t."t_size" IS NOT NULL
AND (p."size" IS NULL)) THEN t."t_size"
ELSE p."size" END AS "v_size",
CASE
WHEN t."t_staff" IS NOT NULL THEN t."t_staff"
WHEN (t."s_staff" = '-98765432101234567890') THEN NULL
ELSE p."staff" END AS "v_staff",
CASE
WHEN t."t_rent" IS NOT NULL THEN t."t_rent"
WHEN (t."s_rent" IS NULL
OR (t."s_rent" = '-98765432101234567890')) THEN NULL
ELSE p."rent" END AS "v_rent",
CASE
WHEN (t."t_is_open" IS NOT NULL
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_is_open"
ELSE p."is_open" END AS "v_is_open",
CASE
WHEN t."t_opened" IS NOT NULL THEN t."t_opened"
WHEN (t."s_opened" = '5555-11-22T12:34:56') THEN NULL
ELSE p."opened" END AS "v_opened",
CASE
WHEN (t."t_closed" IS NOT NULL
AND (p.id IS NULL
OR FALSE IS TRUE)) THEN t."t_closed"
ELSE p."closed" END AS "v_closed",
CASE
WHEN t."t_seen" IS NOT NULL THEN t."t_seen"
WHEN (t."s_seen" = '5555-11-22T12:34:56') THEN NULL
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
FROM (SELECT raw.*, raw.code AS t_code,
CASE
WHEN raw."s_name" <> '~NULL~' THEN raw."s_name" END AS "t_name",
CASE
WHEN raw."s_mail" <> '~NULL~' THEN raw."s_mail" END AS "t_mail",
CASE
WHEN raw."s_kind" <> '~NULL~' THEN raw."s_kind" END AS "t_kind",
CASE
WHEN raw."s_size" <> '~NULL~' THEN raw."s_size" END AS "t_size",
CASE
WHEN raw."s_staff" <> '-98765432101234567890' THEN
CASE
WHEN length(raw."s_staff") <= 18 THEN
CASE
WHEN raw."s_staff" ~ '^-?[0-9]+$' THEN raw."s_staff"::bigint END
WHEN length(raw."s_staff") <= 100
AND raw."s_staff" ~ '^-?[0-9]+$' THEN
CASE
WHEN raw."s_staff"::numeric BETWEEN -9223372036854775807 - 1
AND 9223372036854775807 THEN raw."s_staff"::bigint END END END AS "t_staff",
CASE
WHEN raw."s_rent" <> '-98765432101234567890' THEN
CASE
WHEN length(raw."s_rent") <= 40 THEN
CASE
WHEN raw."s_rent" ~ '^-?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)$' THEN raw."s_rent"::numeric
WHEN raw."s_rent" ~ '^-?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]{1,2})?$' THEN
CASE
WHEN abs(raw."s_rent"::numeric) < 1e40
AND scale(trim_scale(raw."s_rent"::numeric)) <= 40 THEN raw."s_rent"::numeric END END
WHEN length(raw."s_rent") <= 100
AND raw."s_rent" ~ '^-?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]{1,2})?$' THEN
CASE
WHEN abs(raw."s_rent"::numeric) < 1e40
AND scale(trim_scale(raw."s_rent"::numeric)) <= 40 THEN raw."s_rent"::numeric END END END AS "t_rent",
CASE
WHEN raw."s_is_open" <> '~NULL~' THEN
CASE
WHEN lower(raw."s_is_open") IN ('true', '1', 'yes', 'y', 't') THEN true
WHEN lower(raw."s_is_open") IN ('false', '0', 'no', 'n', 'f') THEN false END END AS "t_is_open",
CASE
WHEN raw."s_opened" <> '5555-11-22T12:34:56' THEN
CASE
WHEN NULL::date IS NOT NULL
AND length(raw."s_opened") = 10 THEN NULL::date
WHEN raw."s_opened" ~ '^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-9]))$' THEN
CASE
WHEN left(raw."s_opened", 4) <> '0000'
AND (substr(raw."s_opened", 6, 5) <> '02-29'
OR (left(raw."s_opened", 4)::int % 4 = 0
AND (left(raw."s_opened", 4)::int % 100 <> 0
OR left(raw."s_opened", 4)::int % 400 = 0))) THEN raw."s_opened"::date END END END AS "t_opened",
CASE
WHEN raw."s_closed" <> '5555-11-22T12:34:56' THEN
CASE
WHEN NULL::date IS NOT NULL
AND length(raw."s_closed") = 10 THEN NULL::date
WHEN raw."s_closed" ~ '^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-9]))$' THEN
CASE
WHEN left(raw."s_closed", 4) <> '0000'
AND (substr(raw."s_closed", 6, 5) <> '02-29'
OR (left(raw."s_closed", 4)::int % 4 = 0
AND (left(raw."s_closed", 4)::int % 100 <> 0
OR left(raw."s_closed", 4)::int % 400 = 0))) THEN raw."s_closed"::date END END END AS "t_closed",
CASE
WHEN raw."s_seen" <> '5555-11-22T12:34:56' THEN
CASE
WHEN NULL::date IS NOT NULL THEN
CASE
WHEN length(raw."s_seen") = 10 THEN NULL::date::timestamp AT TIME ZONE 'UTC'
WHEN substr(raw."s_seen", 11) ~ '^[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,6})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?$' THEN (raw."s_seen" ||
CASE
WHEN length(raw."s_seen") = 10 THEN 'T00:00Z'
WHEN substr(raw."s_seen", 17) ~ '[Z+-]' THEN ''
ELSE 'Z' END)::timestamptz END
WHEN raw."s_seen" ~ '^[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-9]))(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,6})?)?(?:Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?)?)?$' THEN
CASE
WHEN left(raw."s_seen", 4) <> '0000'
AND (substr(raw."s_seen", 6, 5) <> '02-29'
OR (left(raw."s_seen", 4)::int % 4 = 0
AND (left(raw."s_seen", 4)::int % 100 <> 0
OR left(raw."s_seen", 4)::int % 400 = 0))) THEN
CASE
WHEN (raw."s_seen" ||
CASE
WHEN length(raw."s_seen") = 10 THEN 'T00:00Z'
WHEN substr(raw."s_seen", 17) ~ '[Z+-]' THEN ''
ELSE 'Z' END)::timestamptz >= '0001-01-01 00:00:00+00'
AND (raw."s_seen" ||
CASE
WHEN length(raw."s_seen") = 10 THEN 'T00:00Z'
WHEN substr(raw."s_seen", 17) ~ '[Z+-]' THEN ''
ELSE 'Z' END)::timestamptz < '10000-01-01 00:00:00+00' THEN (raw."s_seen" ||
CASE
WHEN length(raw."s_seen") = 10 THEN 'T00:00Z'
WHEN substr(raw."s_seen", 17) ~ '[Z+-]' THEN ''
ELSE 'Z' END)::timestamptz END END END END AS "t_seen"
FROM (SELECT s.id AS row_id, s.import_status AS status, s.ctid AS row_version, NULLIF(btrim(s."code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN s.new_code IS NOT NULL THEN NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') END AS new_code, COALESCE(s.import_action, 0) AS action, NULLIF(btrim(s."name", ' \t\r
\xa0'), '') AS "s_name", NULLIF(btrim(s."mail", ' \t\r
\xa0'), '') AS "s_mail", NULLIF(btrim(s."kind", ' \t\r
\xa0'), '') AS "s_kind", NULLIF(btrim(s."size", ' \t\r
\xa0'), '') AS "s_size", NULLIF(btrim(s."staff", ' \t\r
\xa0'), '') AS "s_staff", NULLIF(btrim(s."rent", ' \t\r
\xa0'), '') AS "s_rent", NULLIF(btrim(s."is_open", ' \t\r
\xa0'), '') AS "s_is_open", NULLIF(btrim(s."opened", ' \t\r
\xa0'), '') AS "s_opened", NULLIF(btrim(s."closed", ' \t\r
\xa0'), '') AS "s_closed", NULLIF(btrim(s."seen", ' \t\r
\xa0'), '') AS "s_seen", NULLIF(btrim(s."area", ' \t\r
\xa0'), '') AS "s_area", NULLIF(btrim(s."parent", ' \t\r
\xa0'), '') AS "s_parent", NULLIF(btrim(s."twin", ' \t\r
\xa0'), '') AS "s_twin"
FROM "stg_part" s
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id = ANY('{36}'::int2[]::bigint[])) OFFSET 0) raw OFFSET 0) t
LEFT
JOIN "mdm_part" p ON p.code = t.code
LEFT
JOIN "mdm_area" "r_area" ON "r_area"."code" = t."s_area"
LEFT
JOIN "mdm_part" "r_parent" ON "r_parent"."code" = t."s_parent"
LEFT
JOIN "mdm_part" "r_twin" ON "r_twin"."code" = t."s_twin"
LEFT
JOIN (SELECT NULLIF(btrim(s."code", ' \t\r
\xa0'), '') AS code, max(CASE
WHEN s.new_code IS NULL
OR (NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> ''
AND NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(btrim(s."code", ' \t\r
\xa0'), '')) IS NOT TRUE
OR COALESCE(s.import_action, 0) = 1
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = NULLIF(btrim(s."code", ' \t\r
\xa0'), '')) THEN 1
ELSE 0 END) AS comes
FROM "stg_part" s
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id = ANY('{36}'::int2[]::bigint[]))
AND (COALESCE(s.import_action, 0) NOT BETWEEN 2
AND 6)
GROUP BY 1) "b_parent" ON "b_parent"."code" = t."s_parent"
LEFT
JOIN (SELECT NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN count(*) = 1 THEN max(p.id) END AS id
FROM "stg_part" s
JOIN "mdm_part" p ON p.code = NULLIF(btrim(s."code", ' \t\r
\xa0'), '')
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id = ANY('{36}'::int2[]::bigint[]))
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(btrim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_parent" ON "n_parent"."code" = t."s_parent"
LEFT
JOIN (SELECT NULLIF(btrim(s."code", ' \t\r
\xa0'), '') AS code, max(CASE
WHEN s.new_code IS NULL
OR (NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> ''
AND NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(btrim(s."code", ' \t\r
\xa0'), '')) IS NOT TRUE
OR COALESCE(s.import_action, 0) = 1
OR EXISTS (SELECT 1
FROM "mdm_part" p
WHERE p.code = NULLIF(btrim(s."code", ' \t\r
\xa0'), '')) THEN 1
ELSE 0 END) AS comes
FROM "stg_part" s
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id = ANY('{36}'::int2[]::bigint[]))
AND (COALESCE(s.import_action, 0) NOT BETWEEN 2
AND 6)
GROUP BY 1) "b_twin" ON "b_twin"."code" = t."s_twin"
LEFT
JOIN (SELECT NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') AS code,
CASE
WHEN count(*) = 1 THEN max(p.id) END AS id
FROM "stg_part" s
JOIN "mdm_part" p ON p.code = NULLIF(btrim(s."code", ' \t\r
\xa0'), '')
WHERE (s.import_status = 3
AND s.batch_id = 910
AND s.id = ANY('{36}'::int2[]::bigint[]))
AND (s.new_code IS NOT NULL
AND (COALESCE(s.import_action, 0) = 0
OR (COALESCE(s.import_action, 0) = 2
AND p.is_active)))
AND NULLIF(btrim(s."new_code", ' \t\r
\xa0'), '') <> NULLIF(btrim(s."code", ' \t\r
\xa0'), '')
GROUP BY 1) "n_twin" ON "n_twin"."code" = t."s_twin" OFFSET 0) j;

-- 88 worktable: create_index
CREATE INDEX "work_2_seq" ON "work_2" ("seq");
-- 89 is in_one_transaction 15;

-- 90 worktable: analyze_table
ANALYZE "work_2";

-- 91 worktable: create_table
CREATE UNLOGGED TABLE "work_2_again" ("code" text);

-- 92 duplicates: find_duplicates
INSERT INTO "work_2_again" (code)
SELECT w.code
FROM "work_2" w
WHERE w.code IS NOT NULL
GROUP BY w.code HAVING count(*) > 1;

-- 93 order: special
SELECT COALESCE(max(CASE
WHEN (w.action BETWEEN 3
AND 6) THEN 1
ELSE 0 END), 0), count(w.new_code), COALESCE(max(CASE
WHEN w.outcome = 5 THEN 1
ELSE 0 END), 0)
FROM "work_2" w;

-- 94 reject: say
UPDATE "work_2" AS w
SET outcome = 4, error = w.error | 8192, message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Rule: this does not hold: opened is at most closed (' ||
CASE
WHEN length('opened: ' || COALESCE(CAST(w."v_opened" AS text), 'empty')::text) > 80 THEN left('opened: ' || COALESCE(CAST(w."v_opened" AS text), 'empty')::text, 80) || '…'
ELSE 'opened: ' || COALESCE(CAST(w."v_opened" AS text), 'empty')::text END || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND (TRUE
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND (w."v_closed" IS NOT NULL)
AND NOT COALESCE((NOT (w."v_closed" < w."v_opened")), FALSE));

-- 95 reject: say
UPDATE "work_2" AS w
SET message =
CASE
WHEN w.message IS NULL THEN ''
ELSE w.message || ' ' END || ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' ||
CASE
WHEN length('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty')::text) > 80 THEN left('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty')::text, 80) || '…'
ELSE 'staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty')::text END || ').')
WHERE w.outcome NOT IN (5, 8, 9)
AND ((TRUE
AND (w.outcome IN (1, 2, 3)
OR (w.outcome = 4
AND w.action < 3
AND w.error & 1213 = 0))
AND TRUE
AND NOT COALESCE((NOT (w."v_staff" < '1'::bigint)), FALSE))
AND (w.message IS NULL
OR replace(w.message, ('Warning: Staffed: this does not hold: staff is at least ‘1’ (' ||
CASE
WHEN length('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty')::text) > 80 THEN left('staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty')::text, 80) || '…'
ELSE 'staff: ' || COALESCE(CAST(w."v_staff" AS text), 'empty')::text END || ').'), '') = w.message));

-- 96 worktable: create_table
CREATE UNLOGGED TABLE "work_2_edges" ("row_id" bigint, "target" bigint, "field" bigint, "gives" bigint, "firm" bigint);

-- 97 worktable: create_table
CREATE UNLOGGED TABLE "work_2_lost" ("row_id" bigint, "field" bigint, "firm" bigint, "round" bigint);

-- 98 cascade: find_references
INSERT INTO "work_2_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 0, -3, 1
FROM "work_2" w
LEFT
JOIN "work_2" o ON o.code = w."l_parent"
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

-- 99 cascade: find_references
INSERT INTO "work_2_edges" (row_id, target, field, gives, firm)
SELECT w.row_id, o.row_id, 1, 1001, 0
FROM "work_2" w
LEFT
JOIN "work_2" o ON o.code = w."l_twin"
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

-- 100 worktable: create_table
CREATE UNLOGGED TABLE "work_2_u0" ("row_id" bigint, "taken" text);

-- 101 unique: find_new_values
INSERT INTO "work_2_u0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM "work_2" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_mail" IS NOT DISTINCT
FROM p."mail");

-- 102 worktable: create_table
CREATE UNLOGGED TABLE "work_2_u1" ("row_id" bigint, "taken" bigint);

-- 103 unique: find_new_values
INSERT INTO "work_2_u1" (row_id, taken)
SELECT w.row_id, w."v_twin"
FROM "work_2" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_twin" IS NOT NULL
AND w.outcome IN (1, 2, 3)
AND NOT (w."v_twin" IS NOT DISTINCT
FROM p."twin");

-- 104 worktable: create_table
CREATE UNLOGGED TABLE "work_2_m1" ("row_id" bigint, "taken" text);

-- 105 unique: find_newcomers
INSERT INTO "work_2_m1" (row_id, taken)
SELECT w.row_id, w."l_twin"
FROM "work_2" w
WHERE w.outcome IN (1, 2, 3)
AND (w.waits & 2) <> 0;

-- 106 worktable: create_table
CREATE UNLOGGED TABLE "work_2_r1" ("row_id" bigint, "taken" bigint);

-- 107 unique: find_new_values
INSERT INTO "work_2_r1" (row_id, taken)
SELECT w.row_id,
CASE
WHEN w.target_id IS NOT NULL
AND w.new_code = w."l_twin"
AND (w.action = 0
OR w.action = 2
AND p.is_active) THEN
CASE
WHEN EXISTS (SELECT 1
FROM "work_2" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM "work_2" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM "work_2" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END
FROM "work_2" w
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
FROM "work_2" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM "work_2" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM "work_2" x
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
FROM "work_2" o
WHERE o.code = w."l_twin"
AND (o.action NOT BETWEEN 2
AND 6)
AND o.outcome IN (1, 2, 3)) THEN NULLIF(w."v_twin", w.target_id)
ELSE w.target_id END
WHEN EXISTS (SELECT 1
FROM "work_2" o
WHERE o.code = w."l_twin"
AND o.target_id IS NULL
AND (o.action NOT BETWEEN 2
AND 6))
AND NOT EXISTS (SELECT 1
FROM "work_2" x
WHERE x.new_code = w."l_twin"
AND x.outcome = 2) THEN NULL
ELSE w."v_twin" END IS NOT DISTINCT
FROM p."twin");

-- 108 worktable: create_table
CREATE UNLOGGED TABLE "work_2_s1" ("row_id" bigint);

-- 109 unique: find_sharers
INSERT INTO "work_2_s1" (row_id)
SELECT w.row_id
FROM "work_2" w
WHERE w.outcome = 4
AND w.error & 4096 = 0
AND (w."v_twin" IS NULL
OR w."v_twin" = w.target_id
AND w.new_code = w."l_twin")
AND w."l_twin" IN (SELECT o."l_twin"
FROM "work_2" o
WHERE o.outcome IN (1, 2)
AND (o.waits & 2) <> 0);

-- 110 worktable: create_table
CREATE UNLOGGED TABLE "work_2_r0" ("row_id" bigint, "taken" text);

-- 111 unique: find_new_values
INSERT INTO "work_2_r0" (row_id, taken)
SELECT w.row_id, w."v_mail"
FROM "work_2" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w."v_mail" IS NOT NULL
AND w.outcome = 4
AND w.error & 4096 = 0
AND NOT (w."v_mail" IS NOT DISTINCT
FROM p."mail");

-- 112 worktable: create_table
CREATE UNLOGGED TABLE "work_2_traders" ("row_id" bigint);

-- 113 order: find_traders
INSERT INTO "work_2_traders" (row_id)
SELECT e."row_id"
FROM "work_2_edges" e
JOIN "work_2" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 114 order: find_traders
INSERT INTO "work_2_traders" (row_id)
SELECT e."target"
FROM "work_2_edges" e
JOIN "work_2" w ON w.row_id = e.row_id
WHERE e.field >= 1000
AND e.target IS NOT NULL
AND w.outcome IN (1, 2);

-- 115 order: some_wait
SELECT 1
FROM "work_2" w
WHERE w.waits <> 0 LIMIT 1;

-- 116 order: put
UPDATE "work_2" AS w
SET turn = -2, seq = moved.seq
FROM (SELECT w.row_id, (SELECT max(seq)
FROM "work_2") + row_number() OVER (ORDER BY w.row_id) AS seq
FROM "work_2" w
WHERE w.outcome = 4) moved
WHERE moved.row_id = w.row_id;
-- 117 is in_one_transaction 15;
-- 118 is 90;
-- 119 is in_one_transaction 1;
-- 120 is in_one_transaction 2;
-- 121 is in_one_transaction 3;
-- 122 is in_one_transaction 4;
-- 123 is in_one_transaction 5;

-- 124 order: last_turn
SELECT w.turn, (SELECT min(first.seq)
FROM "work_2" first), w.seq
FROM "work_2" w
ORDER BY w.seq DESC LIMIT 1;
-- 125 is in_one_transaction 1;
-- 126 is in_one_transaction 2;
-- 127 is in_one_transaction 3;
-- 128 is in_one_transaction 4;
-- 129 is in_one_transaction 5;

-- 130 merge: count_outcomes
SELECT w.outcome, count(*), count(w.message)
FROM "work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome < 8
GROUP BY w.outcome;

-- 131 merge: mark_staged
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
FROM (SELECT w.row_id, w.outcome, w.error, w.message, w.row_version
FROM "work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome < 8
ORDER BY w.row_id OFFSET 0) w
WHERE s.id = w.row_id
AND s.import_status = 3
AND s.ctid = w.row_version;

-- 132 members: resolve
UPDATE "work_2" AS w
SET "v_parent" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 1
AND 1
AND (w.waits & 1) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_parent";

-- 133 members: resolve
UPDATE "work_2" AS w
SET "v_twin" = p.id
FROM "mdm_part" p
WHERE w.seq BETWEEN 1
AND 1
AND (w.waits & 2) <> 0
AND w.outcome IN (1, 2)
AND p.code = w."l_twin";

-- 134 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by", "was_code", "was_name", "was_is_active", "was_updated_at", "was_updated_batch_id", "was_mail", "was_kind", "was_size", "was_staff", "was_rent", "was_is_open", "was_opened", "was_closed", "was_seen", "was_area", "was_parent", "was_twin")
SELECT p.id, 'updated', 911, NULL, '2026-03-02 12:00:00+00:00'::timestamptz, 9202, 'unknown', p."code", p."name", p."is_active", p."updated_at", p."updated_batch_id", p."mail", p."kind", p."size", p."staff", p."rent", p."is_open", p."opened", p."closed", p."seen", p."area", p."parent", p."twin"
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM "work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (2)
AND w.target_id IS NOT NULL
ORDER BY w.target_id OFFSET 0) w ON p.id = w.target_id;

-- 135 members: update_members
UPDATE "mdm_part" AS p
SET "name" = w."v_name", "mail" = w."v_mail", "kind" = w."v_kind", "size" = w."v_size", "staff" = w."v_staff", "rent" = w."v_rent", "is_open" = w."v_is_open", "opened" = w."v_opened", "closed" = w."v_closed", "seen" = w."v_seen", "area" = w."v_area", "parent" = w."v_parent", "twin" = w."v_twin", is_active = (p.is_active
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

-- 136 history: insert_noted
WITH new AS (INSERT INTO "mdm_part" ("code", "name", "mail", "kind", "size", "staff", "rent", "is_open", "opened", "closed", "seen", "area", "parent", "twin", "is_active", "created_at", "updated_at", "created_batch_id", "updated_batch_id")
SELECT w.code, w."v_name", w."v_mail", w."v_kind", w."v_size", w."v_staff", w."v_rent", w."v_is_open", w."v_opened", w."v_closed", w."v_seen", w."v_area", w."v_parent", w."v_twin", true, '2026-03-02 12:00:00+00:00'::timestamptz, '2026-03-02 12:00:00+00:00'::timestamptz, 911, 911
FROM "work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome = 1
AND w.target_id IS NULL
ORDER BY w.code
RETURNING id) INSERT INTO "hst_part" ("member_id", "action", "batch_id", "changed_at", "changed_by", "change_set_id")
SELECT born.id, 'inserted', 911, '2026-03-02 12:00:00+00:00'::timestamptz, 'unknown', 9202
FROM new born;

-- 137 history: note
INSERT INTO "hst_part" ("member_id", "action", "batch_id", "restored_batch_id", "changed_at", "change_set_id", "changed_by")
SELECT p.id, 'inserted', 911, NULL, '2026-03-02 12:00:00+00:00'::timestamptz, 9202, 'unknown'
FROM "mdm_part" p
JOIN (SELECT w.seq, w.target_id
FROM "work_2" w
WHERE w.seq BETWEEN 1
AND 1
AND w.outcome IN (1)
AND w.target_id IS NOT NULL
ORDER BY w.target_id OFFSET 0) w ON p.id = w.target_id;

-- 138
SELECT relname
FROM pg_class
WHERE relkind = 'r'
AND pg_table_is_visible(oid)
AND relname LIKE E'work_2%';

-- 139 worktable: drop_table
DROP TABLE IF EXISTS "work_2";

-- 140 worktable: drop_table
DROP TABLE IF EXISTS "work_2_again";

-- 141 worktable: drop_table
DROP TABLE IF EXISTS "work_2_edges";

-- 142 worktable: drop_table
DROP TABLE IF EXISTS "work_2_lost";

-- 143 worktable: drop_table
DROP TABLE IF EXISTS "work_2_m1";

-- 144 worktable: drop_table
DROP TABLE IF EXISTS "work_2_r0";

-- 145 worktable: drop_table
DROP TABLE IF EXISTS "work_2_r1";

-- 146 worktable: drop_table
DROP TABLE IF EXISTS "work_2_s1";

-- 147 worktable: drop_table
DROP TABLE IF EXISTS "work_2_traders";

-- 148 worktable: drop_table
DROP TABLE IF EXISTS "work_2_u0";

-- 149 worktable: drop_table
DROP TABLE IF EXISTS "work_2_u1";
-- 150 is in_one_transaction 1;
-- 151 is in_one_transaction 2;
-- 152 is in_one_transaction 3;
-- 153 is in_one_transaction 4;
-- 154 is in_one_transaction 5;

-- 155
SELECT 1
FROM "stg_part" s
WHERE s.import_status = 3
AND s.batch_id = 910 LIMIT 1;
