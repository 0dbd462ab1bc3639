"""Promise: named values are typed as JSON; what cannot be read is refused in words, and shown again as it was typed."""

import pytest
from django.core.exceptions import ValidationError

from scheduling.admin.inputs import Values

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("typed", [DEEP, '{"a":' * 100_000, "{", "nothing", "NaN["])
def test_what_is_no_json_is_refused_and_shown_again(typed):
    field = Values()
    with pytest.raises(ValidationError, match="valid JSON"):
        field.clean(typed)
    assert field.has_changed({}, typed) and field.prepare_value(field.bound_data(typed, {})) == typed


def test_values_are_read():
    assert Values().clean('{"region": "north"}') == {"region": "north"} and Values().clean("") == {}
