"""`preview_fires`: JSON lines in, JSON lines out; a bad line is one error line and never a traceback."""

import io
import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import CommandError, call_command

CASES = json.loads((Path(__file__).parents[1] / "cadence" / "cases.json").read_text())
DAILY = {"cadence": {"kind": "daily", "times": ["06:00"]}, "timezone": "UTC", "after": "2026-01-01T00:00:00Z"}


def answers(*lines: Any, count: int | None = None) -> list[dict[str, Any]]:
    text = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    out = io.StringIO()
    with patch("sys.stdin", io.TextIOWrapper(io.BytesIO(text))):
        call_command("preview_fires", stdout=out, **({} if count is None else {"count": count}))
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_the_public_cases_to_the_letter() -> None:
    requests = [
        {**{key: case[key] for key in ("cadence", "timezone", "after")}, "count": max(len(case["expected"]), 1)}
        for case in CASES
    ]
    for case, answer in zip(CASES, answers(*requests), strict=True):
        assert answer.get("fires") == case["expected"], case["id"]
        assert answer["sentence"].endswith(case["timezone"])


def test_the_count_is_the_line_s_else_the_option_s_else_five() -> None:
    assert [len(answer["fires"]) for answer in answers(DAILY, {**DAILY, "count": 2})] == [5, 2]
    assert [len(answer["fires"]) for answer in answers(DAILY, {**DAILY, "count": 0}, count=3)] == [3, 0]


def test_instants_carry_the_offset_of_the_zone() -> None:
    (answer,) = answers({**DAILY, "timezone": "Asia/Kolkata", "count": 1})
    assert answer == {"fires": ["2026-01-01T06:00:00+05:30"], "sentence": "Every day at 06:00, Asia/Kolkata"}


def test_a_cadence_that_never_fires_is_an_empty_list() -> None:
    (answer,) = answers({**DAILY, "cadence": {"kind": "cron", "expr": "0 0 30 2 *"}})
    assert answer["fires"] == []


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (b"not json", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100000, "not JSON"),
        ([], "cadence"),
        ({}, "cadence"),
        ({**DAILY, "cadence": {"kind": "hourly"}}, "kind"),
        ({**DAILY, "cadence": {"kind": ["daily"]}}, "kind"),
        ({**DAILY, "cadence": {"kind": "daily", "times": [None, {}, 6]}}, "times"),
        ({**DAILY, "cadence": {"kind": "weekly", "days": [["mon"]], "times": [6]}}, "days"),
        ({**DAILY, "timezone": None}, "timezone"),
        ({**DAILY, "timezone": "../etc"}, "timezone"),
        ({**DAILY, "timezone": ["UTC"]}, "timezone"),
        ({**DAILY, "after": "yesterday"}, "after"),
        ({**DAILY, "after": "2026-01-01T00:00:00"}, "has no offset"),
        ({**DAILY, "after": 5}, "after"),
        ({**DAILY, "count": -1}, "count"),
        ({**DAILY, "count": "5"}, "count"),
        ({**DAILY, "count": 10**9}, "count"),
    ],
)
def test_a_bad_line_is_one_error_line_and_the_next_goes_on(line: Any, part: str) -> None:
    bad, good = answers(line, DAILY)
    assert bad.keys() == {"error"}
    assert part in bad["error"]
    assert len(good["fires"]) == 5


@pytest.mark.parametrize("count", [-1, 10**9])
def test_a_bad_default_count_is_bad_input(count: int) -> None:
    with pytest.raises(CommandError, match="--count") as caught:
        answers(DAILY, count=count)
    assert caught.value.returncode == 2


def test_empty_lines_are_passed_over() -> None:
    assert len(answers(b"", b"  ", DAILY)) == 1


def test_the_ends_of_the_calendar_are_no_fault() -> None:
    found = answers({**DAILY, "after": "9999-12-31T23:59:59+00:00"}, {**DAILY, "after": "0001-01-01T00:00:00+14:00"})
    assert [answer.get("error") for answer in found] == [None, None]
