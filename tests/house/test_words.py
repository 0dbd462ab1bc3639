"""One word per idea in everything people read, and nothing in the repository that belongs to one machine."""

import ast
import re
import subprocess

import pytest

from tests.house.source import ROOT, place, product_files, tree

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
# Words of ours that no dictionary explains.
OWN = (
    "member", "staged row", "batch", "slot", "trigger", "gate", "decision", "cycle", "fire", "subject", "cause",
    "manifest", "guard", "bid", "arming", "claim", "turn", "lane", "fence", "barrier", "pulse", "chunk",
    "kept decisions", "brake", "late row", "roll-up",
)  # fmt: skip
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


def test_own_words_stand_in_the_glossary():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    glossary = page[page.index("## Words") : page.index("## The house")]
    assert [word for word in OWN if f"**{word}**" not in glossary] == []


def test_a_public_class_has_a_name_of_its_own():
    homes: dict[str, list[str]] = {}
    for path in product_files():
        if path.parent.name == "commands":  # Django wants each to be called Command
            continue
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(place(path))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_a_number_gets_its_noun_in_one_place():
    by_hand = r"'' if .{1,40} == 1 else '(s|es|ies)'"
    found = [place(path) for path in product_files() if re.search(by_hand, path.read_text(encoding="utf-8"))]
    assert not found, f"Say it with staging.wording.counted: {found}"


# What writes a time for a program: a file, an input of a browser, a stored document, a name, a statement.
FOR_PROGRAMS = {
    "scheduling/admin/log/export.py", "scheduling/admin/log/filter.py", "scheduling/jobs/timing.py",
    "scheduling/model_files/calendars.py", "scheduling/model_files/schedule.py", "scheduling/models/schedule.py",
    "scheduling/subjects/alert.py", "staging/sql/sqlite.py",
}  # fmt: skip
WRITE_TIMES = {"scheduling/formatters.py", "scheduling/cadence/words.py", "staging/wording.py"}
FORM_OF_A_TIME = re.compile(r"\{[^{}]*:%[A-Za-z][^{}]*\}|strftime|date_format\(|time_format\(|\|(date|time):")


def test_a_time_gets_its_form_in_one_place():
    pages = [*(ROOT / "templates").rglob("*.html")]
    found = {
        name: match.group()
        for path in (*product_files(), *pages)
        if (name := path.relative_to(ROOT).as_posix()) not in FOR_PROGRAMS | WRITE_TIMES
        and (match := FORM_OF_A_TIME.search(path.read_text(encoding="utf-8")))
    }
    assert found == {}, "Say the instant as it is (staging.wording), or write it with scheduling.formatters"


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
