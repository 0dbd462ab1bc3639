-- 1 is in_one_transaction 3;
-- 2 is in_one_transaction 4;
-- 3 is in_one_transaction 5;
-- 4 is in_one_transaction 6;
-- 5 is in_one_transaction 7;
-- 6 is in_one_transaction 8;
-- 7 is in_one_transaction 9;
-- 8 is in_one_transaction 10;
-- 9 is in_one_transaction 11;
-- 10 is in_one_transaction 12;
-- 11 is in_one_transaction 13;
-- 12 is in_one_transaction 14;
-- 13 is in_one_transaction 15;
-- 14 is in_one_transaction 16;
-- 15 is in_one_transaction 17;
-- 16 is in_one_transaction 18;
-- 17 is in_one_transaction 19;
-- 18 is in_one_transaction 20;
-- 19 is in_one_transaction 21;
-- 20 is in_one_transaction 22;
-- 21 is in_one_transaction 23;
-- 22 is in_one_transaction 24;
-- 23 is in_one_transaction 25;
-- 24 is in_one_transaction 26;
-- 25 is in_one_transaction 27;
-- 26 is in_one_transaction 28;
-- 27 is in_one_transaction 29;
-- 28 is in_one_transaction 30;
-- 29 is in_one_transaction 31;
-- 30 is in_one_transaction 32;
-- 31 is in_one_transaction 33;
-- 32 is in_one_transaction 34;
-- 33 is in_one_transaction 35;
-- 34 is in_one_transaction 36;
-- 35 is in_one_transaction 37;
-- 36 is in_one_transaction 38;
-- 37 is in_one_transaction 39;
-- 38 is in_one_transaction 4;
-- 39 is in_one_transaction 41;
-- 40 is in_one_transaction 6;
-- 41 is in_one_transaction 7;
-- 42 is in_one_transaction 8;
-- 43 is in_one_transaction 9;
-- 44 is in_one_transaction 10;
-- 45 is in_one_transaction 11;
-- 46 is in_one_transaction 12;
-- 47 is in_one_transaction 13;
-- 48 is in_one_transaction 14;
-- 49 is in_one_transaction 15;
-- 50 is in_one_transaction 16;
-- 51 is in_one_transaction 17;
-- 52 is in_one_transaction 18;
-- 53 is in_one_transaction 19;
-- 54 is in_one_transaction 20;
-- 55 is in_one_transaction 21;
-- 56 is in_one_transaction 22;
-- 57 is in_one_transaction 23;
-- 58 is in_one_transaction 24;
-- 59 is in_one_transaction 25;
-- 60 is in_one_transaction 26;
-- 61 is in_one_transaction 27;
-- 62 is in_one_transaction 64;
-- 63 is in_one_transaction 65;
-- 64 is in_one_transaction 66;
-- 65 is in_one_transaction 67;
-- 66 is in_one_transaction 68;
-- 67 is in_one_transaction 69;
-- 68 is in_one_transaction 70;
-- 69 is in_one_transaction 71;
-- 70 is in_one_transaction 72;
-- 71 is in_one_transaction 73;
-- 72 is in_one_transaction 74;
-- 73 is in_one_transaction 75;
-- 74 is in_one_transaction 76;
-- 75 is in_one_transaction 77;
-- 76 is in_one_transaction 78;
-- 77 is in_one_transaction 79;
-- 78 is in_one_transaction 80;
-- 79 is in_one_transaction 81;
-- 80 is in_one_transaction 82;
-- 81 is in_one_transaction 83;
-- 82 is in_one_transaction 84;
-- 83 is in_one_transaction 85;
-- 84 is in_one_transaction 86;
-- 85 is in_one_transaction 87;
-- 86 is in_one_transaction 88;
-- 87 is in_one_transaction 89;
-- 88 is in_one_transaction 90;
-- 89 is in_one_transaction 91;
-- 90 is in_one_transaction 92;
-- 91 is in_one_transaction 93;
-- 92 is in_one_transaction 94;
-- 93 is in_one_transaction 95;
-- 94 is in_one_transaction 96;
-- 95 is in_one_transaction 97;
-- 96 is in_one_transaction 98;
-- 97 is in_one_transaction 99;
-- 98 is in_one_transaction 100;
-- 99 is in_one_transaction 101;
-- 100 is in_one_transaction 102;
-- 101 is in_one_transaction 103;
-- 102 is in_one_transaction 104;
-- 103 is in_one_transaction 105;
-- 104 is in_one_transaction 106;
-- 105 is in_one_transaction 107;
-- 106 is in_one_transaction 108;
-- 107 is in_one_transaction 109;
-- 108 is in_one_transaction 110;
-- 109 is in_one_transaction 111;
-- 110 is in_one_transaction 112;
-- 111 is in_one_transaction 113;
-- 112 is in_one_transaction 114;
-- 113 is in_one_transaction 115;
-- 114 is in_one_transaction 116;
-- 115 is in_one_transaction 117;
-- 116 is in_one_transaction 118;
-- 117 is in_one_transaction 119;
-- 118 is in_one_transaction 120;
-- 119 is in_one_transaction 121;
-- 120 is in_one_transaction 122;
-- 121 is in_one_transaction 123;

