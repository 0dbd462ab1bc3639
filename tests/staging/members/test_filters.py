"""Each type of value has its comparisons, with the same meaning on both databases; nonsense is told, not guessed."""

import pytest

from staging.members.filters import BadFilter, parse_filter
from staging.models import Entity
from tests.staging.members.conftest import codes


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("code:is:a", "a"),
        ("name:contains:ALPH", "a"),
        ("name:starts:B", "b"),
        ("name:empty:", "c"),
        ("note:contains:%", "a"),
        ("note:contains:_", "a"),
        ("note:is:plain", ""),
        ("note:is:Plain", "b"),
        ("integer:is:-5", "a"),
        ("integer:from:-5", "ab"),
        ("integer:to:9", "a"),
        ("decimal:from:10", "b"),
        ("decimal:to:9.50", "a"),
        ("decimal:is:9.500", "a"),
        ("boolean:is:yes", "a"),
        ("boolean:is:no", "b"),
        ("boolean:empty:", "c"),
        ("date:from:2026-02-01", "b"),
        ("date:to:2026-01-31", "a"),
        ("date:is:2026-02-01", "b"),
        ("datetime:is:2026-01-31", "a"),
        ("datetime:to:2026-01-31", "a"),
        ("datetime:from:2026-01-31T12:00:01Z", "b"),
        ("datetime:is:2026-02-01T00:00:00Z", "b"),
        ("area:is:n", "a"),
        ("area:filled:", "ab"),
        ("is_active:is:yes", "abc"),
        ("updated_at:from:2026-03-02", ""),
        ("updated_batch_id:is:999999", ""),
    ],
)
def test_a_filter_finds_what_it_says(site: Entity, text: str, found: str) -> None:
    assert "".join(codes(site, text)) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing:is:1", "Site has no attribute 'nothing' to filter by."),
        ("id:is:1", "Site has no attribute 'id' to filter by."),
        ("", "Site has no attribute '' to filter by."),
        ("boolean:from:yes", "boolean can be filtered by “is”, “is empty”, “is not empty”."),
        ("area:contains:n", "area can be filtered by “is”, “is empty”, “is not empty”."),
        ("integer:is:12a", "'12a' is not a whole number such as 12."),
        ("integer:is:99999999999999999999", "'99999999999999999999' is not a whole number such as 12."),
        ("date:is:2026-02-30", "'2026-02-30' is not a date such as 2026-01-31."),
        ("datetime:to:9999-12-31", "'9999-12-31' is too late."),
        ("boolean:is:perhaps", "boolean is compared with yes or no."),
        ("note:is:", "Say what note should be compared with."),
        ("note:is:a\x00b", "Nothing is compared with that text; use at most 200 characters."),
        ("note:is:" + "x" * 201, "Nothing is compared with that text; use at most 200 characters."),
    ],
)
def test_what_cannot_be_compared_is_told(site: Entity, text: str, said: str) -> None:
    with pytest.raises(BadFilter) as refused:
        parse_filter(site, text)
    assert str(refused.value) == said


def test_values_are_values_and_never_sql(site: Entity) -> None:
    for text in ("note:is:' OR 1=1 --", "name:contains:%s", "code:starts:\\", 'note:contains:"'):
        assert codes(site, text) == []


def test_filters_add_up(site: Entity) -> None:
    assert codes(site, "integer:from:-5", "boolean:is:no") == ["b"]
