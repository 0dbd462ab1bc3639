"""Promises of `load_model` and `dump_model`: exit codes, one line for each error, files in both forms."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from staging.models import Entity

pytestmark = pytest.mark.django_db

GOOD = "version: 1\nentities: [{code: a, name: A, attributes: [{name: x, type: decimal, min: 0.50}]}]"


def _write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def _run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_loading_answers_in_words_and_in_one_json_document(tmp_path: Path):
    path = _write(tmp_path / "m.yaml", GOOD)
    assert "dry run" in _run("load_model", path, "--dry-run")
    assert not Entity.objects.exists()
    assert _run("load_model", path).splitlines() == ["created    a", "created    a.x", "unchanged  0"]
    answer = json.loads(_run("load_model", path, "--json"))
    assert answer["unchanged"] == ["a", "a.x"]
    _write(tmp_path / "m.yaml", GOOD.replace("0.50", "1.5"))
    assert "changed    a.x (min: '0.50' -> '1.5')" in _run("load_model", path)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("version: 1\nentities: [{code: A, nam: b}]", 3),
        ("version: 1\nentities: [", 1),
        ("a: &x 1\nb: *x", 1),
    ],
)
def test_bad_input_ends_with_2_and_one_line_for_each_error(tmp_path: Path, text: str, lines: int):
    with pytest.raises(CommandError) as caught:
        _run("load_model", _write(tmp_path / "m.yaml", text), "--json")
    assert caught.value.returncode == 2
    assert len(str(caught.value).splitlines()) == lines


def test_a_missing_file_ends_with_2(tmp_path: Path):
    with pytest.raises(CommandError, match="cannot be read") as caught:
        _run("load_model", str(tmp_path / "nosuch.yaml"))
    assert caught.value.returncode == 2


@pytest.mark.parametrize("name", ["d.yaml", "d.json"])
def test_a_dumped_file_loads_without_a_change(tmp_path: Path, name: str):
    _run("load_model", _write(tmp_path / "m.yaml", GOOD))
    _run("dump_model", "--output", str(tmp_path / name))
    answer = json.loads(_run("load_model", str(tmp_path / name), "--json"))
    assert (answer["created"], answer["changed"]) == ([], [])


def test_a_dump_goes_to_the_screen_in_either_form(tmp_path: Path):
    _run("load_model", _write(tmp_path / "m.yaml", GOOD))
    assert _run("dump_model").startswith("version: 1\nentities:\n")
    assert json.loads(_run("dump_model", "--json"))["entities"][0]["code"] == "a"


def test_a_place_that_cannot_be_written_ends_with_2(tmp_path: Path):
    with pytest.raises(CommandError, match="cannot be written") as caught:
        _run("dump_model", "--output", str(tmp_path / "no" / "such" / "d.yaml"))
    assert caught.value.returncode == 2
