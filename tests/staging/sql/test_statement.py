"""A statement comes from its file with what its head says, and is filled with values that never become its text."""

from pathlib import Path

import pytest

from staging.sql import compose as module
from staging.sql.compose import Database, Sql, fetch, instead, run, sql, statement, templates

HEAD = "-- name: {name}\n-- purpose: Does it,\n--   and well.\n-- aliases: {aliases}\n-- locks: nothing\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "_FOLDER", tmp_path)
    templates.cache_clear()
    monkeypatch.setattr(module, "templates", templates.__wrapped__)
    return tmp_path


def test_a_statement_knows_its_head_and_sends_only_its_text(folder: Path) -> None:
    (folder / "step.sql").write_text(
        HEAD.format(name="one", aliases="s w")
        + "SELECT 1\nFROM {table} s\nWHERE s.x = {x}\n\n"
        + HEAD.format(name="two", aliases="none")
        + "SELECT 2\n"
    )

    found = statement("one", table=Sql("t"), x="'; DROP")

    assert (found.text, found.params) == ("SELECT 1\nFROM t s\nWHERE s.x = %s", ("'; DROP",))
    head = found.template
    assert (head.file, head.name, head.purpose) == ("step", "one", "Does it, and well.")
    assert (head.aliases, head.locks) == (("s", "w"), "nothing")
    assert statement("two").template.aliases == ()


def test_two_statements_of_one_name_are_refused(folder: Path) -> None:
    for file in ("a", "b"):
        (folder / f"{file}.sql").write_text(HEAD.format(name="one", aliases="none") + "SELECT 1\n")
    with pytest.raises(RuntimeError, match=r"b\.sql has a second statement one"):
        statement("one")


def test_a_statement_may_be_a_piece_of_another() -> None:
    inner = statement("superseded_rows", work=Sql("w1"))
    assert sql("x IN ({rows})", rows=inner).text == f"x IN ({inner.text})"


def test_a_template_names_numbers() -> None:
    assert sql("{RowOutcome.REJECTED} {ImportAction.DELETE} {ImportStatus.HELD} {UndoKind.REMOVE}") == Sql("4 4 3 3")
    with pytest.raises(KeyError):
        sql("{RowOutcome.NOTHING}")


def test_parameters_are_written_out_for_people() -> None:
    asked = Sql("a = %s AND b LIKE '%%x' AND c = %s", (1, 2))
    assert asked.filled(str) == "a = 1 AND b LIKE '%x' AND c = 2"


def test_what_stands_in_the_place_of_the_database_sees_every_statement() -> None:
    class Deaf(Database):
        seen: list[str] = []

        def run(self, statement: Sql) -> int:
            self.seen.append(statement.text)
            return 7

        def fetch(self, statement: Sql) -> list[tuple[int, ...]]:
            self.seen.append(statement.text)
            return [(8,)]

    with instead(Deaf()):
        assert (run(Sql("a")), fetch(Sql("b"))) == (7, [(8,)])
    assert Deaf.seen == ["a", "b"]
