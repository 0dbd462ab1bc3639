"""Promises of the retention policy in the admin."""

import pytest

from scheduling.models import RetentionPolicy

pytestmark = pytest.mark.django_db


def test_the_retention_list_leads_to_its_one_form_which_saves(administrator):
    response = administrator.get("/admin/scheduling/retentionpolicy/", follow=True)
    assert response.redirect_chain[-1][0] == "/admin/scheduling/retentionpolicy/1/change/"
    assert 'value="30"' in response.content.decode()
    values = {"log_days": "14", "processed_rows_days": "3", "history_days": "", "runs_days": "60", "audit_days": "90"}
    assert administrator.post("/admin/scheduling/retentionpolicy/1/change/", values).status_code == 302
    assert RetentionPolicy.current().log_days == 14 and RetentionPolicy.objects.count() == 1
    values["log_days"] = "0"
    assert administrator.post("/admin/scheduling/retentionpolicy/1/change/", values).status_code == 200
    assert RetentionPolicy.current().log_days == 14
