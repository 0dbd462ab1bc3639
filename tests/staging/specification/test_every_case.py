"""Every action, mode, value and member in turn, for every data type: thousands of cases, a row each."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import product
from typing import Any, NamedTuple

import pytest

from tests.staging.specification.stand import build, compare, fill
from tests.staging.specification.world import Kind, Member, Rule, World

pytestmark = pytest.mark.django_db

MODES = ("", "overwrite", "keep_when_blank", "fill_when_empty", "keep_existing", "reject_change")


class Texts(NamedTuple):
    """What a type is tried with: a stored value, texts that mean it and others."""

    stored: Any
    same: str
    different: str
    malformed: str
    forbidden: str
    limit: dict[str, Any]


TEXTS = {
    "text": Texts("old", " old ", "new", "far too long", "much too long", {"max_length": 10}),
    "integer": Texts(7, "007", "8", "12a", "-1", {"min_value": 0}),
    "decimal": Texts(Decimal("1.5"), "15e-1", "1.25", "1,5", "0.4", {"min_value": Decimal("0.5")}),
    "boolean": Texts(True, "YES", "no", "perhaps", "2", {}),
    "date": Texts(date(2024, 2, 29), " 2024-02-29", "2024-03-01", "2023-02-29", "1999-12-31",
                  {"min_value": date(2000, 1, 1)}),
    "datetime": Texts(datetime(2024, 2, 29, 10, tzinfo=UTC), "2024-02-29 12:00+02:00", "2024-02-29T10:00:01", "noon",
                      "1999-12-31", {"min_value": datetime(2000, 1, 1, tzinfo=UTC)}),
    "reference": Texts("here", " here ", "there", "nowhere", "closed", {}),
}  # fmt: skip


class Case(NamedTuple):
    """One row: the field it tries, what it asks, what it brings, and what its member is like."""

    rule: Rule
    action: int | None
    text: str | None
    member: str
    stored: bool
    renames: bool = False


def _kind(data_type: str) -> Kind:
    target = "place" if data_type == "reference" else ""
    rules = tuple(
        Rule(f"{mode or 'entity'}_{'r' * required}_{'s' * skips}", data_type, target, required, False, mode, skips,
             **TEXTS[data_type].limit)
        for mode, required, skips in product(MODES, (False, True), (False, True))
    )  # fmt: skip
    number = list(TEXTS).index(data_type)
    return Kind("thing", rules, number % 3, MODES[1 + number % 5])


def _cases(kind: Kind, texts: Texts) -> Iterator[Case]:
    members = [("missing", False), *product(("active", "inactive"), (True, False))]
    for rule, (member, stored) in product(kind.rules, members):
        every = (None, "", " \t", kind.sentinel(rule), texts.same, texts.different, texts.malformed, texts.forbidden)
        for action, text in product((0, 1, 2), every):
            yield Case(rule, action, text, member, stored)
        for action, text in product((None, 3, 4, 5, 6, 7, -1), (texts.different, texts.malformed)):
            yield Case(rule, action, text, member, stored)
        for action, text in product((0, 1, 2, 3), (texts.same, texts.malformed)):
            yield Case(rule, action, text, member, stored, renames=True)


def _row(number: int, case: Case, kind: Kind, texts: Texts) -> dict[str, Any]:
    """Return the staged row; fields that are not tried bring what is stored where a blank would matter."""
    others = {
        rule.name: texts.same for rule in kind.rules if rule.required or kind.mode_of(rule) == "overwrite"
    }  # fmt: skip
    row = {"code": f"c{number}", "import_action": case.action, **others, case.rule.name: case.text}
    return row | ({"new_code": f"n{number}"} if case.renames else {})


def _member(number: int, case: Case, kind: Kind, stored: Any) -> Member:
    values = {rule.name: stored for rule in kind.rules if rule is not case.rule or case.stored}
    return Member(f"c{number}", case.member == "active", values)


@pytest.mark.parametrize("data_type", TEXTS)
def test_every_case_ends_as_the_model_says(data_type: str) -> None:
    kind, texts = _kind(data_type), TEXTS[data_type]
    places = [Member("here"), Member("there"), Member("closed", active=False)]
    stored = places[0] if data_type == "reference" else texts.stored
    cases = list(_cases(kind, texts))
    members = [_member(n, case, kind, stored) for n, case in enumerate(cases) if case.member != "missing"]
    world = World({"place": Kind("place"), "thing": kind}, {"place": places, "thing": members})
    build(world)
    fill(world)

    compare(world, "thing", [_row(n, case, kind, texts) for n, case in enumerate(cases)])
