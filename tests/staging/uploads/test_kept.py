"""A chosen file is kept until it is deposited, for a day at most, and nobody reaches another file by its name."""

import os
from pathlib import Path

import pytest

from staging.errors import BadFile
from staging.uploads.kept import MOST_KEPT, keep_file, kept, let_go, taken


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings) -> Path:
    settings.UPLOAD_FOLDER = str(tmp_path / "up" / "loads")
    return tmp_path / "up" / "loads"


def test_a_file_is_found_by_its_token_until_it_is_let_go(folder: Path) -> None:
    token = keep_file([b"code\n", b"A\n"], 7)
    assert kept(token).read_bytes() == b"code\nA\n"
    assert (kept(token).stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    let_go(token)
    let_go(token)
    with pytest.raises(BadFile, match="no longer kept"):
        kept(token)


@pytest.mark.parametrize(
    "token", ["", "../../etc/passwd", "x" * 32, "0" * 31, "0" * 32 + "\n", "0" * 32, "7-" + "0" * 32]
)
def test_nothing_but_a_token_finds_anything(token: str) -> None:
    with pytest.raises(BadFile):
        kept(token)


def test_a_file_that_is_too_big_leaves_nothing(folder: Path, settings) -> None:
    settings.UPLOAD_MAX_BYTES = 5
    with pytest.raises(BadFile, match="larger than 5 bytes"):
        keep_file([b"123", b"456"], 7)
    assert list(folder.iterdir()) == []


def test_what_nobody_deposited_goes_when_the_next_file_comes_a_day_later() -> None:
    old, young = keep_file([b"a"], 7), keep_file([b"b"], 7)
    stamp = kept(old).stat().st_mtime - 86_500
    os.utime(kept(old), (stamp, stamp))
    keep_file([b"c"], 7)
    assert kept(young)
    with pytest.raises(BadFile):
        kept(old)


def test_only_one_of_two_clicks_gets_the_file_and_a_fault_gives_it_back() -> None:
    token = keep_file([b"a"], 7)
    with pytest.raises(RuntimeError), taken(token) as path:
        assert path.read_bytes() == b"a"
        with pytest.raises(BadFile), taken(token):
            pass
        raise RuntimeError
    with taken(token):
        pass
    with pytest.raises(BadFile), taken(token):
        pass


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, settings) -> None:
    (tmp_path / "file").write_text("x")
    settings.UPLOAD_FOLDER = str(tmp_path / "file" / "uploads")
    with pytest.raises(BadFile, match="cannot keep files just now"):
        keep_file([b"a"], 7)


def test_of_one_person_no_more_than_a_few_files_wait(folder: Path) -> None:
    other = keep_file([b"x"], 70)
    tokens = []
    for number in range(MOST_KEPT + 2):
        tokens.append(keep_file([b"a"], 7))
        os.utime(kept(tokens[-1]), (1_900_000_000 + number, 1_900_000_000 + number))
    assert len(list(folder.glob("7-*"))) == MOST_KEPT and kept(other) and kept(tokens[-1]) and kept(tokens[2])
    for gone in tokens[:2]:
        with pytest.raises(BadFile, match="no longer kept"):
            kept(gone)
