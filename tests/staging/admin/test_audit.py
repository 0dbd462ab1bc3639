"""The audit: who came in, who was refused, who took data away, who approved; and who may see it."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from scheduling import clock
from scheduling.housekeeping.cleanup import cleanup
from scheduling.models import RetentionPolicy
from staging.models import AuditEntry, Entity, Version
from staging.states import AuditKind
from staging.versions.audit import note

pytestmark = pytest.mark.django_db
LIST = "admin:staging_auditentry_changelist"
EXPORT = "admin:staging_auditentry_export"


def kinds() -> list[tuple[str, str]]:
    return list(AuditEntry.objects.order_by("id").values_list("kind", "person"))


def test_who_comes_goes_and_is_refused(administrator: Client, client: Client) -> None:
    AuditEntry.objects.all().delete()
    address = reverse("admin:login")
    for name, password in (("Administrator-user", "wrong"), ("my-password", "x"), ("Administrator-user", "x")):
        client.post(address, {"username": name, "password": password}, REMOTE_ADDR="203.0.113.9")
    client.post(reverse("admin:logout"))
    who = "Administrator-user"
    assert kinds() == [("refused", who), ("refused", ""), ("signed_in", who), ("signed_out", who)]
    assert set(AuditEntry.objects.values_list("address", flat=True)[1:]) == {"203.0.113.9"}


def test_the_page_is_for_administrators_and_nobody_changes_it(
    viewer: Client, steward: Client, administrator: Client
) -> None:
    note(AuditKind.SIGNED_IN, person="=1+1", address="203.0.113.9")
    entry = AuditEntry.objects.get(person="=1+1")
    for other in (viewer, steward):
        assert other.get(reverse(LIST)).status_code == 403 and other.post(reverse(EXPORT)).status_code == 403
    page = administrator.get(reverse(LIST), {"kind__exact": "signed_in"}).content.decode()
    assert "203.0.113.9" in page and "Download as CSV" in page
    assert administrator.post(reverse("admin:staging_auditentry_delete", args=[entry.pk])).status_code == 403
    assert administrator.post(reverse("admin:staging_auditentry_add")).status_code == 403


def test_the_file_holds_what_the_filter_shows_and_no_formula(administrator: Client) -> None:
    note(AuditKind.REFUSED, person="=1+1")
    note(AuditKind.SIGNED_OUT, person="other")
    answer = administrator.post(reverse(EXPORT) + "?kind__exact=refused")
    text = b"".join(answer.streaming_content).decode()
    assert "'=1+1" in text and "other" not in text
    newest = AuditEntry.objects.first()
    assert newest is not None and (newest.kind, newest.about) == ("exported", "The audit")


def test_who_takes_rows_away_is_told(steward: Client, branch: Entity) -> None:
    steward.get(reverse("admin:staging_rows_export", args=[branch.pk]))
    newest = AuditEntry.objects.first()
    assert newest is not None and (newest.kind, newest.person) == ("exported", "Steward-user")
    assert newest.about == f"Rejected rows of {branch.name}"


def test_retention_deletes_old_entries_and_versions_but_the_newest_of_each() -> None:
    entity = Entity.objects.create(code="shop", name="Shop")
    of = {"subject_type": "staging.entity", "subject_id": entity.pk, "name": "Shop", "kind": "changed", "door": "code"}
    for number in (1, 2, 3):
        Version.objects.create(**of, number=number)
    note(AuditKind.SIGNED_IN, person="ann")
    now = clock.now()
    cleanup(now + timedelta(days=300))
    mine = Version.objects.filter(subject_type="staging.entity", subject_id=entity.pk)
    assert mine.count() == 3 and AuditEntry.objects.count() == 1
    RetentionPolicy.objects.update_or_create(pk=1, defaults={"changes_days": 10})
    cleanup(now + timedelta(days=400))
    assert [version.number for version in mine] == [3] and not AuditEntry.objects.exists()
