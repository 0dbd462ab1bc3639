"""The pages of a job, a plan and an entity tell how it fared in a day, a week and a month."""

import re
from datetime import timedelta

import pytest

from scheduling import clock
from scheduling.figures.roll_up import roll_up
from scheduling.models import Plan, Run
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.conftest import NOW
from tests.scheduling.figures.ended import Ended, store

pytestmark = pytest.mark.django_db(transaction=True)

DAY = timedelta(days=1)


def rows(path):
    """Return the cells of the table of figures, row by row."""
    page = client_for("Viewer").get(path).content.decode()
    table = page.split("fared: runs that ended, by period")[1].split("</table>")[0].split("<tbody>")[1]
    return [re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row) for row in table.split("</tr>")[:-1]]


@pytest.mark.parametrize("kind", ["job", "batch", "plan"])
@pytest.mark.parametrize("is_rolled_up", [False, True])
def test_a_page_shows_its_three_periods(kind, is_rolled_up, make_job, make_entity, monkeypatch):
    if kind == "job":
        subject = make_job("Report").pk
        path = f"/admin/scheduling/job/{subject}/change/"
    elif kind == "batch":
        configuration = make_entity()
        subject, path = configuration.entity_id, f"/admin/scheduling/schedulerconfiguration/{configuration.pk}/change/"
    else:
        subject, path = "Nightly", f"/admin/scheduling/plan/{Plan.objects.create(name='Nightly').pk}/change/"
    for days, status in ((0, "completed"), (3, "failed"), (20, "completed"), (20, "cancelled"), (31, "failed")):
        store(Ended(kind, subject, status, NOW - days * DAY - timedelta(hours=4), timedelta(seconds=90 + days)))
    if is_rolled_up:
        roll_up(NOW)
        Run.objects.filter(finished_at__lt=NOW - 10 * DAY).delete()
    monkeypatch.setattr(clock, "now", lambda: NOW)
    assert rows(path) == [
        ["Last 24 hours", "1", "1", "0", "0", "100 %", "1 min 30 s", "1 min 30 s"],
        ["Last 7 days", "2", "1", "1", "0", "50 %", "1 min 30 s", "1 min 30 s"],
        ["Last 30 days", "4", "2", "1", "1", "66 %", "1 min 40 s", "1 min 50 s"],
    ]


def test_what_never_ran_has_no_rate_and_no_duration(make_job):
    assert rows(f"/admin/scheduling/job/{make_job('Report').pk}/change/")[2] == [
        "Last 30 days", "0", "0", "0", "0", "", "", "",
    ]  # fmt: skip
