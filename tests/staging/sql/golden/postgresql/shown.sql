-- 1 is in_one_transaction 7;
-- 2 is in_one_transaction 1;
-- 3 is in_one_transaction 2;
-- 4 is in_one_transaction 3;
-- 5 is in_one_transaction 4;
-- 6 is in_one_transaction 12;
-- 7 is in_one_transaction 13;
-- 8 is in_one_transaction 14;
-- 9 is in_one_transaction 15;
-- 10 is in_one_transaction 16;
-- 11 is in_one_transaction 17;
-- 12 is in_one_transaction 18;
-- 13 is in_one_transaction 15;
-- 14 is in_one_transaction 20;
-- 15 is in_one_transaction 21;
-- 16 is in_one_transaction 22;
-- 17 is in_one_transaction 15;
-- 18 is in_one_transaction 24;
-- 19 is in_one_transaction 25;
-- 20 is in_one_transaction 26;
-- 21 is in_one_transaction 27;
-- 22 is in_one_transaction 28;
-- 23 is in_one_transaction 29;
-- 24 is in_one_transaction 30;
-- 25 is in_one_transaction 31;
-- 26 is in_one_transaction 32;
-- 27 is in_one_transaction 15;
-- 28 is in_one_transaction 34;
-- 29 is in_one_transaction 35;
-- 30 is in_one_transaction 36;
-- 31 is in_one_transaction 37;
-- 32 is in_one_transaction 38;
-- 33 is in_one_transaction 39;
-- 34 is in_one_transaction 15;
-- 35 is in_one_transaction 41;
-- 36 is in_one_transaction 42;
-- 37 is in_one_transaction 43;
-- 38 is in_one_transaction 44;
-- 39 is in_one_transaction 45;
-- 40 is in_one_transaction 46;
-- 41 is in_one_transaction 47;
-- 42 is in_one_transaction 48;
-- 43 is in_one_transaction 49;
-- 44 is in_one_transaction 50;
-- 45 is in_one_transaction 51;
-- 46 is in_one_transaction 52;
-- 47 is in_one_transaction 53;
-- 48 is in_one_transaction 54;
-- 49 is in_one_transaction 55;
-- 50 is in_one_transaction 56;
-- 51 is in_one_transaction 57;
-- 52 is in_one_transaction 58;
-- 53 is in_one_transaction 15;
-- 54 is in_one_transaction 60;
-- 55 is in_one_transaction 15;
-- 56 is in_one_transaction 62;
-- 57 is in_one_transaction 12;
-- 58 is in_one_transaction 64;
-- 59 is in_one_transaction 14;
-- 60 is in_one_transaction 15;
-- 61 is in_one_transaction 16;
-- 62 is in_one_transaction 17;
-- 63 is in_one_transaction 18;
-- 64 is in_one_transaction 15;
-- 65 is in_one_transaction 20;
-- 66 is in_one_transaction 21;
-- 67 is in_one_transaction 22;
-- 68 is in_one_transaction 15;
-- 69 is in_one_transaction 24;
-- 70 is in_one_transaction 25;
-- 71 is in_one_transaction 26;
-- 72 is in_one_transaction 27;
-- 73 is in_one_transaction 28;
-- 74 is in_one_transaction 29;
-- 75 is in_one_transaction 30;
-- 76 is in_one_transaction 31;
-- 77 is in_one_transaction 32;
-- 78 is in_one_transaction 15;
-- 79 is in_one_transaction 34;
-- 80 is in_one_transaction 35;
-- 81 is in_one_transaction 36;
-- 82 is in_one_transaction 37;
-- 83 is in_one_transaction 38;
-- 84 is in_one_transaction 39;
-- 85 is in_one_transaction 15;
-- 86 is in_one_transaction 41;
-- 87 is in_one_transaction 42;
-- 88 is in_one_transaction 43;
-- 89 is in_one_transaction 44;
-- 90 is in_one_transaction 45;
-- 91 is in_one_transaction 46;
-- 92 is in_one_transaction 98;
-- 93 is in_one_transaction 99;
-- 94 is in_one_transaction 100;
-- 95 is in_one_transaction 101;
-- 96 is in_one_transaction 102;
-- 97 is in_one_transaction 103;
-- 98 is in_one_transaction 104;
-- 99 is in_one_transaction 105;
-- 100 is in_one_transaction 106;
-- 101 is in_one_transaction 107;
-- 102 is in_one_transaction 108;
-- 103 is in_one_transaction 109;
-- 104 is in_one_transaction 110;
-- 105 is in_one_transaction 15;
-- 106 is in_one_transaction 112;
-- 107 is in_one_transaction 113;
-- 108 is in_one_transaction 15;
-- 109 is in_one_transaction 115;
-- 110 is in_one_transaction 116;
-- 111 is in_one_transaction 117;
-- 112 is in_one_transaction 118;
-- 113 is in_one_transaction 119;
-- 114 is in_one_transaction 120;
-- 115 is in_one_transaction 121;
-- 116 is in_one_transaction 122;
-- 117 is in_one_transaction 123;
-- 118 is in_one_transaction 124;
-- 119 is in_one_transaction 125;
-- 120 is in_one_transaction 126;
-- 121 is in_one_transaction 127;
-- 122 is in_one_transaction 128;
-- 123 is in_one_transaction 129;
-- 124 is in_one_transaction 15;
-- 125 is in_one_transaction 131;
-- 126 is in_one_transaction 132;
-- 127 is in_one_transaction 133;
-- 128 is in_one_transaction 134;
-- 129 is in_one_transaction 135;
-- 130 is in_one_transaction 136;
-- 131 is in_one_transaction 137;
-- 132 is in_one_transaction 15;
-- 133 is in_one_transaction 112;
-- 134 is in_one_transaction 140;
-- 135 is in_one_transaction 15;
-- 136 is in_one_transaction 115;
-- 137 is in_one_transaction 143;
-- 138 is in_one_transaction 144;
-- 139 is in_one_transaction 145;
-- 140 is in_one_transaction 146;
-- 141 is in_one_transaction 147;
-- 142 is in_one_transaction 148;
-- 143 is in_one_transaction 149;
-- 144 is in_one_transaction 150;
-- 145 is in_one_transaction 151;
-- 146 is in_one_transaction 152;
-- 147 is in_one_transaction 153;
-- 148 is in_one_transaction 154;
-- 149 is in_one_transaction 155;
-- 150 is in_one_transaction 156;
-- 151 is in_one_transaction 157;
-- 152 is in_one_transaction 158;
-- 153 is in_one_transaction 159;
-- 154 is in_one_transaction 160;
-- 155 is in_one_transaction 161;
-- 156 is in_one_transaction 162;
-- 157 is in_one_transaction 163;
-- 158 is in_one_transaction 164;
-- 159 is in_one_transaction 165;
-- 160 is in_one_transaction 166;
-- 161 is in_one_transaction 15;
-- 162 is in_one_transaction 16;
-- 163 is in_one_transaction 169;

