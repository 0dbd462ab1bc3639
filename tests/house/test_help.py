"""Every page of the admin has a document that tells about it, and the part that its link names is there."""

from django.contrib import admin

from scheduling.admin.help.documents import document, names
from scheduling.admin.help.topics import TOPICS, topic_of

STOCK = ("changelist", "add", "change", "history", "delete")


def addresses():
    """Return the names of the addresses of all our pages."""
    for model, its in admin.site._registry.items():
        if model._meta.app_label in ("scheduling", "staging", "auth"):
            yield from (f"{model._meta.app_label}_{model._meta.model_name}_{page}" for page in STOCK)
            yield from (name for _, _, name in getattr(its, "pages", ()))


def test_every_page_has_its_document():
    lonely = [name for name in addresses() if not topic_of(name)]
    assert not lonely, f"Name the document of these in scheduling/admin/help/topics.py: {lonely}"


def test_every_topic_is_a_document_and_a_part_that_is_there():
    for _, topic in TOPICS:
        name, _, part = topic.partition("#")
        assert name in names(), topic
        assert not part or part in document(name).anchors, f"{topic}: there are {sorted(document(name).anchors)}"


def test_a_page_that_nobody_named_has_none():
    assert topic_of("scheduling_nothing_of_ours"[11:]) == ""


def test_every_topic_is_used():
    asked = {topic_of(name) for name in [*addresses(), "index"]}
    assert {topic for _, topic in TOPICS} == asked