-- 122 changes: read_changes
SELECT w.seq, w.row_id, w.code, w.outcome, w.message, p.is_active, w.new_code, w.action, p."name", w."v_name", p."mail", w."v_mail", p."kind", w."v_kind", p."size", w."v_size", p."staff", w."v_staff", p."rent", w."v_rent", p."is_open", w."v_is_open", p."opened", w."v_opened", p."closed", w."v_closed", p."seen", w."v_seen", "b_area"."code", "a_area"."code", "b_parent"."code", COALESCE(w."l_parent", "a_parent"."code"), "b_twin"."code", COALESCE(w."l_twin", "a_twin"."code")
FROM (SELECT w.*
FROM temp."work_1" w
WHERE w.seq > 0
AND w.outcome IN (1, 2, 6, 7, 4)
ORDER BY w.seq LIMIT 50) w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
LEFT
JOIN "mdm_area" "b_area" ON "b_area"."id" = p."area"
LEFT
JOIN "mdm_area" "a_area" ON "a_area"."id" = w."v_area"
LEFT
JOIN "mdm_part" "b_parent" ON "b_parent"."id" = p."parent"
LEFT
JOIN "mdm_part" "a_parent" ON "a_parent"."id" = w."v_parent"
LEFT
JOIN "mdm_part" "b_twin" ON "b_twin"."id" = p."twin"
LEFT
JOIN "mdm_part" "a_twin" ON "a_twin"."id" = w."v_twin"
ORDER BY w.seq;

-- 123 changes: read_changes
SELECT w.seq, w.row_id, w.code, w.outcome, w.message, p.is_active, w.new_code, w.action, p."name", w."v_name", p."mail", w."v_mail", p."kind", w."v_kind", p."size", w."v_size", p."staff", w."v_staff", p."rent", w."v_rent", p."is_open", w."v_is_open", p."opened", w."v_opened", p."closed", w."v_closed", p."seen", w."v_seen", "b_area"."code", "a_area"."code", "b_parent"."code", COALESCE(w."l_parent", "a_parent"."code"), "b_twin"."code", COALESCE(w."l_twin", "a_twin"."code")
FROM (SELECT w.*
FROM temp."work_1" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w.seq > 0
AND w.outcome IN (1, 2)
AND NOT (w."v_mail" IS p."mail")
ORDER BY w.seq LIMIT 50) w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
LEFT
JOIN "mdm_area" "b_area" ON "b_area"."id" = p."area"
LEFT
JOIN "mdm_area" "a_area" ON "a_area"."id" = w."v_area"
LEFT
JOIN "mdm_part" "b_parent" ON "b_parent"."id" = p."parent"
LEFT
JOIN "mdm_part" "a_parent" ON "a_parent"."id" = w."v_parent"
LEFT
JOIN "mdm_part" "b_twin" ON "b_twin"."id" = p."twin"
LEFT
JOIN "mdm_part" "a_twin" ON "a_twin"."id" = w."v_twin"
ORDER BY w.seq;
-- 124 is in_one_transaction 33;
-- 125 is in_one_transaction 167;
-- 126 is in_one_transaction 168;
-- 127 is in_one_transaction 34;
-- 128 is in_one_transaction 35;
-- 129 is in_one_transaction 36;
-- 130 is in_one_transaction 37;
-- 131 is in_one_transaction 38;
-- 132 is in_one_transaction 39;
-- 133 is in_one_transaction 175;
-- 134 is in_one_transaction 176;
-- 135 is in_one_transaction 177;
-- 136 is in_one_transaction 178;
-- 137 is in_one_transaction 179;
-- 138 is in_one_transaction 180;
-- 139 is in_one_transaction 181;
-- 140 is in_one_transaction 182;
-- 141 is in_one_transaction 183;