-- 164 changes: read_changes
SELECT w.seq, w.row_id, w.code, w.outcome, w.message, p.is_active, w.new_code, w.action, p."name", w."v_name", p."mail", w."v_mail", p."kind", w."v_kind", p."size", w."v_size", p."staff", w."v_staff", p."rent", w."v_rent", p."is_open", w."v_is_open", p."opened", w."v_opened", p."closed", w."v_closed", p."seen", w."v_seen", "b_area"."code", "a_area"."code", "b_parent"."code", COALESCE(w."l_parent", "a_parent"."code"), "b_twin"."code", COALESCE(w."l_twin", "a_twin"."code")
FROM (SELECT w.*
FROM "work_1" w
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

-- 165 changes: read_changes
SELECT w.seq, w.row_id, w.code, w.outcome, w.message, p.is_active, w.new_code, w.action, p."name", w."v_name", p."mail", w."v_mail", p."kind", w."v_kind", p."size", w."v_size", p."staff", w."v_staff", p."rent", w."v_rent", p."is_open", w."v_is_open", p."opened", w."v_opened", p."closed", w."v_closed", p."seen", w."v_seen", "b_area"."code", "a_area"."code", "b_parent"."code", COALESCE(w."l_parent", "a_parent"."code"), "b_twin"."code", COALESCE(w."l_twin", "a_twin"."code")
FROM (SELECT w.*
FROM "work_1" w
LEFT
JOIN "mdm_part" p ON p.id = w.target_id
WHERE w.seq > 0
AND w.outcome IN (1, 2)
AND NOT (w."v_mail" IS NOT DISTINCT
FROM p."mail")
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
-- 166 is in_one_transaction 52;
-- 167 is in_one_transaction 53;
-- 168 is in_one_transaction 54;
-- 169 is in_one_transaction 220;
-- 170 is in_one_transaction 221;
-- 171 is in_one_transaction 55;
-- 172 is in_one_transaction 223;
-- 173 is in_one_transaction 224;
-- 174 is in_one_transaction 225;
-- 175 is in_one_transaction 226;
-- 176 is in_one_transaction 56;
-- 177 is in_one_transaction 228;
-- 178 is in_one_transaction 229;
-- 179 is in_one_transaction 57;
-- 180 is in_one_transaction 231;
-- 181 is in_one_transaction 58;
-- 182 is in_one_transaction 233;
-- 183 is in_one_transaction 234;
