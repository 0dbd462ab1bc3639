"""Promises of `load` for files nobody would write: a sentence at a path, never a traceback, and nothing stored."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from scheduling.model_files.dump import dump
from scheduling.model_files.load import load
from scheduling.model_files.sections import CALENDAR_KINDS, ENTITY_KINDS, FILE_KINDS, PERIOD_KINDS, SCHEDULE_KINDS
from staging.errors import InvalidDefinition
from staging.model_files.keys import ATTRIBUTE_KEYS, ENTITY_KEYS
from staging.model_files.read import parse_yaml
from staging.model_files.write import write_yaml
from staging.models import Entity
from staging.states import DataType
from tests.depth import examples

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(0, 5000),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(
        [
            "text",
            "integer",
            "reference",
            "a",
            "b",
            "triggered",
            "scheduled",
            "weekly",
            "cron",
            "once",
            "yearly",
            "06:00",
            "mon",
        ]
    ),
)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


def _mapping(keys: Any, **known: Any) -> Any:
    return st.fixed_dictionaries({}, optional={key: known.get(key, scalars) | anything for key in keys})


attributes = _mapping([key.name for key in ATTRIBUTE_KEYS], type=st.sampled_from(DataType.values))
entities = _mapping(
    [key.name for key in ENTITY_KEYS] + list(ENTITY_KINDS) + ["attributes"],
    code=st.sampled_from("ab"),
    name=st.just("N"),
    attributes=st.lists(attributes, max_size=3),
    schedule=_mapping(SCHEDULE_KINDS),
)
periods = _mapping(
    PERIOD_KINDS,
    kind=st.sampled_from(["days", "yearly", "weekly"]),
    first_day=st.dates().map(str),
    run_days=st.sampled_from(["sat", "daily"]),
)
calendars = _mapping(CALENDAR_KINDS, name=st.sampled_from("ab"), periods=st.lists(periods, max_size=3))
documents = _mapping(
    FILE_KINDS,
    version=st.just(1),
    calendars=st.lists(calendars, max_size=2),
    entities=st.lists(entities, max_size=3),
)

# Definitions that are meant to be good: whatever loads must come back the same.
good_attributes = st.lists(
    st.one_of(
        st.builds(lambda n, s: {"name": n, "type": "integer", "min": s}, st.sampled_from("xyz"), st.integers(-9, 9)),
        st.builds(
            lambda n, s: {"name": n, "type": "decimal", "max": s},
            st.sampled_from("xyz"),
            st.decimals(-1000, 1000, places=3),
        ),
        st.builds(
            lambda n, s: {"name": n, "type": "text", "choices": sorted(s)},
            st.sampled_from("xyz"),
            st.sets(st.text("ab01.:-é# '\"\n", min_size=1, max_size=5).filter(lambda t: t == t.strip()), max_size=4),
        ),
        st.builds(lambda n: {"name": n, "type": "reference", "reference": "b"}, st.sampled_from("xyz")),
    ),
    max_size=3,
    unique_by=lambda a: a["name"],
)


class AnyFile(TestCase):
    """Hypothesis with a transaction around each example."""

    @settings(
        max_examples=examples(60),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(documents)
    def test_any_file_is_loaded_or_refused_with_sentences(self, document: Any) -> None:
        try:
            load(document, now=NOW)
        except InvalidDefinition as error:
            assert error.errors
            assert all(isinstance(text, str) and text for texts in error.errors.values() for text in texts)

    @settings(max_examples=examples(30), deadline=None)
    @given(good_attributes, st.text("ab: #'\"é\n-0", max_size=10), st.integers(1, 400) | st.none())
    def test_what_loads_is_dumped_and_loads_again_without_a_change(self, found: Any, text: str, days: Any) -> None:
        section = {"code": "a", "name": "N", "description": text, "processed_retention_days": days, "attributes": found}
        load({"version": 1, "entities": [section, {"code": "b", "name": "B"}]}, now=NOW)
        written = write_yaml(dump())
        again = load(parse_yaml(written), now=NOW)
        assert (again.created, again.changed) == ([], [])
        assert write_yaml(dump()) == written


@pytest.mark.parametrize("value", [Decimal("1E+999999"), 10**400, -(10**30), "9" * 5000, "\x00", "\ud800", "5\x00"])
@pytest.mark.parametrize(
    "key", ["name", "description", "max_error_rate", "processed_retention_days", "sentinel_number"]
)
@pytest.mark.django_db
def test_an_extreme_value_is_refused_at_its_path_or_kept_whole(key: str, value: Any):
    try:
        load({"version": 1, "entities": [{"code": "a", "name": "N", key: value}]}, now=NOW)
    except InvalidDefinition as error:
        assert list(error.errors) == [f"entities[0].{key}"]
    else:
        assert str(value) == str(Entity.objects.values_list(key, flat=True).get())
