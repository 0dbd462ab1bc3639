"""The page of all changes: what is deleted keeps its history there; and who may see it."""

import pytest
from django.test import Client
from django.urls import reverse

from staging.models import Entity, Version

pytestmark = pytest.mark.django_db
LIST = "admin:staging_version_changelist"


@pytest.mark.django_db(transaction=True)
def test_of_what_is_deleted_it_tells_what_it_was_and_who_took_it_away(
    viewer: Client, administrator: Client, branch: Entity
) -> None:
    branch.rules.create(name="Named <b>", message="x").delete()
    last = Version.objects.latest("pk")
    assert (last.name, last.kind) == ("Named <b>", "deleted")
    page = administrator.get(reverse(LIST)).text.partition("result_list")[2]
    assert "Business rule Named &lt;b&gt;" in page and "Deleted" in page and "<b>" not in page
    asked = {"subject_type__exact": last.subject_type, "subject_id__exact": last.subject_id}
    assert len(administrator.get(reverse(LIST), asked).context["cl"].result_list) == 2
    assert administrator.get(reverse(LIST), {"of": "staging.entity"}).text.count("Named &lt;b&gt;") == 0
    shown = administrator.get(reverse("admin:staging_version_change", args=[last.pk])).text
    assert "Message: x" in shown
    for refused in (reverse(LIST), reverse("admin:staging_version_change", args=[last.pk])):
        assert viewer.get(refused).status_code == 403


@pytest.mark.parametrize("language", ["en", "nl"])
def test_no_two_filters_have_the_same_name(administrator: Client, language: str) -> None:
    page = administrator.get(reverse(LIST), HTTP_ACCEPT_LANGUAGE=language)
    assert page.context["LANGUAGE_CODE"] == language
    titles = [str(spec.title).casefold() for spec in page.context["cl"].filter_specs]
    assert len(titles) == len({*titles}) >= 4
