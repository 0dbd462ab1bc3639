"""Promises of the preview page: what a batch would do, field by field, for people who may see rows; nothing changes."""

import pytest
from django.db import connection

from scheduling import clock
from staging.batches.shown.preview import KEPT_FOR
from staging.models import Batch, KeptPreview
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.conftest import work_off


@pytest.fixture
def branch(make_entity, deposit):
    """The configuration of an entity with a member `b0` and three rows that wait: a change, a new one, a bad one."""
    configuration = make_entity()
    from scheduling.runs.by_hand import start_batch_now

    deposit(rows=1)
    start_batch_now(configuration, started_by="anna", now=clock.now())
    work_off(clock.now())
    deposit(rows=2, staff="7")
    deposit(rows=1, staff="<b>many</b>", prefix="bad")
    return configuration


def _url(configuration) -> str:
    return f"/admin/scheduling/schedulerconfiguration/{configuration.pk}/rows-preview/"


def _made(client, configuration, **data):
    response = client.post(_url(configuration), data, follow=True)
    assert response.status_code == 200
    return response


@pytest.mark.django_db
def test_it_asks_before_it_looks_at_all_rows(branch, viewer):
    page = viewer.get(_url(branch)).content.decode()
    assert "<strong>3 rows</strong> of Branch wait" in page
    assert not KeptPreview.objects.exists()


@pytest.mark.django_db
def test_each_change_is_shown_before_and_after(branch, viewer, staged):
    before = staged()
    page = _made(viewer, branch).content.decode()
    assert '<del class="was"><span class="staged">5</span></del>' in page
    assert '<ins class="becomes"><span class="staged">7</span></ins>' in page
    assert "staff: &#x27;&lt;b&gt;many&lt;/b&gt;&#x27; is not a whole number." in page
    for words in ("Inserted (1)", "Updated (1)", "Rejected (1)", "All changes (3)"):
        assert words in page
    assert staged() == before
    assert Batch.objects.count() == 1


@pytest.mark.django_db
def test_it_can_be_filtered(branch, viewer):
    _made(viewer, branch)
    kept = KeptPreview.objects.get().pk
    url = f"{_url(branch)}?kept={kept}"
    page = viewer.get(f"{url}&outcome=inserted").content.decode()
    assert (">b1<" in page, ">b0<" in page) == (True, False)
    page = viewer.get(f"{url}&column=staff").content.decode()
    assert (">b0<" in page, ">bad0<" in page) == (True, False)
    assert "No row fits." in viewer.get(f"{url}&outcome=deleted").content.decode()
    for nonsense in ("outcome=x", "column=id", "after=-1", "after=99999999999999999999", "after=x"):
        assert viewer.get(f"{url}&{nonsense}").status_code == 200


@pytest.mark.django_db
def test_pages_follow_one_another(branch, viewer, deposit, monkeypatch):
    monkeypatch.setattr("scheduling.admin.batches.changes.PAGE_ROWS", 2)
    response = _made(viewer, branch)
    assert 'rel="next"' in response.content.decode()
    kept = KeptPreview.objects.get().pk
    page = viewer.get(f"{_url(branch)}?kept={kept}&after=2").content.decode()
    assert (">bad0<" in page, "First page" in page, 'rel="next"' in page) == (True, True, False)


@pytest.mark.django_db
def test_a_preview_from_before_a_batch_says_so(branch, viewer):
    _made(viewer, branch)
    from scheduling.runs.by_hand import start_batch_now

    start_batch_now(branch, started_by="anna", now=clock.now())
    work_off(clock.now())
    page = viewer.get(f"{_url(branch)}?kept={KeptPreview.objects.get().pk}").content.decode()
    assert "A batch has run since" in page


@pytest.mark.django_db
@pytest.mark.parametrize("kept", ["", "0", "x", "9" * 30])
def test_what_is_not_kept_is_not_found(branch, viewer, kept):
    assert viewer.get(f"{_url(branch)}?kept={kept}").status_code == 404


@pytest.mark.django_db
def test_a_table_that_is_gone_is_a_message(branch, viewer):
    _made(viewer, branch)
    kept = KeptPreview.objects.get()
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE preview_{kept.token}")
    assert "cannot be read any more" in viewer.get(f"{_url(branch)}?kept={kept.pk}").content.decode()


@pytest.mark.django_db
def test_altered_tables_and_long_tags_are_messages(branch, viewer):
    assert "at most 200 characters" in _made(viewer, branch, tag="x" * 201).content.decode()
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE stg_branch RENAME COLUMN staff TO stuff")
    try:
        assert "Column stg_branch.staff is missing." in _made(viewer, branch).content.decode()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE stg_branch RENAME COLUMN stuff TO staff")


@pytest.mark.django_db
def test_an_old_preview_is_offered_no_more(branch, viewer):
    _made(viewer, branch)
    assert "Previews that are still kept" in viewer.get(_url(branch)).content.decode()
    KeptPreview.objects.update(made_at=clock.now() - KEPT_FOR)
    assert "Previews that are still kept" not in viewer.get(_url(branch)).content.decode()


@pytest.mark.django_db
def test_whoever_may_not_see_rows_sees_no_preview(branch):
    nobody = client_for("nobody")
    assert nobody.get(_url(branch)).status_code == 403
    assert nobody.post(_url(branch)).status_code == 403
