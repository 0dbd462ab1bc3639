"""Promises of the one rule of rights: for anything, for everything, and for named entities."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.housekeeping.roles import set_role
from scheduling.models import Job, Plan, Queue, Run, SchedulerConfiguration, SchedulerLog, Task
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from staging import tokens
from staging.models import Batch, Entity
from staging.rights import belongs_to_entities, common, covers, either, is_limited, may_no_more, reach, visible
from tests.scheduling.admin.conftest import NOW
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db
MEND, SEE = "staging.mend_rows", "staging.view_rows"


@pytest.fixture
def both() -> tuple[Entity, Entity]:
    """Customers and prices."""
    customer, price = (Entity.objects.create(code=code, name=code.capitalize()) for code in ("customer", "price"))
    return customer, price


@pytest.fixture
def in_groups() -> Callable[..., User]:
    """Return a maker of people in groups of a role for some entities; None: for all of them."""

    def make(*groups: tuple[str, list[Entity] | None], name: str = "ann") -> User:
        user = User.objects.create_user(name, is_staff=True)
        for number, (role, entities) in enumerate(groups):
            group = Group.objects.create(name=f"{role} {number} of {name}")
            set_role(group, role, entities)
            user.groups.add(group)
        return User.objects.get(pk=user.pk)

    return make


def test_a_limited_role_counts_for_its_entities_alone(both: Any, in_groups: Any) -> None:
    customer, price = both
    ann = in_groups(("Steward", [customer]))
    assert ann.has_perm(MEND) and ann.has_perm(MEND, customer) and not ann.has_perm(MEND, price)
    assert reach(ann, MEND) == {customer.pk} and is_limited(ann)
    assert not ann.has_perm("staging.change_entity") and reach(ann, "staging.change_entity") == set()


def test_a_group_without_a_role_counts_for_everything_as_it_did(both: Any) -> None:
    ann = User.objects.create_user("ann")
    ann.groups.add(Group.objects.get(name="Steward"))
    assert reach(ann, MEND) is None and not is_limited(ann)
    assert all(ann.has_perm(MEND, each) for each in both)


def test_the_wider_of_two_groups_counts_for_each_permission(both: Any, in_groups: Any) -> None:
    customer, price = both
    ann = in_groups(("Viewer", None), ("Steward", [customer]))
    assert reach(ann, SEE) is None and reach(ann, MEND) == {customer.pk}
    assert reach(ann, SEE, MEND) == {customer.pk}
    assert in_groups(("Steward", [customer]), ("Viewer", [price]), name="bob").has_perm(SEE, price)


def test_what_belongs_to_no_entity_needs_its_permission_for_all(both: Any, in_groups: Any) -> None:
    ann = in_groups(("Administrator", [both[0]]))
    ours = (f"scheduling.{one}" for one in ("view_job", "run_sqlscript", "view_queue", "change_blackoutcalendar"))
    for lacking in ("staging.add_entity", "staging.manage_tokens", *ours):
        assert not ann.has_perm(lacking) and not belongs_to_entities(lacking), lacking
    assert ann.has_perm("scheduling.pause") and not ann.has_perm("scheduling.pause", Queue(pk=1))
    assert not ann.has_perm("scheduling.pause", Job(pk=1))


def test_a_permission_of_their_own_counts_for_everything(both: Any, in_groups: Any) -> None:
    ann = in_groups(("Viewer", [both[0]]))
    ann.user_permissions.add(Permission.objects.get(codename="mend_rows"))
    ann = User.objects.get(pk=ann.pk)
    assert reach(ann, MEND) is None and ann.has_perm(MEND, both[1])


def test_own_permissions_of_a_group_can_be_limited(both: Any) -> None:
    group = Group.objects.create(name="Menders")
    group.permissions.add(Permission.objects.get(codename="mend_rows"))
    set_role(group, "", [both[0]])
    ann = User.objects.create_user("ann")
    ann.groups.add(group)
    assert reach(ann, MEND) == {both[0].pk} and ann.get_all_permissions() == {MEND}


def test_who_is_switched_off_or_nobody_may_nothing(both: Any, in_groups: Any) -> None:
    ann = in_groups(("Steward", [both[0]]))
    ann.is_active = False
    assert not ann.has_perm(MEND) and not ann.has_perm(MEND, both[0]) and reach(ann, MEND) == set()
    assert reach(AnonymousUser(), MEND) == set() and not AnonymousUser().has_perm(MEND, both[0])


def test_a_superuser_may_everything(both: Any) -> None:
    root = User.objects.create_superuser("root")
    assert reach(root, MEND) is None and root.has_perm(MEND, both[0]) and not is_limited(root)


def test_the_last_entity_that_goes_leaves_nothing_not_everything(both: Any, in_groups: Any) -> None:
    ann = in_groups(("Steward", [both[0]]))
    both[0].delete()
    ann = User.objects.get(pk=ann.pk)
    assert reach(ann, MEND) == set() and not ann.has_perm(MEND) and not ann.has_perm(MEND, both[1])


def test_things_are_of_their_entity(both: Any) -> None:
    customer, price = both
    own = frozenset({customer.pk})
    configurations = {each.entity_id: each for each in SchedulerConfiguration.objects.all()}
    assert covers(own, configurations[customer.pk]) and not covers(own, configurations[price.pk])
    assert covers(own, Batch(entity=customer)) and not covers(own, Batch(entity=price))
    assert covers(own, SchedulerLog(entity=customer)) and not covers(own, SchedulerLog())
    assert not covers(own, Entity()) and not covers(frozenset(), customer) and covers(None, price)


def test_a_plan_is_of_all_its_entities_however_deep(both: Any) -> None:
    customer, price = both

    def plan(name: str, *targets: Any) -> Plan:
        return save_plan(PlanDraft(Plan(name=name), {}, [step(each) for each in targets]), now=NOW)

    mine, theirs = plan("Mine", customer), plan("Theirs", price)
    outer, mixed, empty = plan("Outer", mine), plan("Mixed", mine, theirs), plan("Empty")
    own = frozenset({customer.pk})
    assert set(visible(Plan.objects.all(), own)) == {mine, outer}
    assert covers(own, outer) and not any(covers(own, each) for each in (mixed, theirs, empty))
    mixed.steps.filter(sub_plan=theirs).update(is_cancelled=True)
    assert not covers(own, mixed)
    assert set(visible(Plan.objects.all(), None)) == {mine, theirs, outer, mixed, empty}


def test_a_run_is_of_all_its_work(both: Any) -> None:
    customer, price = both
    queue = Queue.objects.create(name="default")

    def run(*entities: Entity | None) -> Run:
        made = Run.objects.create(kind="plan", fire_key=str(Run.objects.count()), created_at=NOW)
        for number, entity in enumerate(entities):
            kind = "batch" if entity else "job"
            Task.objects.create(run=made, key=str(number), workload=kind, entity=entity, queue=queue)
        return made

    mine, mixed, with_job, empty = run(customer), run(customer, price), run(customer, None), run()
    own = frozenset({customer.pk})
    assert set(visible(Run.objects.all(), own)) == {mine}
    assert covers(own, mine) and not any(covers(own, each) for each in (mixed, with_job, empty))


def test_what_belongs_to_none_is_seen_by_nobody_who_is_limited(both: Any) -> None:
    Queue.objects.create(name="default")
    assert not visible(Queue.objects.all(), frozenset({both[0].pk})) and visible(Queue.objects.all(), None)


def test_how_far_several_reach() -> None:
    one, two = frozenset({1, 2}), frozenset({2, 3})
    assert common([one, None, two]) == {2} and common([None]) is None and common([]) is None
    assert either([one, two]) == {1, 2, 3} and either([one, None]) is None and either([]) == set()


def test_asking_for_many_things_costs_as_much_as_for_one(both: Any, in_groups: Any) -> None:
    """One statement for the permissions, one for the entities of groups, and none for each thing."""
    ann = in_groups(("Steward", [both[0]]), ("Viewer", [both[1]]))
    with CaptureQueriesContext(connection) as asked:
        for each in [*both] * 20:
            ann.has_perm(MEND, each)
        reach(ann, SEE), ann.has_perm(SEE)
    assert len(asked) == 2


def test_a_token_goes_to_nobody_who_may_more(both: Any, in_groups: Any) -> None:
    customer, price = both
    giver = in_groups(("Steward", [customer]), name="giver")
    assert may_no_more(in_groups(("Viewer", [customer]), name="less"), than=giver)
    for name, group in {"other": ("Viewer", [price]), "all": ("Viewer", None), "more": ("Steward", [*both])}.items():
        service = in_groups(group, name=name)
        service.set_unusable_password()
        assert not may_no_more(service, than=giver) and not tokens.may_have_one(service, from_hand=giver)


@pytest.mark.parametrize("codename", ["see:all", "deliver all pizzas", "a:b:c d"])
def test_a_permission_of_somebody_elses_application_may_be_called_as_it_likes(both: Any, codename: str) -> None:
    kind = ContentType.objects.get_for_model(Entity)
    strange = Permission.objects.create(content_type=kind, codename=codename, name="Strange")
    ann, group = User.objects.create_user("ann"), Group.objects.get(name="Steward")
    group.permissions.add(strange)
    ann.groups.add(group)
    assert ann.has_perm(f"staging.{codename}") and reach(ann, MEND) is None
    bob = User.objects.create_user("bob")
    bob.user_permissions.add(strange)
    assert bob.has_perm(f"staging.{codename}") and not bob.has_perm(MEND)


def test_whose_account_is_gone_may_nothing(in_groups: Any) -> None:
    ann = in_groups(("Steward", None))
    User.objects.filter(pk=ann.pk).delete()
    assert reach(ann, MEND) == frozenset() and not ann.has_perm(MEND)
