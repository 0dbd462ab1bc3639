"""One word per idea in everything people read, and nothing in the repository that belongs to one machine."""

import re
import subprocess

import pytest

from tests.house.source import ROOT

# What not to say, and the word of ours.
WORDS = {
    r"cron ?job": "job or cadence",
    r"dead letter": "rejected row",
    r"\bwhitelist": "list of what is allowed",
    r"\bblacklist": "list of what is refused",
    r"staging row": "staged row",
    r"error rows?\b": "rejected row",
    r"load table": "staging table",
    r"landing table": "staging table",
    r"golden (table|record)": "production table or member",
}
MACHINE = re.compile(r"(?<![\w.$/])/(work|root|home/\w+)/")
TEXT = {".py", ".md", ".html", ".js", ".css", ".yaml", ".yml", ".toml", ".txt", ".sql", ".csv", ""}


def tracked_files():
    """Return the text files that git knows."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    paths = [ROOT / name for name in names if name]
    return [path for path in paths if path.suffix in TEXT and path.is_file() and path.name != "test_words.py"]


@pytest.mark.parametrize("pattern", WORDS)
def test_pages_use_the_glossary(pattern):
    rule = re.compile(pattern, re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked_files()
        if path.suffix in (".md", ".html") or path.name == ".env.example"
        for match in rule.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found, f"Say '{WORDS[pattern]}' instead (the words are in docs/architecture.md): {found}"


def test_nothing_refers_to_a_document_that_is_not_here():
    elsewhere = re.compile(r"\b(CONTRACTS|DESIGN|EXAMPLES|AUDIT)\b")
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked_files()
        for match in elsewhere.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found, f"Name the page in docs/ that says it: {found}"


def test_no_path_of_one_machine_is_written_down():
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in tracked_files()
        for match in MACHINE.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found, f"Write a path relative to the repository, or take it from a setting: {found}"
