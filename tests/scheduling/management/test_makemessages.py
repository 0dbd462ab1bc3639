"""`makemessages` knows by which names sentences are made."""

import re

from django.core.management import call_command
from django.core.management.commands import makemessages

from staging import phrases, wording


def test_sentences_are_collected_by_the_functions_that_make_them(monkeypatch, tmp_path):
    asked = []

    def instead(arguments, **kwargs):
        asked.append(arguments)
        return ("0.21" if "--version" in arguments else "", "", 0)

    monkeypatch.setattr(makemessages, "popen_wrapper", instead)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "locale").mkdir()
    (tmp_path / "page.py").write_text('say("{rows} wait.", rows=counted(2, "row", "rows"))\n')
    call_command("makemessages", locale=["nl"], verbosity=0)
    options = {option for each in asked if each[0] == "xgettext" for option in each}
    named = [match for option in options if (match := re.fullmatch(r"--keyword=(\w+)(?::2,3)?", option))]
    assert "--keyword=Problem:2" in options  # what a batch says of a row
    homes = {wording.__name__: wording, phrases.__name__: phrases}
    ours = {
        match[1]
        for match in named
        for name, home in homes.items()
        if getattr(getattr(home, match[1], None), "__module__", "") == name
    }
    assert ours == {"say", "later", "counted", "counted_later", "phrase", "numbered", "marked"}
