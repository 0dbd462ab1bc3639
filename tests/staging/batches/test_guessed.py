"""Promise: a type that was guessed from a value is one that a batch reads this value as, on both databases."""

import pytest

from staging.states import DataType
from staging.uploads.guess import guess_type
from tests.staging.batches.bench import counts, define, errors, run_batch, stage
from tests.staging.batches.test_forms import BAD, GOOD

pytestmark = pytest.mark.django_db

TEXTS = sorted({case[1].strip() for case in [*GOOD, *BAD]} - {""})


@pytest.mark.parametrize("kind", [kind for kind in DataType if kind != DataType.REFERENCE])
def test_a_batch_accepts_every_value_that_its_type_was_guessed_from(kind: DataType) -> None:
    texts = [text for text in TEXTS if guess_type([text]) == kind and "\x00" not in text]
    thing = define("thing", {"name": "x", "data_type": kind.value})
    for number, text in enumerate(texts):
        stage(thing, {"code": f"c{number}", "x": text})
    batch = run_batch(thing)
    assert texts and counts(batch) == {"inserted": len(texts)}, errors(thing)
