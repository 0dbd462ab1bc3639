"""The demo from start to end: loaded, fed by plain SQL, processed, with reasons at the rejected rows."""

from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from scheduling import clock
from scheduling.management.commands.load_demo import MODEL_FILE
from scheduling.management.demo.presence import DEMO_ENTITIES, database_is_empty, demo_is_loaded
from scheduling.management.demo.rows import Source
from scheduling.model_files.load import load as load_model
from scheduling.models import SchedulerConfiguration, SchedulerLog
from staging.identifiers import history_table, production_table, quote, staging_table
from staging.model_files.read import read_file
from staging.models import Attribute, Entity
from staging.states import DataType


def load(**options: object) -> str:
    """Load the demo and return what it said."""
    said = StringIO()
    call_command("load_demo", stdout=said, **options)
    return said.getvalue()


def scalar(sql: str) -> object:
    """Return the one value that a statement yields."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


@pytest.mark.django_db
class TestLoadDemo:
    """load_demo brings everything a first look needs."""

    def test_it_brings_six_entities_in_all_three_modes_with_every_type(self):
        load()
        assert demo_is_loaded()
        assert set(SchedulerConfiguration.objects.values_list("processing_mode", flat=True)) == {
            "manual", "scheduled", "triggered",
        }  # fmt: skip
        assert set(Attribute.objects.values_list("data_type", flat=True)) == set(DataType.values)
        assert Attribute.objects.filter(reference__isnull=False).count() >= 5

    def test_its_model_file_loaded_again_changes_nothing(self):
        load()
        again = load_model(read_file(MODEL_FILE), now=clock.now())
        assert (again.created, again.changed) == ([], [])

    def test_what_others_refer_to_is_processed_at_once(self):
        load()
        for code, count in {"currency": 8, "region": 6, "branch": 11, "product": 14}.items():
            assert scalar(f"SELECT count(*) FROM {quote(production_table(code))}") == count, code
        assert SchedulerLog.objects.filter(event_type="completed").count() == 4

    def test_rejected_rows_carry_their_reason(self):
        load()
        reason = scalar(f"SELECT error_message FROM {quote(staging_table('branch'))} WHERE code = 'OSL'")
        assert "NO" in str(reason)

    def test_the_rest_waits_for_the_scheduler(self):
        load()
        assert scalar(f"SELECT count(*) FROM {quote(staging_table('customer'))} WHERE import_status = 0") == 40

    def test_it_makes_one_account_for_each_group(self, settings):
        settings.DEMO_PASSWORD = "for-this-test"
        load()
        groups = dict(User.objects.values_list("username", "groups__name"))
        assert groups == {
            "viewer": "Viewer", "operator": "Operator", "steward": "Steward", "admin": "Administrator",
        }  # fmt: skip
        assert authenticate(username="steward", password="for-this-test")

    def test_without_a_password_it_makes_one_up_and_says_it(self, settings):
        settings.DEMO_PASSWORD = ""
        password = load().split()[-1]
        assert len(password) >= 12
        assert authenticate(username="viewer", password=password)

    def test_it_refuses_a_database_that_is_in_use(self):
        Entity.objects.create(code="mine", name="Mine")
        with pytest.raises(CommandError) as refused:
            load()
        assert refused.value.returncode == 2
        assert not User.objects.exists()

    def test_if_empty_leaves_a_database_in_use_alone(self):
        Entity.objects.create(code="mine", name="Mine")
        assert load(if_empty=True) == ""
        assert Entity.objects.count() == 1


@pytest.mark.django_db
class TestPresence:
    """The feeder must never write into tables of somebody else."""

    def test_an_empty_database_has_no_demo(self):
        assert database_is_empty()
        assert not demo_is_loaded()

    def test_entities_of_the_same_names_are_not_the_demo(self):
        for code in DEMO_ENTITIES:
            Entity.objects.create(code=code, name=code, description="Ours")
        assert not demo_is_loaded()

    def test_the_feeder_refuses_without_the_demo(self):
        with pytest.raises(CommandError, match="load_demo") as refused:
            call_command("feed_demo")
        assert refused.value.returncode == 2


@pytest.fixture
def demo(transactional_db):
    """Load the demo for other connections to see; afterwards its tables are gone."""
    load()
    yield
    with connection.cursor() as cursor:
        for code in reversed(DEMO_ENTITIES):
            for table in (staging_table(code), production_table(code), history_table(code)):
                cascade = " CASCADE" if connection.vendor == "postgresql" else ""
                cursor.execute(f"DROP TABLE IF EXISTS {quote(table)}{cascade}")


@pytest.mark.django_db(transaction=True)
class TestSource:
    """The source speaks plain SQL over a connection of its own."""

    def test_a_delivery_lands_as_pending_rows(self, demo):
        before = scalar("SELECT count(*) FROM stg_customer")
        said = StringIO()
        call_command("feed_demo", count=2, every=0.01, seed=1, stdout=said)
        assert scalar("SELECT count(*) FROM stg_customer WHERE import_status = 0") >= before + 4
        assert said.getvalue().count("deposited") == 2

    def test_it_withdraws_all_but_its_newest_mistakes(self, demo):
        source = Source(connection.settings_dict)
        source.deliver({"customer": [{"code": f"X{n}", "import_status": "2"} for n in range(10)]})
        assert source.withdraw_old_mistakes("customer", keep=3) == 7
        assert scalar("SELECT min(code) FROM stg_customer WHERE import_status = 2") == "X7"

    def test_it_withdraws_nothing_while_there_are_few(self, demo):
        source = Source(connection.settings_dict)
        source.deliver({"customer": [{"code": "X1", "import_status": "2"}]})
        assert source.withdraw_old_mistakes("customer", keep=3) == 0

    def test_pending_rows_are_never_withdrawn(self, demo):
        waiting = scalar("SELECT count(*) FROM stg_customer WHERE import_status = 0")
        Source(connection.settings_dict).withdraw_old_mistakes("customer", keep=1)
        assert scalar("SELECT count(*) FROM stg_customer WHERE import_status = 0") == waiting
