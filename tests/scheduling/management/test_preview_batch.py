"""Promises of `preview_batch`: the contract's JSON, text for people, and not one row changed."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from staging.models import Batch


def _answer(capsys: pytest.CaptureFixture, *arguments: str) -> dict:
    call_command("preview_batch", "branch", "--json", *arguments)
    return json.loads(capsys.readouterr().out)


def _change(code: str, action: str, **other: object) -> dict:
    return {"code": code, "action": action, "before": {}, "after": {}, "errors": [], **other}


@pytest.mark.django_db
def test_it_tells_counts_and_changes_and_changes_nothing(make_entity, deposit, staged, capsys):
    make_entity()
    deposit(rows=2)
    deposit(rows=1, staff="many", prefix="bad")

    document = _answer(capsys)

    assert document == {
        "entity": "branch",
        "inserted": 2,
        "updated": 0,
        "unchanged": 0,
        "deactivated": 0,
        "deleted": 0,
        "rejected": 1,
        "superseded": 0,
        "changes": [
            _change("b0", "inserted", after={"name": "Branch 0", "staff": "5"}),
            _change("b1", "inserted", after={"name": "Branch 1", "staff": "5"}),
            _change("bad0", "rejected", errors=["staff: 'many' is not a whole number."]),
        ],
    }
    assert staged() == {0: 3}
    assert not Batch.objects.exists()


@pytest.mark.django_db
def test_limit_and_tag(make_entity, deposit, capsys):
    make_entity()
    deposit(rows=3)
    assert len(_answer(capsys, "--limit", "2")["changes"]) == 2
    assert _answer(capsys, "--limit", "0")["inserted"] == 3
    with connection.cursor() as cursor:
        cursor.execute("UPDATE stg_branch SET batch_tag = 'morning' WHERE code = 'b0'")
    assert _answer(capsys, "--tag", "morning")["inserted"] == 1


@pytest.mark.django_db
def test_text_has_a_line_for_each_change(make_entity, deposit, capsys):
    make_entity()
    deposit(rows=1)
    call_command("preview_batch", "branch")
    out = capsys.readouterr().out
    assert "inserted: 1" in out
    assert "  inserted b0: name: - > Branch 0; staff: - > 5" in out


@pytest.mark.django_db
@pytest.mark.parametrize("arguments", [("nowhere",), ("branch", "--limit", "-1")])
def test_bad_input_is_one_line_and_exit_code_2(make_entity, arguments):
    make_entity()
    with pytest.raises(CommandError) as error:
        call_command("preview_batch", *arguments)
    assert error.value.returncode == 2
