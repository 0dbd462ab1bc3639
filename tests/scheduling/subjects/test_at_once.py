"""Promise: whoever changes the same thing at the same moment, each change is told once, as whose it was."""

import pytest
from django.db import connection, transaction
from django.db.models.signals import pre_save

from scheduling import clock
from scheduling.model_files.load import load
from scheduling.models import BlackoutCalendar, Plan, Queue, SchedulerConfiguration, SqlScript
from scheduling.schedules.change import apply_schedule, set_enabled
from staging.entities.save import save_entity
from staging.models import Attribute, Entity, Version
from staging.states import DoorKind
from staging.tables.columns import DEFINITIONS
from staging.transactions import require_lock
from staging.versions.doers import Author, done_by
from staging.versions.subjects import subject_of
from staging.versions.units import as_one_change, one_change
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.runs.test_races import Racers

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 12 if connection.vendor == "postgresql" else 4
DAILY = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "06:00", "catch_up": "last"}


def by(who, verb, *args, **kwargs):
    """Return an action: somebody calls a verb on a page."""

    def action():
        with done_by(lambda: Author(who, DoorKind.PAGE)):
            return verb(*args, **kwargs)

    return action


def daily(code):
    """Return a configuration that came through the doors."""
    configuration = make_configuration(code)
    Version.objects.all().delete()
    apply_schedule(configuration, DAILY, now=clock.now())
    return configuration


def history(thing):
    subject = subject_of(type(thing))
    return list(Version.objects.filter(subject_type=subject.key, subject_id=thing.pk).order_by("number"))


def is_whole(thing):
    """Return whether each version follows the one before, nobody came past the doors, and the newest is the truth."""
    versions = history(thing)
    assert [version.number for version in versions] == list(range(1, len(versions) + 1))
    assert "beside" not in {version.door for version in versions}
    newest = type(thing)._base_manager.get(pk=thing.pk)
    assert versions[-1].content == subject_of(type(thing)).read(newest)
    return versions


@pytest.fixture
def two():
    racers = Racers(2)
    yield racers
    racers.stop()


def test_two_people_change_one_schedule(two):
    configuration = daily("customer")
    copies = [type(configuration).objects.get(pk=configuration.pk) for _ in range(2)]
    for number in range(1, ROUNDS + 1):
        results = two.at_once(
            by("ann", apply_schedule, copies[0], {"run_times": f"{number:02}:00"}, now=clock.now()),
            by("bob", apply_schedule, copies[1], {"catch_up_window_minutes": number}, now=clock.now()),
        )
        assert results == [None, None]
    assert history(configuration)[0].kind == "found"
    told = [(version.made_by, [path for path, *_ in version.change]) for version in is_whole(configuration)]
    assert told.count(("ann", [["run_times"]])) == told.count(("bob", [["catch_up_window_minutes"]])) == ROUNDS


def test_two_people_add_an_attribute_each(two):
    entity, add = make_configuration("shop").entity, as_one_change(Attribute.objects.create)
    for number in range(ROUNDS):
        results = two.at_once(*(by(name, add, entity=entity, name=f"{name}_{number}") for name in ("ann", "bob")))
        assert not [each for each in results if isinstance(each, Exception)]
    versions = is_whole(entity)
    told = [(version.made_by, path[1]) for version in versions for path, *_ in version.change]
    assert sorted(told) == sorted((name, f"{name}_{n}") for name in ("ann", "bob") for n in range(ROUNDS))


def test_two_people_change_the_same_things_in_another_order(two):
    one, other = daily("one"), daily("other")

    @transaction.atomic
    def switch(enabled, *things):
        for thing in things:
            set_enabled(thing, enabled, now=clock.now())

    for number in range(ROUNDS):
        enabled = bool(number % 2)
        copies = [type(one).objects.get(pk=each.pk) for each in (one, other, one, other)]
        results = two.at_once(by("ann", switch, enabled, *copies[:2]), by("bob", switch, enabled, *copies[2:]))
        assert results == [None, None]
    for each in (one, other):
        is_whole(each)


def test_what_code_saved_before_it_called_a_verb_is_a_change_of_its_own():
    entity = make_configuration("shop").entity
    with transaction.atomic():
        entity.name = "Shops"
        entity.save()
        save_entity(entity, [Attribute(name="staff", data_type="integer")])
    told = [(version.door, [path for path, *_ in version.change]) for version in is_whole(entity)[-2:]]
    assert told == [("code", [["name"]]), ("code", [["attributes", "staff"]])]


def test_what_was_saved_before_a_verb_that_was_taken_back_is_told():
    entity = make_configuration("shop").entity
    with transaction.atomic():
        entity.name = "Shops"
        entity.save()
        with pytest.raises(ZeroDivisionError), one_change():
            save_entity(entity, [Attribute(name="staff", data_type="integer")])
            raise ZeroDivisionError
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            save_entity(entity, [Attribute(name="staff", data_type="integer")])
            raise ZeroDivisionError
    assert [path for path, *_ in is_whole(entity)[-1].change] == [["name"]]


def test_what_is_taken_back_leaves_no_version():
    entity = make_configuration("shop").entity
    count = Version.objects.count()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        entity.name = "Shops"
        entity.save()
        save_entity(entity, [Attribute(name="staff", data_type="integer")])
        Entity.objects.create(code="other", name="Other")
        raise ZeroDivisionError
    assert Version.objects.count() == count


def test_whoever_goes_back_waits_for_a_load_before_they_lock_a_row_that_it_stores():
    model = {
        "version": 1,
        "calendars": [{"name": "Feasts", "periods": [{"kind": "days", "first_day": "2027-01-10"}]}],
        "entities": [{"code": "shop", "name": "Shop"}],
        "queues": [{"name": "slow"}],
        "scripts": [{"name": "Tidy", "sql": "select 1"}],
        "plans": [{"name": "Nightly", "steps": [{"entity": "shop"}]}],
    }
    load(model, now=clock.now())
    stored = []

    def is_protected(sender, **_):
        require_lock(*DEFINITIONS)
        stored.append(sender)

    kinds = {BlackoutCalendar: "Feasts", Queue: "slow", SqlScript: "Tidy", Plan: "Nightly", SchedulerConfiguration: ""}
    for kind, name in kinds.items():
        thing = kind.objects.get(name=name) if name else kind.objects.get()
        subject = subject_of(kind)
        before = subject.read(thing) | ({"name": "Otherwise"} if name else {**DAILY, "run_times": ["06:00"]})
        pre_save.connect(is_protected, sender=kind)
        try:
            subject.restore(thing, before)
        finally:
            pre_save.disconnect(is_protected, sender=kind)
    assert set(stored) == {*kinds}
