"""The model reads the texts that the tests of the pipeline list, each by itself, the same way."""

from typing import Any

import pytest

from tests.staging.batches.test_forms import BAD, GOOD
from tests.staging.specification.values import WRONG, read, trim


@pytest.mark.parametrize(("kind", "text", "value"), GOOD)
def test_an_accepted_form_is_its_value(kind: str, text: str, value: Any) -> None:
    assert read(kind, trim(text)) == value


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, text in BAD if text])
def test_any_other_form_is_no_value(kind: str, text: str) -> None:
    assert read(kind, text) is WRONG
