"""Promise: a type of data works in every place. A new one fails here until each place knows it."""

from pathlib import Path

import pytest

from staging.entities.contract import delivery_contract
from staging.entities.definition import limit_errors
from staging.entities.values import FORMS, parse_value
from staging.exports.text import as_text
from staging.members.browse import MemberQuery, member_page
from staging.members.filters import parse_filter
from staging.members.story import member_changes
from staging.models import Attribute, Entity
from staging.states import DataType
from staging.tables.columns import real_columns, table_problems
from staging.tables.convert import conversion
from staging.tables.unfit import unfit_values
from tests.staging.batches.bench import counts, define, errors, execute, run_batch, stage, staged
from tests.staging.batches.test_forms import BAD, GOOD
from tests.staging.batches.undo.test_undo import undo
from tests.staging.specification.test_every_case import TEXTS
from tests.staging.specification.values import READERS

pytestmark = pytest.mark.django_db

OWN = [kind for kind in DataType if kind != DataType.REFERENCE]
TYPES = pytest.mark.parametrize("data_type", OWN)


def _thing(data_type: str, **limits: str) -> Entity:
    return define("thing", {"name": "x", "data_type": data_type, **limits}, keep_history=True)


def _shown(entity: Entity, *filters: str) -> list[str]:
    """Return the values as people read them, of the members that pass these filters."""
    wanted = MemberQuery(filters=tuple(parse_filter(entity, text) for text in filters))
    return [as_text(row["x"]) for row in member_page(entity, wanted).rows]


@TYPES
def test_the_contract_s_example_is_merged_shown_exported_kept_and_undone(data_type: str) -> None:
    entity = _thing(data_type)
    assert table_problems(entity) == []
    contract = delivery_contract(entity)
    assert contract["columns"][0]["accepted"]
    execute(contract["examples"]["insert"])
    first = run_batch(entity)
    assert counts(first) == {"inserted": 1}, staged(entity)
    (text,) = _shown(entity)
    assert _shown(entity, f"x:is:{text}") == [text]
    stage(entity, {"code": "A1", "x": text})  # what was exported, delivered again
    assert counts(run_batch(entity)) == {"unchanged": 1}
    member = member_page(entity, MemberQuery()).rows[0]
    assert type(member["x"]) is type(TEXTS[data_type].stored)
    assert [d.after for d in member_changes(entity, member["id"])[0].differences if d.column == "x"] == [member["x"]]
    undo(first)
    assert _shown(entity) == []


@TYPES
def test_the_text_that_the_contract_names_clears_it(data_type: str) -> None:
    entity = _thing(data_type)
    stage(entity, {"code": "a", "x": TEXTS[data_type].different})
    run_batch(entity)
    stage(entity, {"code": "a", "x": delivery_contract(entity)["columns"][0]["clears"]})
    assert counts(run_batch(entity)) == {"updated": 1} and _shown(entity) == [""]


@pytest.mark.parametrize("data_type", [kind for kind in OWN if kind != DataType.TEXT])
def test_what_is_none_of_the_type_is_refused_in_words(data_type: str) -> None:
    entity, malformed = _thing(data_type), TEXTS[data_type].malformed
    stage(entity, {"code": "a", "x": malformed})
    run_batch(entity)
    assert errors(entity) == {"a": 8} and f"'{malformed}' is not" in staged(entity)[0]["error_message"]


@pytest.mark.parametrize("data_type", FORMS)
def test_what_has_an_order_has_it_everywhere(data_type: str) -> None:
    texts = TEXTS[data_type]
    (low,) = (as_text(value) for value in texts.limit.values())
    entity = _thing(data_type, min_value=low)
    attribute = entity.attributes.get()
    assert [*limit_errors(attribute)] == [] and parse_value(data_type, low) is not None
    stage(entity, {"code": "a", "x": texts.different}, {"code": "b", "x": texts.forbidden})
    run_batch(entity)
    assert errors(entity) == {"a": 0, "b": 16}
    assert len(_shown(entity, f"x:from:{low}")) == 1 and _shown(entity, f"x:to:{low}") == []
    attribute.max_value, attribute.min_value = low, ""
    assert [unfit.members for unfit in unfit_values(entity, attribute)] == [1]


@TYPES
def test_its_values_become_text_and_come_back(data_type: str) -> None:
    entity = _thing(data_type)
    stage(entity, {"code": "a", "x": TEXTS[data_type].different})
    run_batch(entity)
    real = real_columns("mdm_thing")["x"]
    found = conversion(entity, Attribute(entity=entity, name="x", data_type="text"), real)
    assert found is not None and (found.values, found.unfit) == (1, 0)


def test_the_lists_of_the_tests_and_the_document_name_every_type() -> None:
    page = Path("docs/staging-tables.md").read_text(encoding="utf-8")
    missing = [kind.label for kind in OWN if f"\n| {kind.label} |" not in page]
    assert not missing, f"Say in docs/staging-tables.md how these are written: {missing}"
    assert set(READERS) == set(OWN) and set(TEXTS) == set(DataType)
    assert {kind for kind, *_ in GOOD} == set(OWN) == {kind for kind, _ in BAD} | {DataType.TEXT}
