"""The audit: who came in, who was refused, who took data away, who approved; and who may see it."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from scheduling import clock
from scheduling.housekeeping.cleanup import cleanup
from scheduling.models import RetentionPolicy
from staging import tokens
from staging.errors import InvalidDefinition
from staging.models import AuditEntry, Entity, Version
from staging.models.append_only import Unchangeable
from staging.states import AuditKind
from staging.versions.audit import note

pytestmark = pytest.mark.django_db
LIST = "admin:staging_auditentry_changelist"
EXPORT = "admin:staging_auditentry_export"


def kinds() -> list[tuple[str, str]]:
    return list(AuditEntry.objects.order_by("id").values_list("kind", "person"))


def test_who_comes_goes_and_is_refused(administrator: Client, client: Client) -> None:
    AuditEntry.objects.all().forget()
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
    assert re.search(r"\d+ audit entr(y|ies)\s", page)
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


def test_no_code_changes_or_deletes_an_entry() -> None:
    note(AuditKind.SIGNED_IN, person="ann")
    entry = AuditEntry.objects.get(person="ann")
    mine = AuditEntry.objects.filter(pk=entry.pk)
    entry.person = "bob"
    for attempt in (
        entry.save,
        entry.delete,
        mine.delete,
        lambda: mine.update(person="bob"),
        lambda: AuditEntry.objects.bulk_update([entry], ["person"]),
    ):
        with pytest.raises(Unchangeable):
            attempt()
    assert mine.get().person == "ann"


def test_who_made_and_revoked_a_token_is_told_once_and_no_secret(steward: Client) -> None:
    person = User.objects.get(username="Steward-user")
    token, secret = tokens.issue(person, name="ETL", scopes=["read", "deposit"], entities=None, by="ann")
    assert [tokens.revoke(token, by="bob") for _ in range(2)] == [True, False]
    about = "Token ETL of Steward-user: read, deposit"
    of_tokens = AuditEntry.objects.filter(kind__startswith="token").order_by("id")
    told = list(of_tokens.values_list("kind", "person", "about"))
    assert told == [("token_made", "ann", about), ("token_revoked", "bob", about)]
    assert not AuditEntry.objects.filter(about__contains=secret).exists()
    with pytest.raises(InvalidDefinition):
        tokens.issue(person, name="", scopes=[], entities=None, by="ann")
    assert AuditEntry.objects.filter(kind="token_made").count() == 1


def test_the_page_filters_by_who_and_finds_an_account_by_its_name(administrator: Client) -> None:
    note(AuditKind.EXPORTED, person="ann", about="Members of Branch")
    note(AuditKind.EXPORTED, person="joanna", about="Members of Shop")
    page = administrator.get(reverse(LIST), {"q": "joanna"}).content.decode()
    assert "Members of Shop" in page and "Members of Branch" not in page
    assert "?person__exact=joanna" in page
    page = administrator.get(reverse(LIST), {"person__exact": "ann"}).content.decode()
    assert "Members of Branch" in page and "Members of Shop" not in page and "Only what ann did." in page
    assert "Members of Shop" not in administrator.get(reverse(LIST), {"q": "ann"}).content.decode()
    assert "Members of Shop" in administrator.get(reverse(LIST), {"q": "of shop"}).content.decode()


def test_who_sets_whose_password_is_told_at_every_door(administrator: Client, viewer: Client) -> None:
    def told() -> list[tuple[str, str]]:
        return list(AuditEntry.objects.filter(kind="password_set").order_by("id").values_list("person", "about"))

    AuditEntry.objects.all().forget()
    User.objects.filter(username="Administrator-user").update(is_superuser=True)
    account, new = User.objects.get(username="Viewer-user"), "a-long-1-and-new"
    wanted = {"usable_password": "true", "password1": new, "password2": new}
    assert administrator.post(reverse("admin:auth_user_password_change", args=[account.pk]), wanted).status_code == 302
    account.refresh_from_db()
    viewer.force_login(account)
    own = {"old_password": new, "new_password1": new + "er", "new_password2": new + "er"}
    assert viewer.post(reverse("admin:password_change"), own).status_code == 302
    account.refresh_from_db()
    account.set_password("x")
    account.save()
    about = "Account Viewer-user"
    assert told() == [("Administrator-user", about), ("Viewer-user", about), ("code or a command", about)]
