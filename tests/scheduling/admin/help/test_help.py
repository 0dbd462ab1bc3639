"""Pages of help: every document is shown, its links and pictures lead somewhere, and staff reads it alone."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from scheduling.admin.help.documents import document, images, names

pytestmark = pytest.mark.django_db

HELP = "/admin/scheduling/schedulerconfiguration/help/"


def test_every_link_of_every_document_leads_to_a_page_and_a_part_that_is_there():
    lost, met = [], 0
    for name in names():
        for link in map(unescape, re.findall(r'(?:href|src)="([^"]*)"', document(name).body)):
            parts, asked = urlsplit(link), parse_qs(urlsplit(link).query)
            met += 1
            if link.startswith("#"):
                ok = link[1:] in document(name).anchors
            elif parts.path == HELP and "image" in asked:
                ok = asked["image"][0] in images()
            elif parts.path == HELP:
                page = asked["page"][0]
                ok = page in names() and (not parts.fragment or parts.fragment in document(page).anchors)
            else:
                ok = link.startswith(("http://", "https://", "mailto:"))
            lost += [] if ok else [f"{name}: {link}"]
    assert not lost and met > 100


def test_a_document_has_its_headings_tables_and_text_without_anything_that_runs():
    plans = document("plans")
    assert plans.title == "Plans" and {"steps", "order", "sql-scripts"} <= plans.anchors
    assert '<h2 id="sql-scripts">SQL scripts</h2>' in plans.body and "<h1" not in plans.body
    assert 'class="sheet"' in plans.body and "<script" not in "".join(document(name).body for name in names())
    assert not re.search(r"<th[^>]*>\s*</th>", "".join(document(name).body for name in names()))


def test_a_viewer_reads_help_and_its_pictures_and_what_is_not_there_is_not_found(viewer):
    page = viewer.get(HELP, {"page": "plans"})
    assert page.status_code == 200 and "<title>Plans" in page.content.decode()
    assert "Blackout calendars" in viewer.get(HELP).content.decode()
    picture = viewer.get(HELP, {"image": images()[0]})
    assert picture["Content-Type"] == "image/png" and b"".join(picture.streaming_content).startswith(b"\x89PNG")
    for asked in ({"page": "../README"}, {"page": "nothing"}, {"image": "../plans.md"}, {"image": "x.png"}):
        assert viewer.get(HELP, asked).status_code == 404, asked


def test_nobody_else_reads_it():
    assert Client().get(HELP, {"page": "plans"}).status_code == 302
    client = Client()
    client.force_login(User.objects.create_user("guest"))
    assert client.get(HELP, {"page": "plans"}).status_code == 302


def test_a_page_leads_to_the_part_of_its_document(viewer):
    page = viewer.get(reverse("admin:scheduling_sqlscript_changelist")).content.decode()
    link = unescape(re.search(rf'href="({re.escape(HELP)}\?about=[^"]*)"', page)[1])
    assert viewer.get(link)["Location"] == f"{HELP}?page=plans#sql-scripts"
    assert viewer.get(HELP, {"about": "nobody_named_this"})["Location"] == HELP
