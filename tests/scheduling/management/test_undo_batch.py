"""Promises of `undo_batch`: the contract's document, honest exit codes, one line for bad input."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from scheduling.models import Run
from staging.models import Entity
from staging.tables.alter import sync_tables
from tests.scheduling.management.test_commands import run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def branch(make_entity):
    entity = make_entity().entity
    Entity.objects.update(keep_history=True)
    entity.refresh_from_db()
    sync_tables(entity)
    return entity


def merged(deposit, capsys, **rows) -> str:
    deposit(**rows)
    return str(run(capsys, "process_batch", "branch", "--inline")["batch"])


def test_it_puts_back_and_the_undo_can_be_undone(branch, deposit, capsys):
    batch = merged(deposit, capsys, rows=3)
    document = run(capsys, "undo_batch", batch)
    undo = document.pop("batch")
    assert document == {"undoes": int(batch), "restored": 3, "conflicts": []}
    assert run(capsys, "undo_batch", str(undo))["restored"] == 3
    assert run(capsys, "undo_batch", str(undo))["restored"] == 0


def test_members_changed_since_refuse_it_with_exit_code_1_or_are_skipped(branch, deposit, capsys):
    batch = merged(deposit, capsys, rows=2)
    merged(deposit, capsys, rows=1, staff="9")
    runs = Run.objects.count()
    with pytest.raises(SystemExit) as stopped:
        call_command("undo_batch", batch, "--json")
    assert stopped.value.code == 1
    assert '"conflicts": ["b0"]' in capsys.readouterr().out
    assert Run.objects.count() == runs
    document = run(capsys, "undo_batch", batch, "--skip-changed")
    assert (document["restored"], document["conflicts"]) == (1, ["b0"])


@pytest.mark.parametrize("text", ["0", "999999", "x", "-1", "9" * 30])
def test_an_unknown_batch_is_bad_input(db, text):
    with pytest.raises(CommandError, match="There is no batch") as refused:
        call_command("undo_batch", "--", text)
    assert refused.value.returncode == 2


def test_an_entity_without_history_is_bad_input(make_entity, deposit, capsys):
    make_entity()
    batch = merged(deposit, capsys)
    with pytest.raises(CommandError, match="keeps no history") as refused:
        call_command("undo_batch", batch)
    assert refused.value.returncode == 2
