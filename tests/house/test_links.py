"""Every relative link of the documents leads somewhere."""

import re

import pytest

from tests.house.source import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    targets = [target for target in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]
    lost = [target for target in targets if not (page.parent / target).exists()]
    assert not lost, f"{page.name} links to files that are not there: {lost}"


def test_every_document_is_reached_from_the_readme():
    linked = {target for page in PAGES for target in LINK.findall(page.read_text(encoding="utf-8"))}
    lonely = [
        page.name for page in PAGES if page.name != "README.md" and not any(t.endswith(page.name) for t in linked)
    ]
    assert not lonely, f"Link these from README.md or another document: {lonely}"
