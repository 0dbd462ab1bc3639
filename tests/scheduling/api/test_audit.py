"""Promise: who takes data away is told by the audit, also through the API and by a command; a walk is told once."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from staging.models import AuditEntry
from tests.scheduling.admin.conftest import client_for
from tests.staging.batches.bench import define, run_batch, stage, text

pytestmark = pytest.mark.django_db
ADDRESSES = {
    "entities/city/members": "Members of City",
    "entities/city/changes": "Changes of the members of City",
    "batches/{batch}/changes": "Changes of the members of City",
    "entities/city/rows": "Staged rows of City",
    "log": "The scheduler log",
    "model": "The model",
}


def told():
    """Return who took what away, oldest first."""
    return list(AuditEntry.objects.filter(kind="exported").order_by("id").values_list("person", "about"))


@pytest.fixture
def batch(db):
    """Return a batch that brought three members."""
    city = define("city", text("country"), keep_history=True)
    stage(city, *({"code": code} for code in "abc"))
    return run_batch(city)


@pytest.mark.parametrize("address", ADDRESSES)
def test_each_address_that_gives_data_away_tells_the_audit_who_by_which_token(api, batch, address):
    answer = api().get(address.format(batch=batch.pk), REMOTE_ADDR="203.0.113.9")
    assert answer.status_code == 200, answer.content
    about = f"{ADDRESSES[address]}, through the API with the token loader"
    assert told() == [("administrator", about)] and AuditEntry.objects.get(kind="exported").address


def test_the_pages_of_a_walk_and_a_feed_that_is_followed_are_told_once_an_hour(api, batch):
    caller, address = api(), "entities/city/members?limit=1"
    while address:
        address = (caller.get(address).json()["next"] or "").partition("/api/v1/")[2]
    for _ in range(3):
        caller.get("entities/city/changes")
    assert len(told()) == 2
    api(name="another").get("entities/city/members")
    assert len(told()) == 3
    AuditEntry.objects.all().forget()
    long_ago = Now() - timedelta(hours=2)
    about = "Members of City, through the API with the token loader"
    AuditEntry.objects.create(
        kind="exported", person="administrator", address="127.0.0.1", about=about, happened_at=long_ago
    )
    caller.get("entities/city/members")
    assert len(told()) == 2


def test_a_cursor_of_ones_own_making_is_no_way_round_it(api, batch):
    following = api().get("entities/city/members?limit=1").json()["next"].partition("cursor=")[2]
    AuditEntry.objects.all().forget()
    api().get(f"entities/city/members?cursor={following}")
    assert len(told()) == 1


def test_what_is_refused_takes_nothing_away(api, batch):
    for address in ("entities/city/members?nothing=1", "entities/none/members", "batches/999999/changes"):
        assert api().get(address).status_code in (400, 404)
    assert api(scopes=("operate",)).get("model").status_code == 403
    assert Client().get("/api/v1/entities/city/members").status_code == 401
    assert told() == []


def test_a_browser_that_reads_the_api_is_told_without_a_token(batch):
    assert client_for("Steward").get("/api/v1/entities/city/members").status_code == 200
    assert told() == [("steward", "Members of City, through the API")]


def test_the_command_that_writes_the_model_is_told(batch, tmp_path, capsys):
    call_command("dump_model")
    call_command("dump_model", "--output", str(tmp_path / "model.yaml"))
    assert told() == [("a command", "The model, by the command dump_model")] * 2 and capsys.readouterr().out


def test_the_pages_tell_it_for_members_and_the_log(batch):
    client = client_for("Administrator")
    taken = client.get(reverse("admin:staging_members_export", args=[batch.entity_id]))
    assert b"code" in b"".join(taken.streaming_content)
    assert (
        client.get(reverse("admin:staging_members_export", args=[batch.entity_id]), {"format": "xlsx"}).status_code
        == 200
    )
    assert client.post(reverse("admin:scheduling_schedulerlog_export")).status_code == 200
    *members, log = told()
    assert members == [("administrator", "Members of City")] * 2
    assert log[0] == "administrator" and log[1].startswith("The scheduler log: ")
